"""Where the shapes of a picture lie. The noise decides: a seed is a layout, and a model can learn to read it.

The first two channels of the noise, averaged over a grid of 4 x 4 and scaled to variance 1, are 32 independent normal numbers. Each decides one thing.
Lengths are in sides: the shorter side of the picture is 1.
"""

import math
from dataclasses import dataclass

import numpy as np

from palette import NAMES
from prompts import COLORS, MOST, SHAPES

NUMBERS = 32
OWN = 4
RING, ACROSS, DOWN, START, END, COMMON, COUNT = range(16, 23)
COLOR, SHAPE = 23, 27
MARGIN, GAP, TILT = 0.05, 0.07, math.radians(8)
# How far a shape of size 1 reaches from its middle, whatever it is.
REACH = 0.58
SIZES = {1: (0.3, 0.6), 2: (0.26, 0.36), 3: (0.24, 0.34), 4: (0.22, 0.31)}
RING_RADIUS = {1: 0.0, 2: 0.25, 3: 0.27, 4: 0.3}
HALF_ERRORS = np.vectorize(lambda number: 0.5 + 0.5 * math.erf(number / math.sqrt(2)))


@dataclass
class Layout:
    """Per shape: kind and color as numbers; `places` [n, 4] are middle x and y from the picture's middle, size and tilt."""

    shapes: np.ndarray
    colors: np.ndarray
    places: np.ndarray
    background: int


def resolve(picture, chances):
    """Shapes, colors and background of a picture, with chance in place of what it leaves open; white stands on gray where no background is asked for."""
    usual = "gray" if "white" in [group.color for group in picture.groups] else "white"
    background = NAMES.index(picture.background or usual)
    wanted, groups = [], []
    for index, group in enumerate(picture.groups):
        wanted += [(group.color, group.shape)] * group.count
        groups += [index] * group.count
    if not wanted:
        groups = list(range(1 + int(3 * chances[COUNT])))
        wanted = [(None, None)] * len(groups)
    shapes, colors = [], []
    for (color, shape), group in zip(wanted, groups):
        drawn = int(len(COLORS) * chances[COLOR + group])
        if drawn == background:
            drawn = (drawn + 1) % len(COLORS)
        colors.append(drawn if color is None else NAMES.index(color))
        shapes.append(int(len(SHAPES) * chances[SHAPE + group]) if shape is None else SHAPES.index(shape))
    return np.array(shapes), np.array(colors), background


def lay_out(picture, numbers, width, height):
    """The layout of a picture of `width` x `height` sides that 32 normal numbers decide."""
    chances = HALF_ERRORS(numbers).clip(0, 1 - 1e-6)
    shapes, colors, background = resolve(picture, chances)
    count = len(shapes)
    own = chances[: OWN * MOST].reshape(MOST, OWN)[:count]
    smallest, largest = SIZES[count]
    sizes = smallest + (largest - smallest) * own[:, 2]
    middles = beside(picture.relation, chances, sizes, own, width, height) if picture.relation else around(chances, sizes, own, width, height)
    places = np.concatenate((middles - [width / 2, height / 2], sizes[:, None], TILT * (2 * own[:, 3:] - 1)), 1)
    return Layout(shapes, colors, places, background)


def beside(relation, chances, sizes, own, width, height):
    """Two shapes one after the other along an axis, nearly in line."""
    upright = relation in ("above", "below")
    length, breadth = (height, width) if upright else (width, height)
    order = [0, 1] if relation in ("above", "to the left of") else [1, 0]
    reach = REACH * sizes
    slack = max(0.0, length - 2 * MARGIN - GAP - 2 * reach.sum())
    along, across = np.zeros(2), np.zeros(2)
    along[order[0]] = MARGIN + reach[order[0]] + 0.5 * slack * chances[START]
    along[order[1]] = length - MARGIN - reach[order[1]] - 0.5 * slack * chances[END]
    free = breadth / 2 - MARGIN - reach.max() - 0.08
    across[:] = breadth / 2 + free * (2 * chances[COMMON] - 1) + 0.08 * (2 * own[:, 0] - 1)
    return np.stack((across, along) if upright else (along, across), 1)


def around(chances, sizes, own, width, height):
    """Shapes on a ring, or one anywhere."""
    count = len(sizes)
    if count == 1:
        free = np.array([width, height]) / 2 - MARGIN - REACH * sizes[0]
        return np.array([[width, height]]) / 2 + free * (2 * chances[[ACROSS, DOWN]] - 1)
    stretch = np.minimum([width, height], 1.6)
    free = (np.array([width, height]) - stretch) / 2
    angles = 2 * math.pi * (chances[RING] + np.arange(count) / count)
    ring = RING_RADIUS[count] * np.stack((np.cos(angles), np.sin(angles)), 1) * stretch
    return np.array([width, height]) / 2 + 0.8 * free * (2 * chances[[ACROSS, DOWN]] - 1) + ring + 0.02 * (2 * own[:, :2] - 1)
