"""Scenes as tiny-image paints them, and the truth about them in words."""

from collections import Counter
from dataclasses import dataclass

import neighbours  # noqa: F401
import numpy as np
from layout import MARGIN, REACH, lay_out
from palette import NAMES
from prompts import SHAPES, Group, Picture
from world import NUMBER_NAMES, plural


@dataclass(frozen=True)
class Thing:
    """A shape with the place of its middle, in sides: the shorter side of the picture is 1."""

    color: str
    shape: str
    x: float
    y: float

    @property
    def kind(self):
        return self.color, self.shape


@dataclass(frozen=True)
class Scene:
    things: tuple
    background: str

    @property
    def kinds(self):
        """How often each kind is there, in the order of colors and shapes."""
        counts = Counter(thing.kind for thing in self.things)
        return sorted(counts.items(), key=lambda item: (NAMES.index(item[0][0]), SHAPES.index(item[0][1])))

    @property
    def pair(self):
        """The two things of a scene of two kinds, the upper or left one first, and how they stand; else None."""
        if len(self.things) != 2 or self.things[0].kind == self.things[1].kind:
            return None
        first, second = self.things
        across, down = second.x - first.x, second.y - first.y
        upright = abs(down) > abs(across)
        if (down if upright else across) < 0:
            first, second = second, first
        return first, second, "above" if upright else "to the left of"

    @property
    def held_out(self):
        """Whether tiny-image keeps such a combination from its training."""
        return Picture(tuple(Group(color, shape, count) for (color, shape), count in self.kinds)).held_out


def article(words):
    return ("an " if words[0] in "aeiou" else "a ") + words


def counted(color, shape, count):
    return article(f"{color} {shape}") if count == 1 else f"{NUMBER_NAMES[count]} {color} {plural(shape)}"


def join(parts):
    return parts[0] if len(parts) == 1 else ", ".join(parts[:-1]) + " and " + parts[-1]


def sentence(words):
    return words[0].upper() + words[1:] + "."


def describe(scene):
    """The one right description of a scene."""
    if not scene.things:
        words = "nothing"
    elif pair := scene.pair:
        first, second, relation = pair
        words = f"{counted(*first.kind, 1)} {relation} {counted(*second.kind, 1)}"
    else:
        words = join([counted(*kind, count) for kind, count in scene.kinds])
    if scene.background != "white":
        words += f" on {article(scene.background)} background"
    return sentence(words)


def scene_of(layout):
    """The scene that a layout of tiny-image lays out."""
    things = tuple(Thing(NAMES[color], SHAPES[shape], float(x), float(y)) for shape, color, (x, y, *_) in zip(layout.shapes, layout.colors, layout.places))
    return Scene(things, NAMES[layout.background])


ALONE, NOTHING = 1 / 8, 1 / 30
# Sides of shapes that are alone; `tiny-image` paints them up to 0.6.
ALONE_SIZES = 0.3, 0.75


def enlarge(layout, numbers, width, height):
    """Gives the only shape of a layout another size, and a place where it fits."""
    size = numbers.uniform(*ALONE_SIZES)
    free = np.array([width, height]) / 2 - MARGIN - REACH * size
    layout.places[0, :2], layout.places[0, 2] = free.clip(0) * numbers.uniform(-1, 1, 2), size


def draw_layout(maker, numbers, sides):
    """A layout that the training may see, for a prompt that `maker` draws or, in one of eight, for one shape of any size; in one of thirty nothing is there."""
    while True:
        alone = maker.random.random() < ALONE
        picture = Picture((maker.group(),), None, maker.background()) if alone else maker.pair()[1]
        layout = lay_out(picture, numbers.standard_normal(32).astype(np.float32), *sides)
        if alone:
            enlarge(layout, numbers, *sides)
        if maker.random.random() < NOTHING:
            layout.shapes, layout.colors, layout.places = layout.shapes[:0], layout.colors[:0], layout.places[:0]
        if not scene_of(layout).held_out and layout.background not in layout.colors:
            return layout
