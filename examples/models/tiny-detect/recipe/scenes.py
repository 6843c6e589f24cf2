"""Random scenes of coloured shapes, as pictures with boxes."""

import io
import math
import random
from dataclasses import dataclass

import numpy as np
from PIL import Image, ImageDraw, ImageFilter

from classes import COLORS, NAMES, SHAPES, draw_color
from shapes import draw_masks, outline

PADDING = (114, 114, 114)
SMALLEST, LARGEST = 0.04, 0.6
# Below ten pixels nobody can tell the shapes apart; below this distance of colours nobody can see them.
FEWEST_PIXELS = 10
LEAST_CONTRAST = 42
MOST_COVERED = 0.35


@dataclass
class Scene:
    """A picture, its boxes as [n, 4] x1 y1 x2 y2 in pixels, and their classes as [n]."""

    image: Image.Image
    boxes: np.ndarray
    labels: np.ndarray


def any_color(rng):
    kind = rng.random()
    if kind < 0.25:
        return draw_color(rng, rng.choice(list(COLORS)))
    if kind < 0.5:
        gray = rng.randrange(256)
        return tuple(max(0, min(255, gray + rng.randint(-12, 12))) for _ in range(3))
    return tuple(rng.randrange(256) for _ in range(3))


def nearby(rng, color, distance):
    return tuple(max(0, min(255, round(channel + rng.uniform(-distance, distance)))) for channel in color)


def grid(rng, colors, columns, rows, size, method):
    """A coarse grid of colours, enlarged: gradients, clouds, stripes and tiles."""
    cells = np.array([rng.choice(colors) for _ in range(columns * rows)], np.uint8).reshape(rows, columns, 3)
    return Image.fromarray(cells).resize(size, method)


def background(rng, size):
    kind, color = rng.random(), any_color(rng)
    if kind < 0.3:
        color = rng.choice([(255, 255, 255), draw_color(rng, "white"), draw_color(rng, "gray"), draw_color(rng, "black"), color, color])
        return Image.new("RGB", size, color)
    if kind < 0.55:
        columns, rows = rng.choice([(2, 1), (1, 2), (2, 2), (3, 3)])
        return grid(rng, [color, any_color(rng), nearby(rng, color, 60)], columns, rows, size, Image.Resampling.BICUBIC)
    if kind < 0.8:
        columns = rng.choice([4, 6, 10, 16, 32, 64])
        colors = [nearby(rng, color, rng.choice([20, 45, 80])) for _ in range(12)]
        return grid(rng, colors, columns, columns, size, Image.Resampling.BICUBIC)
    colors = [color, nearby(rng, color, rng.choice([15, 30]))]
    columns, rows = rng.choice([(1, 12), (12, 1), (1, 30), (30, 1), (8, 8), (20, 20)])
    return grid(rng, colors, columns, rows, size, Image.Resampling.NEAREST if rng.random() < 0.7 else Image.Resampling.BILINEAR)


def clutter(rng, canvas):
    """Lines, bars and long ellipses, which are none of the shapes."""
    draw, (width, height) = ImageDraw.Draw(canvas), canvas.size
    for _ in range(rng.randint(1, 4)):
        color, thick = any_color(rng), max(1, round(max(width, height) * rng.uniform(0.002, 0.012)))
        if rng.random() < 0.6:
            draw.line([(rng.uniform(0, width), rng.uniform(0, height)) for _ in range(rng.randint(2, 4))], fill=color, width=thick)
        else:
            long, short = max(width, height) * rng.uniform(0.06, 0.4), thick * rng.uniform(1, 3)
            short = min(short, long / 2.6)
            x, y = rng.uniform(0, width), rng.uniform(0, height)
            box = (x, y, x + long, y + short) if rng.random() < 0.5 else (x, y, x + short, y + long)
            (draw.rectangle if rng.random() < 0.5 else draw.ellipse)(box, fill=color)


def covered(boxes, box):
    """The share of every one of the boxes that the new one covers."""
    overlap = np.minimum(boxes[:, 2:], box[2:]) - np.maximum(boxes[:, :2], box[:2])
    return overlap.clip(0).prod(1) / (boxes[:, 2:] - boxes[:, :2]).prod(1)


def stands_out(canvas, box, mask, color):
    """Whether nearly all that lies under the mask differs from the colour."""
    side = min(12, mask.width)
    under = np.asarray(canvas.crop(box).resize((side, side), Image.Resampling.NEAREST), np.float32)
    distance = np.sqrt(((under - np.array(color, np.float32)) ** 2).sum(-1))
    return (distance >= LEAST_CONTRAST).mean() > 0.85


class Painter:
    """Paints one scene, shape by shape."""

    def __init__(self, rng, size):
        self.rng = rng
        self.canvas = background(rng, size)
        self.long_side = max(size)
        self.smallest = max(SMALLEST, FEWEST_PIXELS / self.long_side)
        self.softness = rng.uniform(0.01, 0.07) if rng.random() < 0.25 else 0.0
        self.boxes, self.seen, self.labels = np.zeros((0, 4)), np.zeros(0), []

    def add_shape(self):
        rng, (width, height) = self.rng, self.canvas.size
        color, shape = rng.randrange(len(COLORS)), rng.randrange(len(SHAPES))
        largest = max(self.smallest, min(LARGEST, 0.85 * min(width, height) / self.long_side))
        size = self.long_side * math.exp(rng.uniform(math.log(self.smallest), math.log(largest)))
        border = size * rng.uniform(0.03, 0.09) if rng.random() < 0.3 and size > 16 else 0.0
        softness = self.softness * size if self.softness else 0.03 * size if rng.random() < 0.1 else 0.0
        whole, inner, box = draw_masks(rng, outline(rng, SHAPES[shape]), size, border, min(softness, 12))
        slack = 0.25 * size if rng.random() < 0.12 else 0.0
        extent = box[2:] - box[:2]
        if min(extent) < 0.6 * FEWEST_PIXELS or any(extent > [width, height]):
            return
        corner = np.round([rng.uniform(-slack, width - extent[0] + slack), rng.uniform(-slack, height - extent[1] + slack)] - box[:2]).astype(int)
        place = (*corner.tolist(), *(corner + whole.size).tolist())
        box = box + np.tile(corner, 2)
        clipped = np.clip(box, 0, [width, height, width, height])
        hidden = self.seen + covered(self.boxes, clipped)
        fill = draw_color(rng, list(COLORS)[color])
        if (clipped[2:] - clipped[:2]).prod() < 0.72 * extent.prod() or (hidden > MOST_COVERED).any():
            return
        if not stands_out(self.canvas, place, whole, fill):
            return
        self.paint(place, whole, inner, fill, border)
        self.boxes, self.seen = np.concatenate((self.boxes, clipped[None])), np.append(hidden, 0)
        self.labels.append(len(SHAPES) * color + shape)

    def paint(self, place, whole, inner, fill, border):
        rng = self.rng
        if rng.random() < 0.06:
            shift = round(whole.width * rng.uniform(0.02, 0.06))
            shadow = whole.filter(ImageFilter.GaussianBlur(max(1, shift / 2))).point(lambda value: value // 3)
            self.canvas.paste((0, 0, 0), (place[0] + shift, place[1] + shift), shadow)
        if border:
            dark = tuple(round(channel * 0.5) for channel in fill)
            edge = rng.choice([(0, 0, 0), (0, 0, 0), (255, 255, 255), dark, any_color(rng)])
            self.canvas.paste(edge, place[:2], whole)
        if rng.random() < 0.25:
            shades = [tuple(round(channel * factor) for channel in fill) for factor in (1, rng.uniform(0.86, 0.97))]
            self.canvas.paste(grid(rng, shades, *rng.choice([(1, 2), (2, 1), (2, 2), (5, 5)]), whole.size, Image.Resampling.BICUBIC), place[:2], inner)
        else:
            self.canvas.paste(fill, place[:2], inner)


def noisy(rng, image):
    """With a random change of every pixel, or of whole patches with soft edges."""
    width, height = image.size
    patch = rng.choice([1, 1, 1, 6, 12])
    shape = (height // patch + 1, width // patch + 1, 3) if patch > 1 else (height, width, rng.choice([1, 3]))
    change = np.random.default_rng(rng.getrandbits(32)).standard_normal(shape, np.float32) * rng.uniform(2, 16)
    if patch > 1:
        change = np.asarray(Image.fromarray((128 + change).clip(0, 255).astype(np.uint8)).resize(image.size, Image.Resampling.BICUBIC), np.float32) - 128
    return Image.fromarray((np.asarray(image) + change).clip(0, 255).astype(np.uint8))


def worn(rng, image):
    """The picture after what pictures suffer: blur, shrinking, light, noise, compression."""
    if rng.random() < 0.2:
        image = image.filter(ImageFilter.GaussianBlur(rng.uniform(0.3, 0.008 * max(image.size))))
    if rng.random() < 0.15:
        factor = rng.uniform(0.35, 0.8)
        small = image.resize([max(1, round(side * factor)) for side in image.size], Image.Resampling.BILINEAR)
        image = small.resize(image.size, rng.choice([Image.Resampling.BILINEAR, Image.Resampling.BICUBIC]))
    if rng.random() < 0.25:
        light = rng.uniform(0.9, 1.06)
        gains = [light * rng.uniform(0.96, 1.04) for _ in range(3)]
        image = Image.merge("RGB", [band.point(lambda value, gain=gain: min(255, round(value * gain))) for band, gain in zip(image.split(), gains)])
    if rng.random() < 0.25:
        image = noisy(rng, image)
    if rng.random() < 0.4:
        buffer = io.BytesIO()
        image.save(buffer, "JPEG", quality=rng.randint(40, 95), subsampling=rng.choice([0, 2]))
        image = Image.open(buffer).convert("RGB")
    return image


def make_scene(rng, size):
    """A scene of the given width and height, with up to ten shapes."""
    painter = Painter(rng, size)
    if rng.random() < 0.2:
        clutter(rng, painter.canvas)
    wanted = rng.choice([0, 1, 1, 2, 2, 3, 3, 4, 5, 6, 8, 10])
    for _ in range(3 * wanted):
        if len(painter.labels) < wanted:
            painter.add_shape()
    return Scene(worn(rng, painter.canvas), painter.boxes, np.array(painter.labels, np.int64))


def draw_size(rng, shortest, longest):
    """Width and height; the longer side in the given bounds, the ratio from 1:2 to 2:1."""
    long = round(math.exp(rng.uniform(math.log(shortest), math.log(longest))))
    short = long if rng.random() < 0.35 else round(long * rng.uniform(0.5, 1))
    return (long, short) if rng.random() < 0.5 else (short, long)


def letterbox(scene, side, method=Image.Resampling.BILINEAR):
    """The scene in the middle of a gray square, as [side, side, 3] bytes, with its boxes moved along."""
    width, height = scene.image.size
    scale = side / max(width, height)
    inner = (max(1, round(width * scale)), max(1, round(height * scale)))
    left, top = (side - inner[0]) // 2, (side - inner[1]) // 2
    canvas = Image.new("RGB", (side, side), PADDING)
    canvas.paste(scene.image.resize(inner, method), (left, top))
    return np.asarray(canvas), scene.boxes * scale + np.array([left, top, left, top])


def training_scene(seed, side):
    """A letterboxed scene for training; drawn smaller or larger than `side`, as real pictures are."""
    rng = random.Random(seed)
    scene = make_scene(rng, draw_size(rng, rng.choice([0.2, 0.4, 0.4]) * side, 1.25 * side))
    pixels, boxes = letterbox(scene, side, rng.choice([Image.Resampling.BILINEAR, Image.Resampling.BICUBIC, Image.Resampling.LANCZOS]))
    return pixels, boxes, scene.labels
