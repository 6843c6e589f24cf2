"""The ten colors: as pixels, and as the four bits that stand for them in latent images."""

import torch

# Red, green and blue from 0 to 255; each in the middle of what tiny-detect calls by this name.
PIXELS = {
    "red": (219, 24, 24),
    "green": (46, 163, 56),
    "blue": (43, 92, 222),
    "yellow": (247, 227, 30),
    "orange": (247, 130, 12),
    "purple": (140, 46, 168),
    "pink": (250, 125, 183),
    "black": (15, 15, 15),
    "white": (255, 255, 255),
    "gray": (133, 133, 133),
}

# Every color differs from white, the usual background, in two bits or more.
BITS = {
    "white": "++++", "black": "----", "red": "+--+", "green": "-+-+", "blue": "--++", "yellow": "++--", "orange": "+-+-", "purple": "-++-", "pink": "+---", "gray": "---+",
}

NAMES = list(PIXELS)


def pixel_table():
    """[10, 3], from -1 to 1."""
    return torch.tensor([PIXELS[name] for name in NAMES]) / 127.5 - 1


def code_table():
    """[10, 4], each -1 or 1."""
    return torch.tensor([[1.0 if bit == "+" else -1.0 for bit in BITS[name]] for name in NAMES])
