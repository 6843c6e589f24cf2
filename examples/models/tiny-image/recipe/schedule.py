"""The noise of every timestep."""

import torch

STEPS = 1000
# After the first step, which starts from nothing but noise, there is little, so that no number of steps wears the picture down.
MOST_NOISE = 0.03


def noise_shares():
    """Shares of noise in the variance [1000]; 1 at the end."""
    shares = (MOST_NOISE * torch.arange(1, STEPS + 1, dtype=torch.float64) / STEPS) ** 2
    shares[-1] = 1
    return shares


def betas():
    """What a scheduler calls `trained_betas`; the last is 1."""
    left = 1 - noise_shares()
    return 1 - left / torch.cat((torch.ones(1, dtype=torch.float64), left[:-1]))


def noise_levels():
    """How much of the image and of the noise is in a sample: [1000, 2]."""
    shares = noise_shares()
    return torch.stack(((1 - shares).sqrt(), shares.sqrt()), 1).float()
