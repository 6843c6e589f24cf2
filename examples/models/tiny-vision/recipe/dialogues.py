"""Questions about scenes, with their answers."""

from collections import Counter

import neighbours  # noqa: F401
from palette import NAMES
from prompts import SHAPES
from scenes import article, counted, describe, sentence
from world import NUMBER_NAMES, RELATIONS, plural

DESCRIBE = [
    "What is in this picture?", "What is in this picture?", "what is in this picture", "What's in this picture?", "what's in this image?", "What is in this image?", "What is in the picture?", "What's in the image?",
    "What do you see?", "what do you see", "What can you see in this picture?", "What can you see?", "Describe this picture.", "Describe the picture.", "describe this image", "Describe the image.", "Describe it.",
    "What does this picture show?", "What does the image show?", "What is shown here?", "What is this?", "Describe what you see.", "Please describe the picture.", "Describe this picture in one sentence.",
    "What's on this picture?", "What is on the image?", "Tell me what you see.", "Describe this drawing.", "What is drawn here?", "What is in the drawing?", "Say what you see.", "",
]
BLIND = "I see no picture."
FALLBACK = "I only know pictures of colored shapes."
OFF_WORLD = ["Who are you?", "Tell me a joke.", "What is the weather?", "Hello", "Hi!", "Who wrote this?", "What time is it?", "Write a poem.", "How are you?", "What is two plus two?"]


def number(count, singular):
    if count == 1:
        return f"there is one {singular}"
    return f"there are {NUMBER_NAMES[count]} {plural(singular)}" if count else f"there are no {plural(singular)}"


class Asker:
    """Draws questions about a scene by a random generator."""

    def __init__(self, random):
        self.random, self.pick = random, random.choice

    def dialogue(self, scene, turns):
        """Pairs of question and answer; most begin with a description."""
        asked = [self.description(scene)] if self.random.random() < 0.7 else []
        while len(asked) < turns:
            asked.append(self.question(scene))
        return asked

    def description(self, scene):
        return self.pick(DESCRIBE), describe(scene)

    def question(self, scene):
        if self.random.random() < 0.04:
            return self.pick(OFF_WORLD), FALLBACK
        if not scene.things:
            return self.pick([self.count_all, self.ground, self.is_there])(scene)
        kinds = [self.count_all, self.count_some, self.ground, self.is_there, self.color_of, self.shape_of]
        kinds += [self.neighbour, self.neighbour, self.place, self.place] if scene.pair else []
        return self.pick(kinds)(scene)

    def count_all(self, scene):
        question = self.pick(["How many shapes are there?", "How many shapes do you see?", "how many shapes", "How many shapes are in the picture?", "How many things are there?", "Count the shapes."])
        return question, sentence(number(len(scene.things), "shape"))

    def count_some(self, scene):
        thing = self.pick(scene.things)
        shape = thing.shape if self.random.random() < 0.8 else self.pick(SHAPES)
        color = thing.color if self.random.random() < 0.4 else None
        words = f"{color} {shape}" if color else shape
        count = sum(other.shape == shape and color in (None, other.color) for other in scene.things)
        question = self.pick(["How many {} are there?", "how many {} are there", "How many {} do you see?", "How many {} are in the picture?"]).format(plural(words))
        return question, sentence(number(count, words))

    def ground(self, scene):
        question = self.pick(["What color is the background?", "what color is the background", "What is the color of the background?", "Which color does the background have?"])
        return question, f"The background is {scene.background}."

    def is_there(self, scene):
        if scene.things and self.random.random() < 0.5:
            color, shape = self.pick(scene.things).kind
        elif scene.things and self.random.random() < 0.5:
            color, shape = self.pick(scene.things).color, self.pick(scene.things).shape
        else:
            color, shape = self.pick(NAMES), self.pick(SHAPES)
        question = self.pick(["Is there {}?", "is there {}", "Do you see {}?", "Can you see {}?", "Is {} in the picture?"]).format(article(f"{color} {shape}"))
        if any(thing.kind == (color, shape) for thing in scene.things):
            return question, f"Yes, there is {article(f'{color} {shape}')}."
        return question, f"No, there is no {color} {shape}."

    def color_of(self, scene):
        """About shapes that have one color."""
        colors = {shape: {thing.color for thing in scene.things if thing.shape == shape} for shape in {thing.shape for thing in scene.things}}
        clear = sorted(shape for shape, of in colors.items() if len(of) == 1)
        if not clear:
            return self.count_all(scene)
        shape = self.pick(clear)
        if Counter(thing.shape for thing in scene.things)[shape] > 1:
            return self.pick(["What color are the {}?", "what color are the {}", "Which color do the {} have?"]).format(plural(shape)), f"The {plural(shape)} are {min(colors[shape])}."
        return self.pick(["What color is the {}?", "what color is the {}", "Which color does the {} have?", "What is the color of the {}?"]).format(shape), f"The {shape} is {min(colors[shape])}."

    def shape_of(self, scene):
        """About colors that one thing has."""
        clear = sorted(color for color, count in Counter(thing.color for thing in scene.things).items() if count == 1)
        if not clear:
            return self.count_all(scene)
        color = self.pick(clear)
        shape = next(thing.shape for thing in scene.things if thing.color == color)
        return self.pick(["What shape is {}?", "which shape is {}?", "What is {}?", "What shape is the {} one?", "What is the {} shape?"]).format(color), f"The {shape} is {color}."

    def neighbour(self, scene):
        first, second, relation = scene.pair
        if self.random.random() < 0.5:
            first, second, relation = second, first, RELATIONS[relation]
        return self.pick(["What is {} the {}?", "what is {} the {}?", "What do you see {} the {}?"]).format(relation, " ".join(second.kind)), sentence(counted(*first.kind, 1))

    def place(self, scene):
        first, second, relation = scene.pair
        if self.random.random() < 0.5:
            first, second, relation = second, first, RELATIONS[relation]
        return self.pick(["Where is the {}?", "where is the {}?", "Where do you see the {}?"]).format(" ".join(first.kind)), sentence(f"{relation} the {' '.join(second.kind)}")
