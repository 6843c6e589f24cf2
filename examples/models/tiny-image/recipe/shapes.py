"""Outlines of the shapes, their signed distances, and pictures painted with them."""

import math

import torch
from torch.nn import functional

from palette import code_table, pixel_table
from prompts import SHAPES

# Distances are looked up in tables that reach this far from the middle, in halves of the shape's size.
REACH, CELLS = 3.0, 768
# Half the width of a soft edge, in pixels of whatever is painted.
SOFTNESS = 1.0


def regular(count, turn=0.0, radii=(1.0,)):
    angles = math.radians(turn) + 2 * math.pi * torch.arange(count) / count
    lengths = torch.tensor(radii).repeat(count // len(radii))
    return torch.stack((lengths * angles.sin(), -lengths * angles.cos()), 1)


def cross(arm):
    x = torch.tensor([arm, arm, 1, 1, arm, arm, -arm, -arm, -1, -1, -arm, -arm])
    return torch.stack((x, x.roll(-3)), 1)


OUTLINES = {
    "circle": regular(180),
    "square": regular(4, 45, (1.13,)),
    "triangle": regular(3, 0, (1.12,)),
    "diamond": regular(4, 0, (1.1,)) * torch.tensor([0.88, 1.0]),
    "cross": cross(0.34),
    "star": regular(10, 0, (1.15, 0.5)),
}


def distances_to(outline, points):
    """Signed distances [n] of points [n, 2] to a closed line, below zero inside."""
    ends = outline.roll(-1, 0)
    sides, ways = ends - outline, points[:, None] - outline
    shares = ((ways * sides).sum(-1) / (sides**2).sum(-1)).clamp(0, 1)
    nearest = (ways - shares[..., None] * sides).norm(dim=-1).amin(1)
    x, y = points[:, None, 0], points[:, None, 1]
    crossed = ((outline[:, 1] <= y) != (ends[:, 1] <= y)) & (x < outline[:, 0] + (y - outline[:, 1]) / (ends[:, 1] - outline[:, 1]).where(sides[:, 1] != 0, torch.ones(())) * sides[:, 0])
    return torch.where(crossed.sum(1) % 2 == 1, -nearest, nearest)


def distance_tables():
    """[6, rows, columns]"""
    line = torch.linspace(-REACH, REACH, CELLS + 1)
    points = torch.stack(torch.meshgrid(line, line, indexing="xy"), -1).reshape(-1, 2)
    tables = [torch.cat([distances_to(outline, part) for part in points.split(20000)]) for outline in OUTLINES.values()]
    return torch.stack(tables).view(len(SHAPES), CELLS + 1, CELLS + 1)


class Painter:
    """Paints pictures of any number of pixels, as latent images and as pixels."""

    def __init__(self):
        self.tables, self.codes, self.pixels = distance_tables()[None, None], code_table(), pixel_table()

    def distances(self, shapes, points):
        """Distances [...] of points [..., 2] in halves of the shape's size, to the shapes with these numbers [...]."""
        far = (points.abs().amax(-1) - REACH).clamp(min=0)
        depth = shapes.expand(points.shape[:-1]) * 2.0 / (len(SHAPES) - 1) - 1
        grid = torch.cat((points / REACH, depth[..., None]), -1).reshape(1, 1, 1, -1, 3)
        return functional.grid_sample(self.tables, grid, padding_mode="border", align_corners=True).view(points.shape[:-1]) + far

    def cover(self, shapes, places, points):
        """How much of the pixels around the points is covered by each shape: [batch, shapes, h, w] from 0 to 1.

        Points [h, w, 2] and `places` [batch, shapes, 4] (middle x and y, size, tilt) are in pixels.
        """
        away = points - places[:, :, None, None, :2]
        cos, sin = places[..., 3].cos()[..., None, None], places[..., 3].sin()[..., None, None]
        half = places[..., 2, None, None] / 2
        turned = torch.stack((cos * away[..., 0] + sin * away[..., 1], cos * away[..., 1] - sin * away[..., 0]), -1) / half[..., None]
        return (0.5 - self.distances(shapes[..., None, None].float(), turned) * half / (2 * SOFTNESS)).clamp(0, 1)

    def paint(self, table, cover, colors, backgrounds):
        """[batch, channels, h, w] of covers, color numbers [batch, shapes] and [batch]."""
        ground = table[backgrounds][:, :, None, None]
        return ground + torch.einsum("bnhw,bnc->bchw", cover, table[colors] - table[backgrounds][:, None])


def pixel_middles(height, width):
    """[height, width, 2]"""
    return torch.stack(torch.meshgrid(torch.arange(width) + 0.5, torch.arange(height) + 0.5, indexing="xy"), -1)
