"""Outlines and masks of the shapes."""

import math

import numpy as np
from PIL import Image, ImageDraw, ImageFilter

MARGIN = 0.3


def regular(count, turn=0.0, radii=(1.0,)):
    angles = math.radians(turn) + 2 * math.pi * np.arange(count) / count
    lengths = np.resize(radii, count)
    return np.stack((lengths * np.sin(angles), -lengths * np.cos(angles)), 1)


def cross(arm):
    corner = [(arm, -1), (arm, -arm), (1, -arm)]
    turns = [np.array([[math.cos(a), -math.sin(a)], [math.sin(a), math.cos(a)]]) for a in (0, math.pi / 2, math.pi, 1.5 * math.pi)]
    return np.concatenate([np.array(corner) @ turn.T for turn in turns])


def outline(rng, shape):
    """Points of the shape around the origin; turned, stretched and bent only so far that it keeps its name."""
    stretch, turn = rng.uniform(0.88, 1.14), rng.gauss(0, 4)
    if shape == "circle":
        points, stretch = regular(48), rng.uniform(0.93, 1.07)
    elif shape == "square":
        points, turn = regular(4, 45), max(-14, min(14, turn))
    elif shape == "triangle":
        points, stretch, turn = regular(3), rng.uniform(0.8, 1.2), turn if rng.random() < 0.55 else rng.uniform(0, 360)
    elif shape == "diamond":
        points, stretch, turn = regular(4), rng.choice([rng.uniform(0.6, 0.9), rng.uniform(0.8, 1.25)]), max(-12, min(12, turn))
    elif shape == "cross":
        points, turn = cross(rng.uniform(0.22, 0.42)), turn if rng.random() < 0.6 else rng.uniform(0, 90)
    else:
        points, turn = regular(10, 0, (1.0, rng.uniform(0.38, 0.52))), turn if rng.random() < 0.6 else rng.uniform(0, 72)
    if rng.random() < 0.25:
        waves, phase = rng.choice([2, 3]), rng.uniform(0, 6.3)
        points = points * (1 + rng.uniform(0, 0.04) * np.cos(waves * np.arctan2(points[:, 1], points[:, 0]) + phase))[:, None]
    cos, sin = math.cos(math.radians(turn)), math.sin(math.radians(turn))
    return (points * [stretch, 1]) @ np.array([[cos, sin], [-sin, cos]])


def draw_masks(rng, points, size, border, softness):
    """The mask of the whole shape, that of its fill, and its box in them; `size`, `border` and `softness` are in pixels.

    Drawn on a finer grid and shrunk, so that edges are smooth. A soft mask has round corners and wide edges.
    """
    fine = 4 if size < 64 else 2
    points = points - (points.max(0) + points.min(0)) / 2
    points = points * (size / np.ptp(points, 0).max())
    middle = math.ceil(size * (0.5 + MARGIN)) + 1 + np.array([rng.random(), rng.random()])
    side = 2 * math.ceil(size * (0.5 + MARGIN)) + 3

    def mask_of(shape_points):
        mask = Image.new("L", (side * fine, side * fine))
        ImageDraw.Draw(mask).polygon([tuple(point) for point in (shape_points + middle) * fine], fill=255)
        return mask.filter(ImageFilter.GaussianBlur(softness * fine)) if softness else mask

    whole = mask_of(points)
    left, top, right, bottom = whole.point(lambda value: 255 * (value >= 128)).getbbox() or (0, 0, 0, 0)
    inner = mask_of(points * (1 - 2 * border / size)) if border else whole
    return whole.reduce(fine), inner.reduce(fine), np.array([left, top, right, bottom]) / fine
