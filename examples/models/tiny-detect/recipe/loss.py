"""Which cells answer for which shape, and how far they are from the truth.

Cells are chosen by task alignment (TOOD, https://arxiv.org/abs/2108.07755): those whose score and box agree best with a shape.
"""

import math

import torch
from torch.nn import functional

from classes import SHAPES

CANDIDATES = 10
SCORE_POWER, OVERLAP_POWER = 0.5, 6.0
NARROWEST = 10.0
BOX_WEIGHT, SHAPE_WEIGHT, COLOR_WEIGHT = 4.0, 1.5, 1.0


def overlaps(first, second):
    """Intersection over union of boxes [..., 4], broadcast."""
    inner = (torch.minimum(first[..., 2:], second[..., 2:]) - torch.maximum(first[..., :2], second[..., :2])).clamp(min=0).prod(-1)
    areas = (first[..., 2:] - first[..., :2]).prod(-1) + (second[..., 2:] - second[..., :2]).prod(-1)
    return inner / (areas - inner + 1e-7)


def complete_overlaps(first, second):
    """Overlap less a share for the distance of the centres and for the ratio of the sides (CIoU, https://arxiv.org/abs/1911.08287)."""
    overlap = overlaps(first, second)
    outer = torch.maximum(first[..., 2:], second[..., 2:]) - torch.minimum(first[..., :2], second[..., :2])
    apart = (first[..., :2] + first[..., 2:] - second[..., :2] - second[..., 2:]).square().sum(-1) / 4
    sides, wanted = first[..., 2:] - first[..., :2], second[..., 2:] - second[..., :2]
    ratio = (4 / math.pi**2) * (torch.atan(wanted[..., 0] / wanted[..., 1]) - torch.atan(sides[..., 0] / sides[..., 1])).square()
    with torch.no_grad():
        weight = ratio / (1 - overlap + ratio + 1e-7)
    return overlap - apart / (outer.square().sum(-1) + 1e-7) - weight * ratio


@torch.no_grad()
def assign(boxes, shapes, colors, centers, truth, labels, real):
    """For every cell the number of its shape [batch, n] and how much it counts [batch, n], 0 for background.

    `truth` [batch, m, 4], `labels` [batch, m] and `real` [batch, m] are padded to the most shapes in a picture.
    """
    batch, count = boxes.shape[:2]
    scores = shapes.sigmoid().gather(2, (labels % len(SHAPES))[:, None].expand(-1, count, -1))
    scores = scores * colors.softmax(-1).gather(2, (labels // len(SHAPES))[:, None].expand(-1, count, -1))
    overlap = overlaps(truth[:, :, None], boxes[:, None])
    middle, half = (truth[..., :2] + truth[..., 2:]) / 2, ((truth[..., 2:] - truth[..., :2]) / 2).clamp(min=NARROWEST / 2)
    allowed = ((centers - middle[:, :, None]).abs() < half[:, :, None]).all(-1) & real[..., None]
    alignment = (scores.transpose(1, 2) ** SCORE_POWER * overlap**OVERLAP_POWER + 1e-12) * allowed
    chosen = torch.zeros_like(alignment).scatter_(2, alignment.topk(CANDIDATES, 2).indices, 1.0) * allowed
    # A cell that several shapes want belongs to the one that it overlaps most.
    owner = (overlap + 2 * chosen).argmax(1)
    chosen = chosen * functional.one_hot(owner, truth.shape[1]).transpose(1, 2)
    alignment, overlap = alignment * chosen, overlap * chosen
    weight = alignment / (alignment.amax(2, keepdim=True) + 1e-12) * overlap.amax(2, keepdim=True)
    return owner, weight.sum(1)


def loss_of(model, images, truth, labels, real):
    with torch.autocast("cpu", torch.bfloat16):
        boxes, shapes, colors, centers = model(images)
    owner, weight = assign(boxes, shapes, colors, centers, truth, labels, real)
    total = weight.sum().clamp(min=len(images))
    label = labels.gather(1, owner)
    wanted = functional.one_hot(label % len(SHAPES), len(SHAPES)) * weight[..., None]
    shape_loss = functional.binary_cross_entropy_with_logits(shapes, wanted, reduction="sum") / total
    rows, cells = weight.nonzero(as_tuple=True)
    share = weight[rows, cells] / total
    box_loss = (share * (1 - complete_overlaps(boxes[rows, cells], truth[rows, owner[rows, cells]]))).sum()
    color_loss = (share * functional.cross_entropy(colors[rows, cells], label[rows, cells] // len(SHAPES), reduction="none")).sum()
    # Which shape it is matters more than whether there is one: the latter is learned from all the empty cells at once.
    shape_loss = shape_loss + (share * functional.cross_entropy(shapes[rows, cells], label[rows, cells] % len(SHAPES), reduction="none")).sum()
    return BOX_WEIGHT * box_loss + SHAPE_WEIGHT * shape_loss + COLOR_WEIGHT * color_loss, (box_loss.item(), shape_loss.item(), color_loss.item())
