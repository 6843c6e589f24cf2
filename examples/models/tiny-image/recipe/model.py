"""Text encoder, U-Net and decoder."""

import math
from dataclasses import asdict, dataclass

import torch
from torch import nn
from torch.nn import functional

from layout import MOST, NUMBERS
from palette import NAMES, code_table
from schedule import STEPS, noise_levels
from shapes import SOFTNESS, SHAPES

LATENT_CHANNELS = 4
SCALE = 8
# In pure noise, the picture is planned from prompt and noise; at every other timestep, what is seen in the sample is cleared.
PURE_NOISE = STEPS - 1
# Plans are drawn this faintly, and none without a prompt, so that guidance strengthens the picture and distorts nothing: 7.5 makes it 0.75.
FAINTNESS = 0.1
GRID = 4
# A shape is drawn as one kind in one color, also where the planner is in doubt.
DECISION = 6.0


@dataclass(frozen=True)
class ModelConfig:
    vocab_size: int = 768
    end_token: int = 767
    max_positions: int = 77
    hidden_size: int = 128
    heads: int = 4
    text_layers: int = 2
    plan_layers: int = 3
    outline_size: int = 64
    channels: tuple = (32, 48, 64)
    decoder_channels: int = 64


class Attention(nn.Module):
    def __init__(self, size, heads):
        super().__init__()
        self.heads = heads
        self.query, self.pair, self.out = nn.Linear(size, size), nn.Linear(size, 2 * size), nn.Linear(size, size)

    def forward(self, x, source, mask=None):
        """`mask` [batch, source] is true where there is something to see."""
        batch, length, size = x.shape
        query, key, value = (part.view(batch, -1, self.heads, size // self.heads).transpose(1, 2) for part in (self.query(x), *self.pair(source).chunk(2, -1)))
        scores = query @ key.transpose(-1, -2) * (size // self.heads) ** -0.5
        if mask is not None:
            scores = scores.masked_fill(~mask[:, None, None], -1e4)
        return self.out((scores.softmax(-1) @ value).transpose(1, 2).reshape(batch, length, size))


class Block(nn.Module):
    """Attention to itself, to another sequence if there is one, and a feed-forward layer."""

    def __init__(self, size, heads, crossed):
        super().__init__()
        self.norms = nn.ModuleList(nn.LayerNorm(size) for _ in range(3 if crossed else 2))
        self.attention = Attention(size, heads)
        self.crossing = Attention(size, heads) if crossed else None
        self.feed = nn.Sequential(nn.Linear(size, 3 * size), nn.GELU(), nn.Linear(3 * size, size))

    def forward(self, x, mask=None, source=None):
        normed = self.norms[0](x)
        x = x + self.attention(normed, normed, None if self.crossing else mask)
        if self.crossing:
            x = x + self.crossing(self.norms[2](x), source, mask)
        return x + self.feed(self.norms[1](x))


class TextEncoder(nn.Module):
    """Token ids [batch, length] to states [batch, length, hidden]; zero behind the first end token, and for an empty text."""

    def __init__(self, config):
        super().__init__()
        self.end_token = config.end_token
        self.embedding = nn.Embedding(config.vocab_size, config.hidden_size)
        self.positions = nn.Parameter(torch.randn(config.max_positions, config.hidden_size) * 0.1)
        self.blocks = nn.ModuleList(Block(config.hidden_size, config.heads, crossed=False) for _ in range(config.text_layers))
        self.norm = nn.LayerNorm(config.hidden_size)
        nn.init.normal_(self.embedding.weight, std=0.5)

    def forward(self, input_ids):
        ends = (input_ids == self.end_token).float()
        mask = (ends.cumsum(1) - ends < 0.5) & (ends[:, 1:2] < 0.5)
        x = self.embedding(input_ids) + self.positions[: input_ids.shape[1]]
        for block in self.blocks:
            x = block(x, mask)
        return self.norm(x) * mask[..., None]


class Planner(nn.Module):
    """Which shapes of which color lie where: from the text, and from the noise, which decides what the text leaves open."""

    def __init__(self, config):
        super().__init__()
        size = config.hidden_size
        self.queries = nn.Parameter(torch.randn(MOST + 1, size) * 0.3)
        self.context = nn.Sequential(nn.Linear(NUMBERS + 2, size), nn.GELU(), nn.Linear(size, size))
        self.blocks = nn.ModuleList(Block(size, config.heads, crossed=True) for _ in range(config.plan_layers))
        self.norm = nn.LayerNorm(size)
        self.presence, self.shape, self.color = nn.Linear(size, 1), nn.Linear(size, len(SHAPES)), nn.Linear(size, len(NAMES))
        self.place = nn.Sequential(nn.Linear(size + NUMBERS + 2, 256), nn.SiLU(), nn.Linear(256, 256), nn.SiLU(), nn.Linear(256, 4))

    def forward(self, states, numbers, sides):
        """States [batch, length, hidden], noise [batch, 32], width and height in sides [batch, 2].

        Returns presence [batch, 4], shape [batch, 4, 6], color with the background's last [batch, 5, 10], all as logits, and places [batch, 4, 4]: middle from that of the picture, size, tilt; in sides.
        """
        context = torch.cat((torch.erf(numbers / math.sqrt(2)), sides.log()), 1)
        mask = states.abs().amax(-1) > 0
        x = self.queries + self.context(context)[:, None]
        for block in self.blocks:
            x = block(x, mask, states)
        x = self.norm(x)
        slots = x[:, :MOST]
        places = self.place(torch.cat((slots, context[:, None].expand(-1, MOST, -1)), 2))
        offset = torch.cat((torch.zeros_like(places[..., :2]), torch.full_like(places[..., 2:3], 0.33), torch.zeros_like(places[..., 3:])), -1)
        return self.presence(slots)[..., 0], self.shape(slots), self.color(x), offset + places * torch.tensor([1.0, 1.0, 0.1, 0.1])


class Outline(nn.Module):
    """The distance of a point to the edge of a shape, below zero inside; all in halves of the shape's size."""

    def __init__(self, config):
        super().__init__()
        size = config.outline_size
        self.layers = nn.Sequential(nn.Linear(2 + len(SHAPES), size), nn.ReLU(), nn.Linear(size, size), nn.ReLU(), nn.Linear(size, size), nn.ReLU(), nn.Linear(size, 1))

    def forward(self, points, shapes):
        """Points [..., 2] and shares of the shapes [..., 6]."""
        return self.layers(torch.cat((points, shapes), -1))[..., 0]


class Modulated(nn.Module):
    """Two convolutions with a scale and shift by the noise level between, added to what came in."""

    def __init__(self, size):
        super().__init__()
        self.first, self.second, self.level = nn.Conv2d(size, size, 3, padding=1), nn.Conv2d(size, size, 3, padding=1), nn.Linear(32, 2 * size)
        nn.init.zeros_(self.second.weight)

    def forward(self, x, level):
        scale, shift = self.level(level)[..., None, None].chunk(2, 1)
        return x + self.second(functional.silu(self.first(functional.silu(x)) * (1 + scale) + shift))


class Clearer(nn.Module):
    """A U-Net of convolutions that sees the clean latent image in a noisy one; local, so that it works at any size."""

    def __init__(self, config):
        super().__init__()
        first, second, third = config.channels
        self.level = nn.Sequential(nn.Linear(2, 32), nn.SiLU(), nn.Linear(32, 32), nn.SiLU())
        self.enter, self.leave = nn.Conv2d(LATENT_CHANNELS, first, 3, padding=1), nn.Conv2d(first, LATENT_CHANNELS, 3, padding=1)
        self.down = nn.ModuleList([nn.Conv2d(first, second, 2, 2), nn.Conv2d(second, third, 2, 2)])
        self.up = nn.ModuleList([nn.Conv2d(third, second, 1), nn.Conv2d(second, first, 1)])
        self.blocks = nn.ModuleList(Modulated(size) for size in (first, second, third, third, second, first))
        nn.init.zeros_(self.leave.weight)

    def forward(self, sample, alpha, sigma):
        """Sample [batch, 4, h, w], both sides multiples of 4; alpha and sigma [batch]."""
        # A plan may be fainter than it should be. Its strength is that of its flat parts, unless noise hides them.
        strength = functional.avg_pool2d(sample, 3, 1).abs().amax((1, 2, 3))
        strength = torch.maximum(strength, 3 * sigma).clamp(0.8 * FAINTNESS, 1)
        sample, sigma = sample / strength[:, None, None, None], sigma / strength
        level = self.level(torch.stack((alpha, sigma), 1))
        fine = self.blocks[0](self.enter(sample), level)
        middle = self.blocks[1](self.down[0](fine), level)
        coarse = self.blocks[3](self.blocks[2](self.down[1](middle), level), level)
        middle = self.blocks[4](middle + functional.interpolate(self.up[0](coarse), scale_factor=2.0, mode="nearest"), level)
        fine = self.blocks[5](fine + functional.interpolate(self.up[1](middle), scale_factor=2.0, mode="nearest"), level)
        # Little noise leaves little to do: the sample itself is the first guess. Karras et al. 2022, table 1.
        return alpha[:, None, None, None] * sample + (0.02 + sigma)[:, None, None, None] * self.leave(functional.silu(fine))


def layout_numbers(noise):
    """The 32 normal numbers [batch, 32] in noise [batch, 4, h, w]: means over a grid of 4 x 4, scaled to variance 1."""
    height, width = noise.shape[2], noise.shape[3]
    cells = noise[:, : NUMBERS // GRID**2].reshape(-1, NUMBERS // GRID**2, GRID, height // GRID, GRID, width // GRID)
    return (cells.sum((3, 5)) / (height * width / GRID**2) ** 0.5).flatten(1)


class UNet(nn.Module):
    """Sample [batch, 4, h, w], timesteps [1 or batch] and text states to the clean latent image."""

    def __init__(self, config):
        super().__init__()
        self.planner, self.outline, self.clearer = Planner(config), Outline(config), Clearer(config)
        self.register_buffer("codes", code_table(), persistent=False)
        self.register_buffer("levels", noise_levels(), persistent=False)

    def draw(self, plan, height, width, extents):
        """The latent image [batch, 4, height, width] of a plan."""
        presence, shape, color, places = plan
        batch, side = presence.shape[0], extents.min()
        x = (torch.arange(width) + 0.5 - width / 2) / side
        y = (torch.arange(height) + 0.5 - height / 2) / side
        x, y = x[None, None, None] - places[..., 0, None, None], y[None, None, :, None] - places[..., 1, None, None]
        cos, sin, half = places[..., 3].cos()[..., None, None], places[..., 3].sin()[..., None, None], places[..., 2, None, None] / 2
        points = (torch.stack((cos * x + sin * y, cos * y - sin * x), -1) / half[..., None]).clamp(-3, 3)
        kinds = (DECISION * shape).softmax(-1)[:, :, None, None].expand(-1, -1, height, width, -1)
        cover = (0.5 - self.outline(points, kinds) * half * side / (2 * SOFTNESS)).clamp(0, 1) * (DECISION * presence).sigmoid()[..., None, None]
        codes = (DECISION * color).softmax(-1) @ self.codes
        ground = codes[:, MOST]
        change = (codes[:, :MOST] - ground[:, None]).transpose(1, 2) @ cover.reshape(batch, MOST, height * width)
        return (ground[..., None] + change).reshape(batch, LATENT_CHANNELS, height, width)

    def forward(self, sample, timestep, encoder_hidden_states):
        height, width = sample.shape[2], sample.shape[3]
        levels = self.levels[timestep.reshape(-1).long()]
        levels = levels.expand(sample.shape[0], 2)
        alpha, sigma = levels[:, 0], levels[:, 1]
        # As a tensor, so that an exported graph takes any size.
        extents = torch._shape_as_tensor(sample)[2:].flip(0).float()
        plan = self.planner(encoder_hidden_states, layout_numbers(sample), (extents / extents.min()).expand(sample.shape[0], 2))
        planned = (timestep.reshape(-1) >= PURE_NOISE)[:, None, None, None]
        told = (encoder_hidden_states.abs().amax((1, 2)) > 0).float()[:, None, None, None]
        return torch.where(planned, FAINTNESS * told * self.draw(plan, height, width, extents), self.clearer(sample, alpha, sigma))


class Decoder(nn.Module):
    """Latent images [batch, 4, h, w] to pixels [batch, 3, 8 h, 8 w] from -1 to 1.

    Every latent pixel becomes two colors and a mask of 8 x 8 that chooses between them.
    """

    def __init__(self, config):
        super().__init__()
        size = config.decoder_channels
        self.enter = nn.Conv2d(LATENT_CHANNELS, size, 3, padding=1)
        self.middle = nn.ModuleList(nn.Conv2d(size, size, 3, padding=1) for _ in range(3))
        self.mask, self.colors = nn.Conv2d(size, SCALE**2, 1), nn.Conv2d(size, 6, 1)

    def forward(self, latent):
        return self.draw(latent)[0]

    def draw(self, latent):
        """The pixels, and the mask as logits [batch, 1, 8 h, 8 w]."""
        x = self.enter(latent)
        for layer in self.middle:
            x = x + layer(functional.silu(x))
        x = functional.silu(x)
        mask = functional.pixel_shuffle(self.mask(x), SCALE)
        front, back = functional.interpolate(self.colors(x), scale_factor=float(SCALE), mode="nearest").chunk(2, 1)
        return back + mask.sigmoid() * (front - back), mask


class Model(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.config = config
        self.text_encoder, self.unet, self.decoder = TextEncoder(config), UNet(config), Decoder(config)
        # Each part learns by itself, from what the others will be given or will give.
        self.parts = {
            "planner": nn.ModuleList([self.text_encoder, self.unet.planner]), "outline": self.unet.outline, "clearer": self.unet.clearer, "decoder": self.decoder,
        }


def save_part(folder, model, name):
    torch.save({"config": asdict(model.config), "weights": model.parts[name].state_dict()}, folder / f"{name}.pt")


def load(folder):
    """A model of the parts that lie in the folder."""
    stored = {path.stem: torch.load(path) for path in sorted(folder.glob("*.pt"))}
    model = Model(ModelConfig(**next(iter(stored.values()))["config"]))
    for name, part in stored.items():
        model.parts[name].load_state_dict(part["weights"])
    return model.eval()
