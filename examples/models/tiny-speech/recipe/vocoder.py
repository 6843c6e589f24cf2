"""Tracks to waveform inside the graph: a pulse train and fixed noise, shaped by a minimum-phase filter at every half frame."""

import math

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

from bands import FLOOR, TOP_HZ, band_centers

RATE = 24000
HOP = RATE * 5 // 1000
WINDOW, SIZE = 2 * HOP, 6 * HOP
BINS = SIZE // 2 + 1
NOISE_LENGTH = 1 << 15
# Harmonics above this would be lost in the filter's end anyway.
HIGHEST_HARMONIC_HZ = 11500
LEVEL = 0.8
PITCH_STEPS = 64
FALL_PER_HZ = 0.004


def spread(bands):
    """[bands, BINS]: linear interpolation from band centres to the bins of the filter."""
    axis = np.minimum(np.linspace(0, RATE / 2, BINS), TOP_HZ)
    centers = band_centers(bands)
    return np.stack([np.interp(axis, centers, row) for row in np.eye(bands)]).astype(np.float32)


def minimum_phase():
    """[BINS, BINS]: takes the natural log of the magnitude to the minimum phase in radians, by folding the cepstrum."""
    order, bins = np.arange(SIZE), np.arange(BINS)
    twice = np.full(BINS, 2.0)
    twice[[0, -1]] = 1
    cepstrum = np.cos(2 * np.pi * np.outer(bins, order) / SIZE) * twice[:, None] / SIZE
    fold = np.where((order > 0) & (order < SIZE // 2), 2.0, 0.0)
    return (cepstrum * fold) @ -np.sin(2 * np.pi * np.outer(order, bins) / SIZE)


class Vocoder(nn.Module):
    def __init__(self, bands, noise_bands):
        super().__init__()
        to_bins = spread(bands)
        above = np.maximum(np.linspace(0, RATE / 2, BINS) - TOP_HZ, 0) * FALL_PER_HZ
        self.register_buffer("magnitude", torch.from_numpy(to_bins) / 2)
        self.register_buffer("magnitude_fall", torch.from_numpy(above.astype(np.float32)))
        self.register_buffer("phase", torch.from_numpy((to_bins / 2 @ minimum_phase()).astype(np.float32)))
        self.register_buffer("phase_fall", torch.from_numpy((above @ minimum_phase()).astype(np.float32)))
        self.register_buffer("noise_share", torch.from_numpy(spread(noise_bands)))
        noise = np.random.default_rng(0).normal(size=NOISE_LENGTH)
        self.register_buffer("noise", torch.from_numpy((noise / noise.std()).astype(np.float32)))
        self.register_buffer("order", torch.arange(SIZE, dtype=torch.float32))
        twice = torch.full((BINS,), 2 / SIZE)
        twice[[0, -1]] = 1 / SIZE
        self.register_buffer("twice", twice)
        self.register_buffer("window", torch.hann_window(WINDOW, periodic=True))

    def forward(self, envelope, noise, pitch):
        """envelope [frames, bands], noise [frames, noise_bands] and pitch [frames] of half frames; samples [frames * HOP] at RATE."""
        frames = envelope.shape[0]
        # Rounded, or the last digit of a pitch would turn into another phase some seconds later.
        pulses = self.frame_of(self.pulses((pitch.exp() * PITCH_STEPS).round() / PITCH_STEPS))
        hiss = self.frame_of(self.noise[torch.arange(frames * HOP) % NOISE_LENGTH].reshape(frames, HOP))
        forward_cos, forward_sin = self.waves(WINDOW, BINS)
        share = noise @ self.noise_share
        voiced, unvoiced = (1 - share).clamp(min=0).sqrt(), share.clamp(min=0).sqrt()
        real = pulses @ forward_cos * voiced + hiss @ forward_cos * unvoiced
        imaginary = -(pulses @ forward_sin * voiced + hiss @ forward_sin * unvoiced)
        # What is at the floor is silence.
        heard = torch.log(torch.clamp(envelope.exp() - 2 * FLOOR, min=1e-12))
        magnitude = torch.exp(heard @ self.magnitude - self.magnitude_fall)
        phase = heard @ self.phase - self.phase_fall
        filter_real, filter_imaginary = magnitude * phase.cos(), magnitude * phase.sin()
        spectrum_real = real * filter_real - imaginary * filter_imaginary
        spectrum_imaginary = real * filter_imaginary + imaginary * filter_real
        inverse_cos, inverse_sin = self.waves(BINS, SIZE)
        pieces = (spectrum_real * self.twice) @ inverse_cos - (spectrum_imaginary * self.twice) @ inverse_sin
        pieces = pieces.reshape(frames, SIZE // HOP, HOP)
        # Windows begin a hop before their frame, so the sum of the first block belongs to nothing.
        total = sum(F.pad(pieces[:, index], (0, 0, index, SIZE // HOP - index)) for index in range(SIZE // HOP))
        return (LEVEL * total[1 : frames + 1]).reshape(-1).clamp(-1, 1)

    def frame_of(self, blocks):
        """Blocks [frames, HOP] to windowed frames [frames, WINDOW], each over the block before and its own."""
        return torch.cat((F.pad(blocks, (0, 0, 1, 0))[:-1], blocks), 1) * self.window

    def pulses(self, hertz):
        """Blocks [frames, HOP] of a pulse train without harmonics above the band, of power 1 and a flat spectrum: Dirichlet's kernel."""
        following = torch.cat((hertz[1:], hertz[-1:]))
        turns = torch.cumsum((hertz + following).double() * (HOP / 2 / RATE), 0)
        turns = torch.cat((torch.zeros(1, dtype=torch.float64), turns[:-1]))
        turns = (turns - turns.floor()).float()[:, None]
        time = torch.arange(HOP)[None] / RATE
        turns = turns + hertz[:, None] * time + (following - hertz)[:, None] * time**2 * (RATE / 2 / HOP)
        turns = turns - (turns + 0.5).floor()
        highest = torch.maximum(hertz, following)[:, None]
        harmonics = (HIGHEST_HARMONIC_HZ / highest).floor()
        below = torch.sin(math.pi * turns)
        small = below.abs() < 1e-5
        kernel = torch.where(small, harmonics, (torch.sin((2 * harmonics + 1) * math.pi * turns) / torch.where(small, torch.ones_like(below), below) - 1) / 2)
        return kernel * (2 * (hertz[:, None] / RATE).sqrt())

    def waves(self, rows, columns):
        """Cosine and sine tables of a discrete Fourier transform over SIZE, made in the graph to keep the file small."""
        products = self.order[:rows, None] * self.order[None, :columns]
        angles = (products - (products / SIZE).floor() * SIZE) * (2 * math.pi / SIZE)
        return angles.cos(), angles.sin()
