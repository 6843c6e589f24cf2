"""The closed world: words, scenes of coloured shapes, sums. Grammar, generator and checkers."""

import random
import re
from dataclasses import dataclass
from pathlib import Path

COLORS = "red green blue yellow orange purple pink black".split()
SHAPES = "circle square triangle diamond cross star".split()
BACKGROUNDS = "white gray".split()
NUMBER_NAMES = {1: "one", 2: "two", 3: "three", 4: "four"}
RELATIONS = {
    "above": "below",
    "below": "above",
    "to the left of": "to the right of",
    "to the right of": "to the left of",
}

CITIES = (
    "Paris London Berlin Madrid Rome Vienna Prague Warsaw Dublin Athens Tokyo Seoul Delhi Cairo Lima Boston Chicago "
    "Denver Dallas Miami Toronto Sydney Munich Geneva Zürich Milan Turin Naples Porto Seville Kyoto Osaka Bangkok "
    "Manila Jakarta Nairobi Lagos Accra Havana Bogotá"
).split() + ["New York", "San Francisco", "Los Angeles", "Mexico City", "Buenos Aires", "San Francisco, CA", "Austin, TX"]
NAMES = (
    "Anna Ben Carla David Emma Frank Grace Hugo Ivan Julia Karl Laura Mike Nina Oscar Paula Tom Sara Leo Mia Alice Bob "
    "John Mary Peter Maria"
).split()
NOUNS = (
    "weather time forecast temperature news rate score price schedule population altitude currency menu map route hotel "
    "event holiday language height size train bus flight stock coupon book song movie recipe game photo alarm reminder "
    "message email note task meeting lamp light door room order ticket invoice user file playlist timer"
).split()
HELD_OUT_CITIES = (
    "Lisbon Oslo Helsinki Reykjavik Tashkent Montreal Vancouver Auckland Budapest Krakow Marseille Hamburg Santiago "
    "Caracas Kigali Hanoi Riga Tallinn Vilnius Sofia Bucharest Tbilisi Yerevan Doha Muscat"
).split() + ["Cape Town", "Hong Kong", "Rio de Janeiro"]
HELD_OUT_NAMES = "Zoe Mateo Ingrid Tomas Yuki Farid Priya Oskar Lena Walter Chloe Diego Hannah Kenji Olga".split()
HELD_OUT_NOUNS = (
    "moisture traffic tide pollen sunrise museum ferry parking rainfall thermostat parcel budget blog printer curtain "
    "podcast salary visa allergy warranty"
).split()
THINGS = "apples coins books pens cards cakes eggs balls stamps stickers oranges flowers".split()
HELD_OUT_THINGS = "marbles pencils candles tickets lemons shells".split()

PARTICLES = "of am on la el al du".split()
# Any word that is a single token may be a name somewhere, so that copying one doesn't depend on which word it is.
TOKEN_WORDS = [word for word in (Path(__file__).parent / "words.txt").read_text(encoding="utf-8").split("\n") if word.isalpha() and word.islower() and len(word) > 3]
CONSONANTS = "bcdfghjklmnprstvwyz"
VOWELS = "aeiou"
CHUNKS = "st tr sh th kr br ch ck ti on at ing ic al ff ll ee ou er an en qu ze ph".split()
SMALL_NUMBERS = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen"
).split()
TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()


def with_article(color):
    return ("an " if color[0] in VOWELS else "a ") + color


def plural(shape):
    return shape + ("es" if shape.endswith(("s", "x")) else "s")


def number_in_words(number):
    if number < 20:
        return SMALL_NUMBERS[number]
    tens = TENS[number // 10 - 2]
    return tens if number % 10 == 0 else f"{tens}-{SMALL_NUMBERS[number % 10]}"


def bucket(*parts):
    """A stable number from 0 to 9 that decides what is held out."""
    value = 7
    for character in " ".join(str(part) for part in parts):
        value = (value * 31 + ord(character)) % 1000003
    return value % 10


@dataclass(frozen=True)
class Scene:
    """One shape, two shapes in a relation, or a count of like shapes."""

    objects: tuple
    relation: str | None = None
    count: int = 1
    background: str | None = None

    @property
    def text(self):
        color, shape = self.objects[0]
        if self.relation:
            other_color, other_shape = self.objects[1]
            words = f"{with_article(color)} {shape} {self.relation} {with_article(other_color)} {other_shape}"
        elif self.count > 1:
            words = f"{NUMBER_NAMES[self.count]} {color} {plural(shape)}"
        else:
            words = f"{with_article(color)} {shape}"
        return words + (f" on {with_article(self.background)} background" if self.background else "")

    @property
    def total(self):
        return 2 if self.relation else self.count

    def turned_around(self):
        return Scene(self.objects[::-1], RELATIONS[self.relation], 1, self.background)


_SINGULAR = {plural(shape): shape for shape in SHAPES}
_COLOR = "|".join(COLORS)
_SHAPE = "|".join(SHAPES)
_BACKGROUND = rf"(?: on an? (?P<background>{'|'.join(BACKGROUNDS + COLORS)}) background)?"
_PAIR = re.compile(
    rf"(an?) ({_COLOR}) ({_SHAPE}) ({'|'.join(RELATIONS)}) (an?) ({_COLOR}) ({_SHAPE}){_BACKGROUND}"
)
_ONE = re.compile(rf"(an?) ({_COLOR}) ({_SHAPE}){_BACKGROUND}")
_COUNT = re.compile(rf"(two|three|four) ({_COLOR}) ({'|'.join(_SINGULAR)}){_BACKGROUND}")


def parse_scene(text):
    """The scene a text describes, or None when the text is not in the grammar."""
    if match := _PAIR.fullmatch(text):
        scene = Scene(((match[2], match[3]), (match[6], match[7])), match[4], 1, match["background"])
    elif match := _ONE.fullmatch(text):
        scene = Scene(((match[2], match[3]),), None, 1, match["background"])
    elif match := _COUNT.fullmatch(text):
        count = next(number for number, name in NUMBER_NAMES.items() if name == match[1])
        scene = Scene(((match[2], _SINGULAR[match[3]]),), None, count, match["background"])
    else:
        return None
    return scene if scene.text == text else None


@dataclass(frozen=True)
class Wish:
    """What a request for a free scene asks for; None means that anything goes."""

    total: int | None = None
    color: str | None = None
    shapes: tuple = ()
    background: str | None = None
    relation: str | None = None

    def accepts(self, text):
        scene = parse_scene(text)
        if scene is None or len(set(scene.objects)) < len(scene.objects):
            return False
        shapes = [shape for _, shape in scene.objects]
        return (
            self.total in (None, scene.total)
            and (self.color is None or self.color in [color for color, _ in scene.objects])
            and all(shape in shapes for shape in self.shapes)
            and self.background in (None, scene.background)
            and self.relation in (None, scene.relation)
        )


def sum_steps(left, operator, right):
    """The column-wise steps of a sum or difference, then its result."""
    if operator == "+":
        ones = left % 10 + right % 10
        steps = f"{left % 10} + {right % 10} = {ones}"
        if left < 10 and right < 10:
            return steps + ".", left + right
        carry = ones // 10
        tens = left // 10 + right // 10 + carry
        steps += f", write {ones % 10} carry {carry}. {left // 10} + {right // 10} + {carry} = {tens}."
        return steps, left + right
    if left < right:
        steps, result = sum_steps(right, "-", left)
        return f"{left} is less than {right}, so take {right} - {left}. {steps}", -result
    borrow = int(left % 10 < right % 10)
    ones = left % 10 + 10 * borrow - right % 10
    steps = f"{left % 10 + 10 * borrow} - {right % 10} = {ones}"
    if left < 10:
        return steps + ".", left - right
    return steps + f", borrow {borrow}. {left // 10} - {right // 10} - {borrow} = {left // 10 - right // 10 - borrow}.", left - right


class Words:
    """Draws open-class words. Held-out mode draws only from lists that training never sees."""

    never_named = frozenset(HELD_OUT_NOUNS)
    # How often a color or a shape of a given scene is none of the usual ones; where that is often, it may be any word.
    strange = 0.05

    def __init__(self, seed, held_out=False):
        self.random = random.Random(seed)
        self.held_out = held_out
        self.invented = set()

    def chance(self, probability):
        return self.random.random() < probability

    def pick(self, *options):
        return self.random.choice(options)

    def pseudo_word(self, capital=False):
        word = self._any_pseudo_word()
        while word.capitalize() in HELD_OUT_CITIES + HELD_OUT_NAMES or word in HELD_OUT_NOUNS + HELD_OUT_THINGS:
            word = self._any_pseudo_word()
        if len(word) > 2 and self.chance(0.02):
            position = self.random.randrange(len(word))
            word = word[:position] + self.random.choice("éüöäñóçåø") + word[position + 1 :]
        word = word.capitalize() if capital else word
        self.invented.add(word)
        return word

    def _any_pseudo_word(self):
        rng, kind = self.random, self.random.random()
        if kind < 0.5:
            length, word = rng.randint(4, 13 if rng.random() < 0.2 else 9), ""
            while len(word) < length:
                syllable = rng.choice(CONSONANTS) + rng.choice(VOWELS)
                word += rng.choice([syllable, syllable + rng.choice("nrlstmkdp"), rng.choice(VOWELS), rng.choice(CHUNKS)])
            return word[:length]
        if kind < 0.75:
            return "".join(
                rng.choice(CONSONANTS) + rng.choice(VOWELS) + (rng.choice(CONSONANTS) if rng.random() < 0.45 else "")
                for _ in range(rng.randint(1, 3))
            )
        if kind < 0.88:
            return rng.choice(VOWELS) + "".join(rng.choice(CONSONANTS) + rng.choice(VOWELS) for _ in range(rng.randint(1, 3)))
        return "".join(rng.choice("abcdefghijklmnopqrstuvwxyz") for _ in range(rng.randint(3, 9)))

    def city(self):
        if self.held_out:
            return self.random.choice(HELD_OUT_CITIES)
        if self.chance(0.25):
            return self.random.choice(CITIES)
        city = self.pseudo_word(capital=True)
        if self.chance(0.16):
            particle = f" {self.pick(*PARTICLES) if self.chance(0.5) else self.pseudo_word()[:3]}" if self.chance(0.3) else ""
            # As in Hong Kong, which is hard to copy.
            city += f"{particle} {self.pick(*CONSONANTS).upper() + city[1:] if self.chance(0.3) else self.pseudo_word(capital=True)}"
        return city

    def name(self):
        if self.held_out:
            return self.random.choice(HELD_OUT_NAMES)
        return self.random.choice(NAMES) if self.chance(0.2) else self.pseudo_word(capital=True)

    def noun(self):
        if self.held_out:
            return self.random.choice(HELD_OUT_NOUNS)
        return self.random.choice(NOUNS) if self.chance(0.3) else self.invented_name()

    def invented_name(self):
        """A name that nobody would guess: an invented word or any word at all, but for the ones held out."""
        word = self.random.choice(TOKEN_WORDS) if self.chance(0.25) else self.pseudo_word()
        return self.invented_name() if word in self.never_named else word

    def thing(self):
        if self.held_out:
            return self.random.choice(HELD_OUT_THINGS)
        return self.random.choice(THINGS) if self.chance(0.4) else self.pseudo_word() + "s"

    def scene(self, free=False):
        """A scene; `free` ones are for the model's own inventions and keep to the core words."""
        rng = self.random
        background = rng.choice(BACKGROUNDS + ([] if free else COLORS)) if self.chance(0.12) else None
        kind = rng.random()
        held_out = self.held_out and not free
        if kind < 0.2 and not held_out:
            scene = Scene((self._object(free),), None, 1, background)
        elif kind < 0.75 or held_out:
            first, second = self._object(free), self._object(free)
            if first == second or (bucket(*first, *second) == 3) != held_out:
                return self.scene(free)
            scene = Scene((first, second), rng.choice(list(RELATIONS)), 1, background)
        else:
            scene = Scene((self._object(True),), None, rng.choice([2, 3, 4]), background)
        return scene

    def strange_words(self):
        return [self.invented_name() for _ in range(6)] if self.strange > 0.1 else []

    def _object(self, free):
        color, shape = self.random.choice(COLORS), self.random.choice(SHAPES)
        if not free and not self.held_out:
            color = self.pick("white", "gray", "brown", *self.strange_words()) if self.chance(self.strange) else color
            shape = self.pick("heart", "oval", "cube", "house", self.pseudo_word(), *self.strange_words()) if self.chance(self.strange) else shape
        return color, shape

    def sum(self):
        """Left, operator, right; one pair in ten is held out."""
        rng = self.random
        while True:
            left = rng.randint(0, 9) if self.chance(0.15) else rng.randint(10, 99)
            right = rng.randint(0, 9) if self.chance(0.15) else rng.randint(10, 99)
            operator = rng.choice("+-")
            if not self.held_out and self.chance(0.15):
                right = right // 10 * 10 + left % 10
            if operator == "-" and left < right and self.chance(0.7 if self.held_out else 0.45):
                left, right = right, left
            if (bucket(left, operator, right) == 7) == self.held_out:
                return left, operator, right
