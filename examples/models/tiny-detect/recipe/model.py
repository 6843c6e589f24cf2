"""A small detector in the manner of YOLOv8: no anchor boxes, separate branches for boxes and classes, strides 8, 16 and 32.

Shape and colour are told apart by themselves; the exported score of a class is the product of both.
"""

from dataclasses import asdict, dataclass

import torch
from torch import nn
from torch.nn import functional

from classes import COLORS, SHAPES

STRIDES = (8, 16, 32)


@dataclass(frozen=True)
class ModelConfig:
    """Channels of the backbone at strides 2 to 32, of the neck at strides 8 to 32, and of the branches of the head."""

    backbone: tuple = (16, 32, 48, 80, 112)
    neck: tuple = (48, 64, 96)
    box: int = 32
    kind: int = 48


class Convolution(nn.Sequential):
    def __init__(self, inputs, outputs, kernel=1, stride=1):
        super().__init__(nn.Conv2d(inputs, outputs, kernel, stride, kernel // 2, bias=False), nn.BatchNorm2d(outputs, eps=1e-3, momentum=0.03), nn.SiLU())


class Stage(nn.Module):
    """Cross-stage partial block: half of the channels go through residual steps, and all intermediate results are joined."""

    def __init__(self, inputs, outputs, depth=1):
        super().__init__()
        half = outputs // 2
        self.split = Convolution(inputs, 2 * half)
        self.steps = nn.ModuleList(nn.Sequential(Convolution(half, half, 3), Convolution(half, half, 3)) for _ in range(depth))
        self.join = Convolution((2 + depth) * half, outputs)

    def forward(self, x):
        parts = list(self.split(x).chunk(2, 1))
        for step in self.steps:
            parts.append(parts[-1] + step(parts[-1]))
        return self.join(torch.cat(parts, 1))


class Pooling(nn.Module):
    """Spatial pyramid pooling: three poolings in a row see ever wider surroundings."""

    def __init__(self, channels):
        super().__init__()
        self.narrow = Convolution(channels, channels // 2)
        self.join = Convolution(2 * channels, channels)

    def forward(self, x):
        parts = [self.narrow(x)]
        for _ in range(3):
            parts.append(functional.max_pool2d(parts[-1], 5, 1, 2))
        return self.join(torch.cat(parts, 1))


class Head(nn.Module):
    """Per cell: logarithms of the distances to the four sides in strides, shape logits, colour logits."""

    def __init__(self, inputs, box, kind):
        super().__init__()
        self.box = nn.Sequential(Convolution(inputs, box, 3), nn.Conv2d(box, 4, 1))
        self.kind = nn.Sequential(Convolution(inputs, kind, 3), nn.Conv2d(kind, len(SHAPES) + len(COLORS), 1))
        nn.init.constant_(self.box[-1].bias, 0.7)
        nn.init.constant_(self.kind[-1].bias[: len(SHAPES)], -5.5)

    def forward(self, x):
        return torch.cat((self.box(x), self.kind(x)), 1)


class Detector(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.config = config
        first, second, *rest = config.backbone
        third, fourth, fifth = rest
        low, middle, high = config.neck
        self.stem = nn.Sequential(Convolution(3, first, 3, 2), Convolution(first, second, 3, 2))
        self.down8 = nn.Sequential(Convolution(second, third, 3, 2), Stage(third, third, 2))
        self.down16 = nn.Sequential(Convolution(third, fourth, 3, 2), Stage(fourth, fourth, 2))
        self.down32 = nn.Sequential(Convolution(fourth, fifth, 3, 2), Stage(fifth, fifth), Pooling(fifth))
        self.up16 = Stage(fifth + fourth, middle)
        self.up8 = Stage(middle + third, low)
        self.back16 = Convolution(low, low, 3, 2)
        self.out16 = Stage(low + middle, middle)
        self.back32 = Convolution(middle, middle, 3, 2)
        self.out32 = Stage(middle + fifth, high)
        self.heads = nn.ModuleList(Head(channels, config.box, config.kind) for channels in config.neck)

    def levels(self, images):
        """Raw maps [batch, 4 + shapes + colours, height / stride, width / stride] for the three strides."""
        at8 = self.down8(self.stem(images))
        at16 = self.down16(at8)
        at32 = self.down32(at16)
        wide16 = self.up16(torch.cat((functional.interpolate(at32, scale_factor=2.0), at16), 1))
        out8 = self.up8(torch.cat((functional.interpolate(wide16, scale_factor=2.0), at8), 1))
        out16 = self.out16(torch.cat((self.back16(out8), wide16), 1))
        out32 = self.out32(torch.cat((self.back32(out16), at32), 1))
        return [head(x) for head, x in zip(self.heads, (out8, out16, out32))]

    def forward(self, images):
        """Boxes x1 y1 x2 y2 in pixels [batch, n, 4], shape logits [batch, n, 6], colour logits [batch, n, 10], cell centres [n, 2]."""
        boxes, kinds, centers = [], [], []
        for level, stride in zip(self.levels(images), STRIDES):
            rows, columns = torch.arange(level.shape[2]), torch.arange(level.shape[3])
            y, x = torch.meshgrid(rows, columns, indexing="ij")
            center = (torch.stack((x, y), -1).reshape(-1, 2).float() + 0.5) * stride
            flat = level.float().flatten(2).transpose(1, 2)
            distance = flat[..., :4].clamp(max=5.0).exp() * stride
            boxes.append(torch.cat((center - distance[..., :2], center + distance[..., 2:]), -1))
            kinds.append(flat[..., 4:])
            centers.append(center)
        shapes, colors = torch.cat(kinds, 1).split((len(SHAPES), len(COLORS)), -1)
        return torch.cat(boxes, 1), shapes, colors, torch.cat(centers)


class Exported(nn.Module):
    """What the graph gives: [batch, 4 + classes, n] with centre, width and height in pixels, then the scores."""

    def __init__(self, detector):
        super().__init__()
        self.detector = detector

    def forward(self, images):
        boxes, shapes, colors, _ = self.detector(images)
        first, last = boxes.split(2, -1)
        scores = colors.softmax(-1)[..., None] * shapes.sigmoid()[..., None, :]
        return torch.cat(((first + last) / 2, last - first, scores.flatten(2)), -1).transpose(1, 2)


def save(path, model, weights, step):
    torch.save({"config": asdict(model.config), "weights": weights, "step": step}, path)


def load(path):
    checkpoint = torch.load(path)
    model = Detector(ModelConfig(**checkpoint["config"]))
    model.load_state_dict(checkpoint["weights"])
    return model.eval()
