"""The acoustic model: phonemes and style in; durations, pitch, spectral envelope and noise out."""

from dataclasses import asdict, dataclass

import torch
from torch import nn
from torch.nn import functional as F

from phonemes import SYMBOLS

STYLE, TRAITS = 256, 32
LONGEST_PHONEME = 20


@dataclass(frozen=True)
class ModelConfig:
    width: int = 192
    hidden: int = 384
    encoder_blocks: int = 3
    decoder_blocks: int = 5
    kernel: int = 5
    recurrent: int = 96
    bands: int = 80
    noise_bands: int = 8
    voices: int = 6


class Block(nn.Module):
    """A depthwise convolution in time, then two layers at every step; the voice's traits shift what goes in."""

    def __init__(self, config, dilation=1):
        super().__init__()
        self.kernel, self.dilation = config.kernel, dilation
        self.taps = nn.Parameter(torch.randn(config.kernel, config.width) * 0.3)
        self.traits = nn.Linear(TRAITS, config.width, bias=False)
        self.norm = nn.LayerNorm(config.width)
        self.widen = nn.Linear(config.width, config.hidden)
        self.narrow = nn.Linear(config.hidden, config.width)
        self.scale = nn.Parameter(torch.full((config.width,), 0.3))

    def forward(self, values, traits, mask):
        """values [batch, steps, width], traits [batch, TRAITS], mask [batch, steps, 1]."""
        steps, reach = values.shape[1], self.kernel // 2 * self.dilation
        padded = F.pad((values + self.traits(traits)[:, None]) * mask, (0, 0, reach, reach))
        mixed = sum(padded[:, tap * self.dilation : tap * self.dilation + steps] * self.taps[tap] for tap in range(self.kernel))
        return values + self.scale * self.narrow(F.gelu(self.widen(self.norm(mixed)), approximate="tanh"))


class Acoustic(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.config = config
        width = config.width
        self.voices = nn.Embedding(config.voices, STYLE)
        nn.init.normal_(self.voices.weight, std=0.1)
        self.traits = nn.Linear(STYLE, TRAITS)
        self.symbols = nn.Embedding(SYMBOLS, width)
        self.encoder = nn.ModuleList(Block(config) for _ in range(config.encoder_blocks))
        self.recurrent = nn.GRU(width, config.recurrent, batch_first=True, bidirectional=True)
        self.duration = nn.Sequential(nn.Linear(width + 2 * config.recurrent, 96), nn.GELU(approximate="tanh"), nn.Linear(96, 1))
        self.bridge = nn.Linear(width + 2 * config.recurrent, width)
        self.place = nn.Linear(6, width)
        self.decoder = nn.ModuleList(Block(config, dilation) for dilation in (1, 1, 2, 1, 2)[: config.decoder_blocks])
        self.norm = nn.LayerNorm(width)
        self.tracks = nn.Linear(width, 2 * (config.bands + config.noise_bands + 1))
        self.register = nn.Linear(STYLE, 2)
        nn.init.zeros_(self.register.weight)
        with torch.no_grad():
            self.register.bias.copy_(torch.tensor([5.0, -1.5]))

    def encode(self, ids, style, mask):
        """Encodings [batch, n, …] and durations [batch, n] in frames of 10 ms."""
        values, traits = self.symbols(ids), self.traits(style)
        for block in self.encoder:
            values = block(values, traits, mask)
        if ids.shape[0] == 1:
            context, _ = self.recurrent(values)
        else:
            packed = nn.utils.rnn.pack_padded_sequence(values, mask[..., 0].sum(1).long(), batch_first=True, enforce_sorted=False)
            context, _ = nn.utils.rnn.pad_packed_sequence(self.recurrent(packed)[0], batch_first=True, total_length=ids.shape[1])
        values = torch.cat((values, context), -1)
        return values, F.softplus(self.duration(values)[..., 0] + 5)

    def decode(self, encodings, owner, begins, durations, style, mask):
        """Tracks of every half frame. owner [batch, frames] says whose frame it is; begins and durations [batch, n] in whole frames."""
        begin, duration = begins.gather(1, owner).float(), durations.gather(1, owner).float()
        frame = torch.arange(owner.shape[1], device=owner.device)[None]
        since, left = frame - begin + 0.5, begin + duration - frame - 0.5
        length = duration.clamp(min=1)
        place = torch.stack((since / length, since.clamp(0, 5) / 5, left.clamp(0, 5) / 5, since.clamp(0, LONGEST_PHONEME) / LONGEST_PHONEME,
                             left.clamp(0, LONGEST_PHONEME) / LONGEST_PHONEME, torch.log(length)), -1)
        bridged, traits = self.bridge(encodings), self.traits(style)
        values = bridged.gather(1, owner[..., None].expand(-1, -1, bridged.shape[-1])) + self.place(place)
        for block in self.decoder:
            values = block(values, traits, mask)
        tracks = self.tracks(self.norm(values))
        tracks = tracks.reshape(tracks.shape[0], -1, tracks.shape[-1] // 2)
        bands, noise_bands = self.config.bands, self.config.noise_bands
        register = self.register(style)[:, None]
        pitch = register[..., 0] + register[..., 1].exp() * tracks[..., -1]
        return tracks[..., :bands] * 3 - 9, torch.sigmoid(tracks[..., bands : bands + noise_bands]), pitch


def save(path, model, values, step):
    """`values` are the tensors to keep under the names of the model's state."""
    torch.save({"config": asdict(model.config), "state": values, "step": step}, path)


def load(path):
    checkpoint = torch.load(path, weights_only=True)
    model = Acoustic(ModelConfig(**checkpoint["config"]))
    model.load_state_dict(checkpoint["state"])
    return model.eval()
