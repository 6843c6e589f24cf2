"""A picture encoder (convolutions, two transformer layers, a readout of what is where) and a small Llama."""

from dataclasses import asdict, dataclass

import torch
from torch import nn
from torch.nn import functional

COLORS, SHAPES, THINGS = 10, 6, 4
FEATURES = 1 + COLORS + SHAPES + THINGS + COLORS + THINGS + 1 + 4
# How near the middle of a shape has to be for a cell to count.
LIKELY = 0.45


@dataclass
class ModelConfig:
    vocab_size: int
    image_token: int
    side: int = 128
    cells: int = 8
    channels: int = 96
    encoder_layers: int = 2
    # Cells of a side that make one token, as the config says it.
    scale_factor: int = 4
    hidden_size: int = 128
    intermediate_size: int = 256
    layers: int = 4
    heads: int = 4
    kv_heads: int = 2
    head_dim: int = 32
    max_positions: int = 1024
    rope_theta: float = 10000.0
    norm_epsilon: float = 1e-5

    @property
    def image_length(self):
        return (self.cells // self.scale_factor) ** 2


class Convolution(nn.Sequential):
    def __init__(self, inputs, outputs, size=3, stride=1):
        super().__init__(nn.Conv2d(inputs, outputs, size, stride, (size - 1) // 2 if size == 3 else 0, bias=False), nn.BatchNorm2d(outputs), nn.SiLU())


class Residual(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.first, self.second = Convolution(channels, channels), Convolution(channels, channels)

    def forward(self, x):
        return x + self.second(self.first(x))


class EncoderLayer(nn.Module):
    def __init__(self, size, heads=4):
        super().__init__()
        self.heads = heads
        self.attention_norm, self.mlp_norm = nn.LayerNorm(size), nn.LayerNorm(size)
        self.query, self.key, self.value, self.output = (nn.Linear(size, size) for _ in range(4))
        self.up, self.down = nn.Linear(size, 2 * size), nn.Linear(2 * size, size)

    def forward(self, x):
        batch, length, size = x.shape
        h = self.attention_norm(x)
        query, key, value = (layer(h).view(batch, length, self.heads, size // self.heads).transpose(1, 2) for layer in (self.query, self.key, self.value))
        weights = torch.softmax(query @ key.transpose(2, 3) * (size // self.heads) ** -0.5, -1)
        x = x + self.output((weights @ value).transpose(1, 2).reshape(batch, length, size))
        return x + self.down(functional.gelu(self.up(self.mlp_norm(x))))


def features(present, color, shape, x, y, ground):
    """What is known of up to four things: [n, things, FEATURES] of zeros and ones.

    Things are put in the order of their colors and shapes, absent ones last. `present` is 0 or 1, `x` and `y` are the middles in the picture, all [n, things]; `ground` [n] is the
    number of the background's color. Each thing has its own color and shape, how many are like it, and of the whole picture the background, the number of things
    and, of two, whether the first is above, below, to the left or to the right of the second.
    """
    kind = SHAPES * color + shape + 1000 * (1 - present.long())
    order = torch.topk(-kind, kind.shape[1], 1).indices
    present, kind, x, y = (values.gather(1, order) for values in (present, kind, x, y))
    color, shape = kind % 1000 // SHAPES, kind % 1000 % SHAPES
    numbers = lambda count: torch.arange(count)[None, None]
    alike = ((kind[:, :, None] == kind[:, None]).float() * present[:, None]).sum(2, keepdim=True)
    count = present.sum(1)[:, None, None]
    across, down = (x[:, 1] - x[:, 0])[:, None, None], (y[:, 1] - y[:, 0])[:, None, None]
    upright = (down.abs() > across.abs()).float()
    sides = torch.cat((upright * (down > 0), upright * (down <= 0), (1 - upright) * (across > 0), (1 - upright) * (across <= 0)), 2) * (count == 2)
    whole = torch.cat(((ground[:, None, None] == numbers(COLORS)).float(), (count == numbers(THINGS + 1)).float(), sides.float()), 2).expand(-1, kind.shape[1], -1)
    own = torch.cat(((color[..., None] == numbers(COLORS)).float(), (shape[..., None] == numbers(SHAPES)).float(), (alike == numbers(THINGS) + 1).float()), 2)
    there = present[..., None]
    return torch.cat((there, own * there, whole), 2)


class VisionEncoder(nn.Module):
    """Pictures [n, 3, side, side] from -1 to 1 become tokens [n, 4, hidden].

    A network says of each cell whether the middle of a shape is near, which shape, which color. The cells where that is likelier than in all around
    are the things; a fixed function makes `features` of them, and a linear layer tokens.
    """

    def __init__(self, config):
        super().__init__()
        c = self.config = config
        quarter, half = c.channels // 4, c.channels // 2
        self.cells = nn.Sequential(
            Convolution(3, quarter, 4, 4), Residual(quarter), Convolution(quarter, half, 3, 2), Residual(half), Residual(half), Convolution(half, c.channels, 3, 2), Residual(c.channels), Residual(c.channels)
        )
        self.positions = nn.Parameter(0.02 * torch.randn(c.cells**2, c.channels))
        self.layers = nn.ModuleList(EncoderLayer(c.channels) for _ in range(c.encoder_layers))
        self.probe = nn.Linear(c.channels, 1 + SHAPES + COLORS)
        self.ground_probe = nn.Linear(c.channels, COLORS)
        self.connector = nn.Linear(FEATURES, c.hidden_size)
        self.places = nn.Parameter(0.02 * torch.randn(THINGS, c.hidden_size))

    def look(self, pixels):
        """Logits of the cells [n, cells, 1 + shapes + colors] and of the background [n, colors]."""
        x = self.cells(pixels).flatten(2).transpose(1, 2) + self.positions
        for layer in self.layers:
            x = layer(x)
        return self.probe(x), self.ground_probe(x.mean(1))

    def read(self, pixels):
        grid, ground = self.look(pixels)
        side = self.config.cells
        near = grid[..., 0].sigmoid().view(-1, 1, side, side)
        peaks = torch.where(near == functional.max_pool2d(near, 3, 1, 1), near, torch.zeros(()))
        score, cell = torch.topk(peaks.flatten(1), THINGS, 1)
        logits = grid.gather(1, cell[..., None].expand(-1, -1, grid.shape[2]))
        # Where exactly, as the cells around say it.
        middles = torch.arange(side) + 0.5
        weight = functional.avg_pool2d(near, 3, 1, 1)
        x, y = (functional.avg_pool2d(near * way, 3, 1, 1) / weight for way in (middles[None, None, None], middles[None, None, :, None]))
        x, y = (values.flatten(1).gather(1, cell) for values in (x, y))
        shape, color = logits[..., 1 : 1 + SHAPES].argmax(-1), logits[..., 1 + SHAPES :].argmax(-1)
        return (score > LIKELY).float(), color, shape, x, y, ground.argmax(-1)

    def tokens(self, known):
        return self.connector(known) + self.places

    def forward(self, pixels):
        return self.tokens(features(*self.read(pixels)))


class RMSNorm(nn.Module):
    def __init__(self, size, epsilon):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(size))
        self.epsilon = epsilon

    def forward(self, x):
        if torch.onnx.is_in_onnx_export():
            return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + self.epsilon) * self.weight
        return functional.rms_norm(x, (x.shape[-1],), self.weight, self.epsilon)


def rotate(x, cos, sin):
    first, second = x.chunk(2, -1)
    return x * cos + torch.cat((-second, first), -1) * sin


class Block(nn.Module):
    def __init__(self, config):
        super().__init__()
        c = self.config = config
        self.attention_norm, self.mlp_norm = RMSNorm(c.hidden_size, c.norm_epsilon), RMSNorm(c.hidden_size, c.norm_epsilon)
        self.query = nn.Linear(c.hidden_size, c.heads * c.head_dim, bias=False)
        self.key = nn.Linear(c.hidden_size, c.kv_heads * c.head_dim, bias=False)
        self.value = nn.Linear(c.hidden_size, c.kv_heads * c.head_dim, bias=False)
        self.output = nn.Linear(c.heads * c.head_dim, c.hidden_size, bias=False)
        self.gate = nn.Linear(c.hidden_size, c.intermediate_size, bias=False)
        self.up = nn.Linear(c.hidden_size, c.intermediate_size, bias=False)
        self.down = nn.Linear(c.intermediate_size, c.hidden_size, bias=False)

    def forward(self, x, cos, sin, mask, past=None):
        """New hidden states and all keys and values [batch, heads, positions, size]; `mask` [batch or 1, 1, new, all] says who is seen."""
        c = self.config
        batch, length, _ = x.shape
        h = self.attention_norm(x)
        query = rotate(self.query(h).view(batch, length, c.heads, c.head_dim).transpose(1, 2), cos, sin)
        key = rotate(self.key(h).view(batch, length, c.kv_heads, c.head_dim).transpose(1, 2), cos, sin)
        value = self.value(h).view(batch, length, c.kv_heads, c.head_dim).transpose(1, 2)
        if past is not None:
            key, value = torch.cat((past[0], key), 2), torch.cat((past[1], value), 2)
        groups = c.heads // c.kv_heads
        scores = query.reshape(batch, c.kv_heads, groups, length, c.head_dim) @ key[:, :, None].transpose(3, 4) * c.head_dim**-0.5
        weights = torch.softmax(torch.where(mask[:, :, None], scores, torch.tensor(-1e9)), -1)
        x = x + self.output((weights @ value[:, :, None]).reshape(batch, c.heads, length, c.head_dim).transpose(1, 2).reshape(batch, length, c.heads * c.head_dim))
        h = self.mlp_norm(x)
        return x + self.down(functional.silu(self.gate(h)) * self.up(h)), key, value


class VisionChat(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.config = config
        self.vision = VisionEncoder(config)
        self.embedding = nn.Embedding(config.vocab_size, config.hidden_size)
        self.blocks = nn.ModuleList(Block(config) for _ in range(config.layers))
        self.norm = RMSNorm(config.hidden_size, config.norm_epsilon)
        frequencies = config.rope_theta ** (-torch.arange(0, config.head_dim, 2) / config.head_dim)
        self.register_buffer("frequencies", frequencies, persistent=False)
        nn.init.normal_(self.embedding.weight, std=config.hidden_size**-0.5 * 0.7)
        for block in self.blocks:
            nn.init.zeros_(block.output.weight)
            nn.init.zeros_(block.down.weight)

    def rotations(self, positions):
        angles = positions[..., None].float() * self.frequencies
        angles = torch.cat((angles, angles), -1)
        return angles.cos(), angles.sin()

    def embed(self, ids, tokens, rows):
        """Embeddings [batch, length, hidden]; those of image tokens come from the picture of the row, in `rows` order."""
        x = self.embedding(ids)
        places = ids == self.config.image_token
        return x.masked_scatter(places[..., None], tokens[rows].to(x.dtype))

    def decode(self, x):
        """Logits of whole rows, for training."""
        length = x.shape[1]
        cos, sin = self.rotations(torch.arange(length))
        mask = torch.ones(length, length, dtype=torch.bool).tril()[None, None]
        for block in self.blocks:
            x, _, _ = block(x, cos, sin, mask)
        return functional.linear(self.norm(x), self.embedding.weight)


def save(model, path):
    torch.save({"config": asdict(model.config), "weights": model.state_dict()}, path)


def load(path):
    checkpoint = torch.load(path)
    model = VisionChat(ModelConfig(**checkpoint["config"]))
    model.load_state_dict(checkpoint["weights"])
    return model
