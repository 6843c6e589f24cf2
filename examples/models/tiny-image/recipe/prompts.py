"""What can be asked for, in many wordings."""

import random
import sys
from dataclasses import dataclass
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[2] / "tiny-chat" / "recipe"))

from world import COLORS, NUMBER_NAMES, RELATIONS, SHAPES, Words, bucket, plural  # noqa: E402

BACKGROUNDS = ["white", "gray", *COLORS]
MOST = 4
HELD_OUT = 3

WORDINGS = {
    "above": ["above", "above", "above", "over", "on top of"],
    "below": ["below", "below", "below", "under", "beneath", "underneath"],
    "to the left of": ["to the left of", "to the left of", "left of", "on the left of"],
    "to the right of": ["to the right of", "to the right of", "right of", "on the right of"],
}
WITH = {"above": "above it", "below": "below it", "to the left of": "to the left of it", "to the right of": "to the right of it"}
FRAMES = ["{}"] * 12 + [
    "draw {}", "Draw {}.", "draw me {}", "paint {}", "Paint {}.", "please draw {}", "can you draw {}?", "show me {}", "I want {}", "create {}", "make {}", "generate {}",
    "a picture of {}", "a picture of {}", "A picture of {}.", "an image of {}", "a drawing of {}", "a painting of {}", "an illustration of {}", "picture of {}", "image of {}",
    "draw a picture of {}", "make an image of {}", "create an image of {}", "generate a picture of {}", "a scene with {}", "a picture with {}", "draw a scene with {}", "a picture that shows {}",
    "there is {}", "there are {}", "The picture shows {}.", "I see {}.", "imagine {}",
]
ENDINGS = [""] * 14 + [", please", " please", ", simple", ", flat colors", ", minimal", ", high quality", ", vector art", "!"]
ADJECTIVES = "nice pretty shiny bright dark light simple perfect single beautiful flat bold plain lovely little big large small".split()
ANYTHING = ["a picture", "surprise me", "draw something", "something", "anything", "a scene", "some shapes", "shapes", "a random scene", "draw a picture", "draw whatever you like"]


@dataclass(frozen=True)
class Group:
    """`count` like shapes; None where color or shape is left open."""

    color: str | None
    shape: str | None
    count: int = 1


@dataclass(frozen=True)
class Picture:
    """What a prompt asks for: shapes in the order of mention, at most four; none where anything goes."""

    groups: tuple
    relation: str | None = None
    background: str | None = None

    @property
    def shapes(self):
        return [(group.color, group.shape) for group in self.groups for _ in range(group.count)]

    @property
    def held_out(self):
        """One in ten combinations is kept from the training; the pairs are those that tiny-chat keeps."""
        if len(self.groups) == 2:
            first, second = ((group.color, group.shape) for group in self.groups)
            return HELD_OUT in (bucket(*first, *second), bucket(*second, *first))
        return any(group.count > 1 and bucket(group.color, group.shape, group.count) == HELD_OUT for group in self.groups)


def article(words):
    return ("an " if words[0] in "aeiou" else "a ") + words


class PromptMaker:
    """Draws pictures with prompts that ask for them."""

    def __init__(self, seed):
        self.random = random.Random(seed)

    def pair(self):
        """A prompt of any kind for training, with its picture; never a held-out one, nor one that asks for what can't be seen."""
        while True:
            text, picture = self.draw()
            if not picture.held_out and picture.background not in [group.color for group in picture.groups]:
                return text, picture

    def draw(self):
        kind = self.random.random()
        if kind < 0.06:
            return self.nothing(), Picture(())
        if kind < 0.18:
            picture = Picture((self.group(),), None, self.background())
        elif kind < 0.58:
            picture = Picture(self.different(2), self.random.choice(list(RELATIONS)), self.background())
        elif kind < 0.76:
            picture = Picture((self.group(self.random.choice([2, 3, 4])),), None, self.background())
        elif kind < 0.88:
            picture = Picture(self.different(self.random.choice([2, 2, 3, 4])), None, self.background())
        else:
            first = self.random.choice([1, 2, 3])
            picture = Picture((self.group(first), self.group(self.random.randint(1, MOST - first))), None, self.background())
        return self.word(picture), picture

    def different(self, count):
        groups = ()
        while len(set(groups)) < count:
            groups = tuple(self.group() for _ in range(count))
        return groups

    def group(self, count=1):
        color, shape = self.random.choice(COLORS), self.random.choice(SHAPES)
        if self.random.random() < 0.04:
            color = self.random.choice([None, "white", "gray"])
        elif self.random.random() < 0.03:
            shape = None
        return Group(color, shape, count)

    def background(self):
        return self.random.choice(BACKGROUNDS) if self.random.random() < 0.25 else None

    def nothing(self):
        return "" if self.random.random() < 0.6 else self.random.choice(FRAMES).format(self.random.choice(ANYTHING))

    def word(self, picture):
        pick = self.random.choice
        phrases = [self.phrase(group) for group in picture.groups]
        if picture.relation and self.random.random() < 0.12:
            words = f"{phrases[0]} with {phrases[1]} {WITH[RELATIONS[picture.relation]]}"
        elif picture.relation:
            words = f"{phrases[0]} {pick(WORDINGS[picture.relation])} {phrases[1]}"
        elif len(phrases) > 1:
            words = ", ".join(phrases[:-1]) + pick([" and ", " and ", ", and ", " next to " if len(picture.shapes) == 2 else " and "]) + phrases[-1]
        else:
            words = phrases[0]
        if picture.background:
            name = "grey" if picture.background == "gray" and self.random.random() < 0.2 else picture.background
            words = self.with_background(words, name)
        text = pick(FRAMES).format(words)
        return (text[:1].upper() + text[1:] if self.random.random() < 0.1 else text) + pick(ENDINGS)

    def with_background(self, words, name):
        form = self.random.random()
        if form < 0.6:
            return f"{words} on {article(name)} background"
        return self.random.choice([f"{words} with {article(name)} background", f"{words} against {article(name)} background", f"{words}, {name} background", f"{words} on {name}"])

    def phrase(self, group):
        shape = group.shape or self.random.choice(["shape", "thing"])
        if group.count == 1 and group.shape is None and group.color and self.random.random() < 0.5:
            return f"something {group.color}"
        color = "grey" if group.color == "gray" and self.random.random() < 0.3 else group.color
        words = f"{color} {plural(shape) if group.count > 1 else shape}" if color else plural(shape) if group.count > 1 else shape
        if group.count == 1:
            return self.random.choice([article(words)] * 12 + [f"one {words}", f"the {words}", words])
        return f"{self.random.choice([NUMBER_NAMES[group.count]] * 4 + [str(group.count)])} {words}"


class Strangeness:
    """Words that change nothing, so that prompts with some that were never seen are understood too."""

    def __init__(self, seed):
        self.words = Words(seed)
        self.random = self.words.random

    def added_to(self, text, picture):
        chance = self.random.random()
        if not picture.groups and text and chance < 0.5:
            return self.random.choice(["{}", "a {}", "draw a {}", "a picture of a {}", "the {}"]).format(self.strange(self.random.randint(1, 3)))
        if picture.groups and chance < 0.1:
            words = text.split(" ")
            places = [place for place, word in enumerate(words) if word in COLORS and place and words[place - 1] != "on"]
            if places:
                words.insert(self.random.choice(places), self.random.choice([*ADJECTIVES, self.strange(1)]))
            return " ".join(words)
        if picture.groups and chance < 0.16:
            return text + self.random.choice([", {}", " in {} style", " by {}", ", very {}", " for {}"]).format(self.strange(self.random.randint(1, 3)))
        return text

    def strange(self, count):
        return " ".join(self.words.pseudo_word() for _ in range(count))
