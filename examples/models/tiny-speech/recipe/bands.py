"""The spectral envelope's format, shared by the teacher and the vocoder: bands evenly spaced in mel."""

import numpy as np

TOP_HZ = 11025
# Power of silence.
FLOOR = 1e-8


def mel(hertz):
    return 1127 * np.log1p(hertz / 700)


def band_centers(count):
    """Centres in Hz from 0 to TOP_HZ."""
    return 700 * np.expm1(np.linspace(0, mel(TOP_HZ), count) / 1127)


def band_weights(count, bins):
    """[count, bins]: triangles over bins from 0 to TOP_HZ, rows that sum to 1."""
    centers, axis = band_centers(count), np.linspace(0, TOP_HZ, bins)
    left, right = np.concatenate(([-1], centers[:-1])), np.concatenate((centers[1:], [TOP_HZ + 1]))
    step = axis[1]
    rise = (axis - left[:, None]) / np.maximum(centers - left, step)[:, None]
    fall = (right[:, None] - axis) / np.maximum(right - centers, step)[:, None]
    weights = np.clip(np.minimum(rise, fall), 0, None)
    nearest = np.abs(axis - centers[:, None]).argmin(1)
    weights[np.arange(count), nearest] += 1e-3
    return weights / weights.sum(1, keepdims=True)
