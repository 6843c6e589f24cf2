"""Says what is in a picture without any neural network: colors, connected regions, measures of their outlines."""

import colorsys
from collections import Counter
from dataclasses import dataclass

import numpy as np
from PIL import Image
from scipy import ndimage
from scipy.spatial import ConvexHull

SIDE = 384
DIRECTIONS = 72
# Of the area of a square as large as the shorter side.
SMALLEST = 0.008
# Hues in degrees, from each to the next: who calls a color so.
HUES = [(14, "red"), (44, "orange"), (75, "yellow"), (170, "green"), (255, "blue"), (312, "purple"), (346, "pink"), (361, "red")]


@dataclass(frozen=True)
class Found:
    color: str
    shape: str
    x: float
    y: float


def color_of(pixel):
    hue, saturation, value = colorsys.rgb_to_hsv(*(channel / 255 for channel in pixel))
    if value < 0.2:
        return "black"
    if saturation < 0.15:
        return "white" if value > 0.85 else "gray"
    name = next(name for edge, name in HUES if hue * 360 < edge)
    return "pink" if name == "red" and saturation < 0.65 else name


def turn_of(points):
    """The turn, 0 to 90 degrees, of the smallest rectangle around points [n, 2]."""
    turns = np.radians(np.arange(0, 90, 1.0))
    along = points @ np.stack((np.cos(turns), np.sin(turns)))
    across = points @ np.stack((-np.sin(turns), np.cos(turns)))
    areas = np.ptp(along, 0) * np.ptp(across, 0)
    return float(np.degrees(turns[areas.argmin()]))


def waves(mask):
    """How much the outline's distance from the middle swings three, four and five times on the way around, as shares of its mean."""
    rows, columns = np.nonzero(mask)
    x, y = columns - columns.mean(), rows - rows.mean()
    bins = ((np.arctan2(y, x) / (2 * np.pi) + 0.5) * DIRECTIONS).astype(int) % DIRECTIONS
    radii = np.zeros(DIRECTIONS)
    np.maximum.at(radii, bins, np.hypot(x, y))
    parts = np.abs(np.fft.rfft(radii)) / radii.sum()
    return parts[3:6]


def shape_of(mask):
    """Triangles swing three times, squares, diamonds and crosses four, stars five, circles not at all; crosses and stars have dents."""
    if mask.sum() < 20:
        return "unknown"
    rows, columns = np.nonzero(mask)
    corners = np.concatenate([np.stack((columns + x, rows + y), 1) for x in (0, 1) for y in (0, 1)]).astype(float)
    hull = ConvexHull(corners)
    filled, swings = mask.sum() / hull.volume, waves(mask)
    if swings.max() < 0.02:
        return "circle" if filled > 0.93 else "unknown"
    times = 3 + int(swings.argmax())
    if filled < 0.83:
        return {4: "cross", 5: "star"}.get(times, "unknown")
    if filled < 0.9 or times == 5:
        return "unknown"
    if times == 3:
        return "triangle"
    turn = turn_of(corners[hull.vertices])
    return "square" if min(turn, 90 - turn) < 22.5 else "diamond"


def half_way(pixels, ground, color):
    """Where pixels are nearer to the color than to the ground: edges lie where half of it is reached."""
    way = color - ground
    return (pixels - ground) @ way > 0.5 * (way @ way)


def largest(mask):
    regions, count = ndimage.label(mask)
    return regions == 1 + np.argmax(ndimage.sum(mask, regions, range(1, count + 1))) if count > 1 else mask


def analyse(pixels):
    """The background's color and what stands on it, from pixels [height, width, 3]."""
    image = Image.fromarray(pixels)
    scale = SIDE / min(image.size)
    image = image.resize([round(side * scale) for side in image.size], Image.Resampling.BOX if scale <= 1 else Image.Resampling.BILINEAR)
    pixels = np.asarray(image)
    edge = np.concatenate((pixels[0], pixels[-1], pixels[:, 0], pixels[:, -1]))
    ground = np.median(edge, 0)
    regions, count = ndimage.label(np.abs(pixels.astype(float) - ground).sum(2) > 60)
    found = []
    for number in range(1, count + 1):
        mask = regions == number
        if mask.sum() < SMALLEST * SIDE**2:
            continue
        middle = ndimage.binary_erosion(mask, iterations=3)
        inside = pixels[middle if middle.any() else mask]
        colors = Counter(color_of(pixel) for pixel in inside[:: max(1, len(inside) // 200)])
        color, share = colors.most_common(1)[0]
        y, x = ndimage.center_of_mass(mask)
        shape = shape_of(ndimage.binary_fill_holes(largest(mask & half_way(pixels, ground, np.median(inside, 0)))))
        found.append(Found(color if share > 0.8 * colors.total() else "mixed", shape, x / SIDE, y / SIDE))
    return color_of(ground), found


def stand_right(relation, first, second):
    across, down = second[0] - first[0], second[1] - first[1]
    if relation in ("above", "below"):
        return abs(down) > abs(across) and (down > 0) == (relation == "above")
    return abs(across) > abs(down) and (across > 0) == (relation == "to the left of")


def fits(picture, found):
    """Whether what was found, `(color, shape, x, y)`, is all that was asked for and no more, and stands as it should."""
    kinds = Counter((color, shape) for color, shape, *_ in found)
    if kinds != Counter(picture.shapes):
        return False
    if not picture.relation:
        return True
    places = {(color, shape): place for color, shape, *place in found}
    first, second = (places[kind] for kind in picture.shapes)
    return stand_right(picture.relation, first, second)
