"""The closed world: sixty classes, ten colours times six shapes."""

import colorsys

SHAPES = "circle square triangle diamond cross star".split()

# Hue in degrees, saturation and value; between two colours lies a gap, so that every fill has one right name.
COLORS = {
    "red": [((-8, 7), (0.78, 1), (0.65, 1))],
    "green": [((95, 150), (0.5, 1), (0.4, 1))],
    "blue": [((205, 245), (0.6, 1), (0.5, 1))],
    "yellow": [((50, 62), (0.65, 1), (0.85, 1))],
    "orange": [((23, 40), (0.8, 1), (0.88, 1))],
    "purple": [((268, 302), (0.5, 1), (0.45, 0.85))],
    "pink": [((320, 344), (0.3, 0.75), (0.93, 1)), ((340, 352), (0.2, 0.42), (0.96, 1))],
    "black": [((0, 360), (0, 0.3), (0, 0.13))],
    "white": [((0, 360), (0, 0.04), (0.95, 1))],
    "gray": [((0, 360), (0, 0.06), (0.36, 0.68))],
}

# The class of colour c and shape s has the number len(SHAPES) * c + s.
NAMES = [f"{color} {shape}" for color in COLORS for shape in SHAPES]


def draw_color(rng, name):
    """A fill that everybody would call by this name, as red, green, blue from 0 to 255."""
    hue, saturation, value = (rng.uniform(*bounds) for bounds in rng.choice(COLORS[name]))
    return tuple(round(255 * channel) for channel in colorsys.hsv_to_rgb(hue % 360 / 360, saturation, value))
