"""The closed world as meanings: each can be worded in many ways, and has neighbours that look alike but differ."""

import random
import sys
from dataclasses import dataclass, replace
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[2] / "tiny-chat" / "recipe"))

from world import CITIES, COLORS, HELD_OUT_CITIES, HELD_OUT_NAMES, NAMES, RELATIONS, SHAPES, number_in_words, plural  # noqa: E402

BACKGROUNDS = [None, None, None, "white", "gray"]
THINGS = "apple coin book pen card cake egg ball stamp flower".split()
CONDITIONS = {
    "sunny": ["it is sunny {in}", "{city} is sunny", "the sun is shining {in}", "{city} has sunny weather", "there is a lot of sun {in}"],
    "rainy": ["it is raining {in}", "{city} is rainy", "rain is falling {in}", "{city} has rainy weather", "there is rain {in}"],
    "snowy": ["it is snowing {in}", "{city} is snowy", "snow is falling {in}", "{city} has snowy weather", "there is snow {in}"],
    "windy": ["it is windy {in}", "{city} is windy", "a strong wind is blowing {in}", "{city} has windy weather", "there is a lot of wind {in}"],
    "cloudy": ["it is cloudy {in}", "{city} is cloudy", "the sky is gray {in}", "{city} has cloudy weather", "clouds cover the sky {in}"],
    "foggy": ["it is foggy {in}", "{city} is foggy", "fog lies over {city}", "{city} has foggy weather", "there is thick fog {in}"],
}
SMALL_TALK = {
    "hello": ["hello", "hi", "hi there", "hello there", "hey", "greetings", "hey there", "nice to see you"],
    "morning": ["good morning", "a good morning to you", "morning", "have a nice morning"],
    "evening": ["good evening", "a good evening to you", "evening", "have a nice evening"],
    "bye": ["bye", "goodbye", "see you", "see you later", "bye bye", "until next time", "farewell"],
    "thanks": ["thanks", "thank you", "thanks a lot", "thank you very much", "many thanks", "I am grateful"],
    "how": ["how are you", "how are you doing", "how is it going", "are you well"],
    "who": ["who are you", "what is your name", "tell me who you are", "introduce yourself", "who am I talking to"],
    "can": ["what can you do", "how can you help me", "what are you able to do", "tell me what you can do", "what can I ask you"],
    "joke": ["tell me a joke", "make me laugh", "say something funny", "do you know a joke"],
    "yes": ["yes", "yes please", "of course", "sure", "certainly"],
    "no": ["no", "no thanks", "not at all", "no thank you"],
    "sorry": ["sorry", "I am sorry", "please excuse me", "I apologize", "pardon me"],
}
BEINGS = "dog cat horse bird teacher doctor child farmer singer student baker king".split()
VERBS = {
    "chase": ("chased", "ran after"), "see": ("saw", "looked at"), "help": ("helped", "gave help to"), "call": ("called", "phoned"),
    "find": ("found", "discovered"), "teach": ("taught", "gave lessons to"), "follow": ("followed", "went after"), "thank": ("thanked", "said thanks to"),
}
PASSIVES = {"chase": "chased", "see": "seen", "help": "helped", "call": "called", "find": "found", "teach": "taught", "follow": "followed", "thank": "thanked"}
PLACES = {"garden": "in the garden", "school": "at school", "river": "by the river", "market": "at the market", "forest": "in the forest", "station": "at the station"}
ABOVE = ["above", "above", "over", "higher than", "on top of"]
BELOW = ["below", "below", "under", "beneath", "lower than"]
LEFT = ["to the left of", "to the left of", "left of", "on the left side of"]
RIGHT = ["to the right of", "to the right of", "right of", "on the right side of"]
WORDED_RELATIONS = {"above": ABOVE, "below": BELOW, "to the left of": LEFT, "to the right of": RIGHT}
FRAMES = ["{}", "{}", "there is {}", "I see {}", "draw {}", "a picture of {}", "an image with {}", "the scene shows {}", "you can see {}", "a drawing of {}", "paint {}"]
POLITE = ["{}", "{}", "please {}", "can you {}", "could you {}", "I want you to {}"]


@dataclass(frozen=True)
class Meaning:
    """`parts` say it all: equal kinds and parts mean the same, whatever the words."""

    kind: str
    parts: tuple

    @property
    def is_held_out(self):
        """One meaning in ten is never trained on, and no meaning with a held-out name is."""
        if self.kind == "small-talk":
            return False
        if any(part in HELD_OUT_CITIES + HELD_OUT_NAMES for part in self.parts):
            return True
        value = 7
        for character in f"{self.kind} {self.parts}":
            value = (value * 31 + ord(character)) % 1000003
        return value % 10 == 3

    def put(self, index, part):
        return canonical(replace(self, parts=self.parts[:index] + (part,) + self.parts[index + 1 :]))


def canonical(meaning):
    """One form for meanings that can be read from both sides."""
    kind, parts = meaning.kind, meaning.parts
    if kind == "pair" and parts[4] in ("below", "to the right of"):
        return Meaning(kind, (*parts[2:4], *parts[:2], RELATIONS[parts[4]]))
    if kind == "both":
        return Meaning(kind, (*min(parts[:2], parts[2:]), *max(parts[:2], parts[2:])))
    if kind == "sum" and parts[1] == "+":
        return Meaning(kind, (min(parts[0], parts[2]), "+", max(parts[0], parts[2])))
    return meaning


# What training reads from a vector: slot → number of values.
SLOTS = {
    "kind": 13, "first color": len(COLORS), "first shape": len(SHAPES), "second color": len(COLORS), "second shape": len(SHAPES), "relation": 2, "background": 3, "count": 13,
    "left tens": 10, "left ones": 10, "right tens": 10, "right ones": 10, "operator": 2, "condition": len(CONDITIONS), "hour": 13, "minute": 4, "thing": len(THINGS),
    "agent": len(BEINGS), "verb": len(VERBS), "patient": len(BEINGS), "place": len(PLACES),
}


def slots_of(meaning):
    """The value of every slot, −1 for those that the meaning has not."""
    kind, parts = meaning.kind, meaning.parts
    values = {"kind": MeaningMaker.kinds.index(kind)}
    if kind in ("one", "pair", "both", "count"):
        at = 1 if kind == "count" else 0
        values |= {"first color": COLORS.index(parts[at]), "first shape": SHAPES.index(parts[at + 1])}
    if kind in ("pair", "both"):
        values |= {"second color": COLORS.index(parts[2]), "second shape": SHAPES.index(parts[3])}
    if kind in ("one", "count"):
        values["background"] = [None, "white", "gray"].index(parts[-1])
    if kind == "pair":
        values["relation"] = ["above", "to the left of"].index(parts[4])
    if kind in ("count", "owns"):
        values["count"] = parts[0] if kind == "count" else parts[1]
    if kind == "sum":
        values |= {"left tens": parts[0] // 10, "left ones": parts[0] % 10, "right tens": parts[2] // 10, "right ones": parts[2] % 10, "operator": "+-".index(parts[1])}
    if kind == "condition":
        values["condition"] = list(CONDITIONS).index(parts[1])
    if kind == "clock":
        values |= {"hour": parts[0], "minute": parts[1] // 15}
    if kind == "owns":
        values["thing"] = THINGS.index(parts[2])
    if kind == "event":
        values |= {"agent": BEINGS.index(parts[0]), "verb": list(VERBS).index(parts[1]), "patient": BEINGS.index(parts[2]), "place": list(PLACES).index(parts[3])}
    return [values.get(slot, -1) for slot in SLOTS]


def bindings_of(meaning):
    """What training reads from single words: word → color of that shape and side of that thing, −1 where it has none."""
    kind, parts = meaning.kind, meaning.parts
    if kind == "event" and parts[0] != parts[2]:
        return {parts[0]: (-1, 0), parts[2]: (-1, 1)}
    if kind in ("one", "count"):
        color, shape = parts[-3:-1]
        return {shape: (COLORS.index(color), -1), plural(shape): (COLORS.index(color), -1)}
    bindings = {}
    if kind in ("pair", "both"):
        sides = (0, 1) if kind == "pair" else (-1, -1)
        if parts[1] != parts[3]:
            bindings |= {parts[1]: (COLORS.index(parts[0]), sides[0]), parts[3]: (COLORS.index(parts[2]), sides[1])}
        if parts[0] != parts[2]:
            bindings |= {parts[0]: (-1, sides[0]), parts[2]: (-1, sides[1])}
    return bindings


class MeaningMaker:
    """Draws meanings, words them and finds their neighbours; one seed gives one endless stream."""

    kinds = "one pair both count sum weather condition time clock name owns event small-talk".split()

    def __init__(self, seed, held_out=False):
        self.random = random.Random(seed)
        self.held_out = held_out

    def pick(self, options):
        return self.random.choice(options)

    def draw(self, kind):
        """A meaning of a kind, from the held-out ones or the others."""
        while True:
            meaning = canonical(Meaning(kind, self._parts(kind)))
            if meaning.is_held_out == self.held_out and len({meaning.parts[:2], meaning.parts[2:4]}) == 2:
                return meaning

    def neighbour(self, meaning):
        """A meaning that would be worded alike: one part is another, or two parts have changed places."""
        while True:
            index = self.random.randrange(len(meaning.parts))
            other = meaning.put(index, self._parts(meaning.kind)[index])
            if self.random.random() < 0.5:
                other = self._swapped(meaning)
            if other != meaning and (self.held_out or not other.is_held_out):
                return other

    def _swapped(self, meaning):
        kind, parts = meaning.kind, meaning.parts
        if kind == "pair":
            first_color, first_shape, second_color, second_shape, relation = parts
            colors, shapes, places = (
                (second_color, first_shape, first_color, second_shape, relation),
                (first_color, second_shape, second_color, first_shape, relation),
                (second_color, second_shape, first_color, first_shape, relation),
            )
            return canonical(Meaning(kind, self.pick([colors, shapes, places])))
        if kind == "both":
            return canonical(Meaning(kind, (parts[2], parts[1], parts[0], parts[3])))
        if kind == "event":
            return Meaning(kind, (parts[2], parts[1], parts[0], parts[3]))
        if kind == "sum":
            return canonical(Meaning(kind, (parts[2], "-" if parts[1] == "+" else "+", parts[0])))
        if kind == "weather":
            return Meaning("time", parts)
        if kind == "time":
            return Meaning("weather", parts)
        return meaning

    def _parts(self, kind):
        pick = self.pick
        thing = lambda: (pick(COLORS), pick(SHAPES))  # noqa: E731
        if kind == "one":
            return (*thing(), pick(BACKGROUNDS))
        if kind == "pair":
            return (*thing(), *thing(), pick(list(RELATIONS)))
        if kind == "both":
            return (*thing(), *thing())
        if kind == "count":
            return (pick([2, 3, 4]), *thing(), pick(BACKGROUNDS))
        if kind == "sum":
            return (self.random.randint(0, 99), pick("+-"), self.random.randint(0, 99))
        if kind in ("weather", "time"):
            return (self._city(),)
        if kind == "condition":
            return (self._city(), pick(list(CONDITIONS)))
        if kind == "clock":
            return (self.random.randint(1, 12), pick([0, 15, 30, 45]))
        if kind == "name":
            return (self._name(),)
        if kind == "owns":
            return (self._name(), self.random.randint(1, 12), pick(THINGS))
        if kind == "event":
            return (pick(BEINGS), pick(list(VERBS)), pick(BEINGS), pick(list(PLACES)))
        return (pick(list(SMALL_TALK)),)

    def _city(self):
        if self.held_out:
            return self.pick(HELD_OUT_CITIES)
        return self.pick(CITIES) if self.random.random() < 0.3 else self._invented_word().capitalize()

    def _name(self):
        if self.held_out:
            return self.pick(HELD_OUT_NAMES)
        return self.pick(NAMES) if self.random.random() < 0.3 else self._invented_word().capitalize()

    def _invented_word(self):
        while True:
            syllables = [self.pick("bcdfghjklmnprstvwyz") + self.pick("aeiou") + self.pick(["", "", "n", "r", "l", "s", "t", "k", "ng", "ch"]) for _ in range(self.random.randint(1, 4))]
            word = self.pick(["", "", self.pick("aeiou")]) + "".join(syllables)
            if len(word) > 2 and word.capitalize() not in HELD_OUT_CITIES + HELD_OUT_NAMES:
                return word

    # ---- words -----------------------------------------------------------------------------------------------------------

    def word(self, meaning):
        """One of the many ways to say it."""
        text = getattr(self, "_word_" + meaning.kind.replace("-", "_"))(*meaning.parts)
        if self.random.random() < 0.5:
            text = text[0].upper() + text[1:]
        return text + self.pick(["", "", ".", "?" if meaning.kind in ("sum", "weather", "time") else "."])

    def _thing(self, color, shape, article="a"):
        noun = self.pick([f"{color} {shape}", f"{color} {shape}", f"{color} colored {shape}", f"{shape} that is {color}", f"{shape} in {color}"])
        return f"the {noun}" if article == "the" else f"an {noun}" if noun[0] in "aeiou" else f"a {noun}"

    def _backed(self, text, background):
        if background is None:
            return text
        return text + " " + self.pick(["on a {} background", "in front of a {} background", "where the background is {}"]).format(background)

    def _number(self, number):
        return self.pick([str(number), number_in_words(number)])

    def _word_one(self, color, shape, background):
        if background is None and self.random.random() < 0.2:
            return self.pick([f"the {shape} is {color}", f"one {color} {shape}", f"the color of the {shape} is {color}"])
        return self._backed(self.pick(FRAMES).format(self._thing(color, shape)), background)

    def _word_pair(self, first_color, first_shape, second_color, second_shape, relation):
        first, second = (first_color, first_shape), (second_color, second_shape)
        if self.random.random() < 0.5:
            first, second, relation = second, first, RELATIONS[relation]
        where = self.pick(WORDED_RELATIONS[relation])
        kind = self.random.random()
        if kind < 0.25:
            return f"{self._thing(*first, self.pick(['a', 'the']))} is {where} {self._thing(*second, self.pick(['a', 'the']))}"
        if kind < 0.35 and where not in ("higher than", "lower than"):
            return f"{where} {self._thing(*second, self.pick(['a', 'the']))} there is {self._thing(*first)}"
        if kind < 0.42:
            top = {"above": "at the top", "below": "at the bottom", "to the left of": "on the left", "to the right of": "on the right"}
            return f"{self._thing(*first)} {top[relation]} and {self._thing(*second)} {top[RELATIONS[relation]]}"
        return self.pick(FRAMES).format(f"{self._thing(*first)} {where} {self._thing(*second)}")

    def _word_both(self, first_color, first_shape, second_color, second_shape):
        sides = [(first_color, first_shape), (second_color, second_shape)]
        self.random.shuffle(sides)
        first, second = (self._thing(*side) for side in sides)
        return self.pick(FRAMES).format(self.pick([f"{first} and {second}", f"{first} and also {second}", f"two shapes, {first} and {second}", f"{first} together with {second}"]))

    def _word_count(self, count, color, shape, background):
        number, shapes = self._number(count), plural(shape)
        text = self.pick([f"{number} {color} {shapes}", f"{number} {shapes} that are {color}", f"{number} {shapes}, all {color}", f"a group of {number} {color} {shapes}"])
        frame = self.pick(FRAMES).replace("there is", "there are")
        return self._backed(frame.format(text), background)

    def _word_sum(self, left, operator, right):
        if operator == "+" and self.random.random() < 0.5:
            left, right = right, left
        a, b = self._number(left), self._number(right)
        if operator == "+":
            forms = [f"{a} + {b}", f"{a} plus {b}", f"the sum of {a} and {b}", f"{a} and {b} together", f"{b} added to {a}"]
            command = f"add {a} and {b}"
        else:
            forms = [f"{a} - {b}", f"{a} minus {b}", f"the difference of {a} and {b}", f"{a} less {b}", f"{a} take away {b}"]
            command = f"subtract {b} from {a}"
        asked = self.pick(forms)
        question = self.pick([f"what is {asked}", f"calculate {asked}", f"how much is {asked}", asked, f"tell me {asked}", f"work out {asked}"])
        return self.pick([question, question, question, self.pick(POLITE).format(command)])

    def _word_weather(self, city):
        return self.pick([
            f"what is the weather in {city}", f"how is the weather in {city}", f"what is the weather like in {city}", f"weather forecast for {city}", f"tell me the weather in {city}",
            f"show me the forecast for {city}", f"the current weather in {city}", f"do you know what the weather is in {city}", f"{city} weather", f"what does the sky look like in {city}",
        ])

    def _word_condition(self, city, condition):
        text = self.pick(CONDITIONS[condition])
        return text.replace("{in}", f"in {city}").replace("{city}", city) + self.pick(["", "", " today", " now"])

    def _word_time(self, city):
        return self.pick([
            f"what time is it in {city}", f"tell me the time in {city}", f"what is the time in {city}", f"the current time in {city}", f"how late is it in {city}", f"{city} time",
            f"do you know what time it is in {city}", f"what does the clock say in {city}", f"the local time of {city}",
        ])

    def _word_clock(self, hour, minute, frames=("it is {}", "the time is {}", "the clock shows {}", "now it is {}", "{}")):
        name, following = number_in_words(hour), number_in_words(hour % 12 + 1)
        worded = {
            0: [f"{name} o'clock", f"exactly {name}", f"{hour} o'clock"], 15: [f"a quarter past {name}", f"{name} fifteen", f"fifteen minutes after {name}"],
            30: [f"half past {name}", f"{name} thirty", f"thirty minutes after {name}"], 45: [f"a quarter to {following}", f"{name} forty-five", f"fifteen minutes before {following}"],
        }[minute]
        time = self.pick([f"{hour}:{minute:02}", *worded])
        return self.pick(frames).format(time)

    def _word_name(self, name):
        return self.pick([f"my name is {name}", f"I am {name}", f"I'm {name}", f"call me {name}", f"hello, I am {name}", f"people call me {name}", f"{name} is my name", f"hi, my name is {name}"])

    def _word_owns(self, name, count, thing):
        number, things = self._number(count), thing if count == 1 else thing + "s"
        be = "is" if count == 1 else "are"
        return self.pick([f"{name} has {number} {things}", f"{name} owns {number} {things}", f"{number} {things} belong{'s' if count == 1 else ''} to {name}", f"there {be} {number} {things} that {name} has",
                          f"{number} {things} {be} owned by {name}", f"{name} holds {number} {things}"])

    def _word_event(self, agent, verb, patient, place):
        where = PLACES[place]
        passive = f"the {patient} was {PASSIVES[verb]} by the {agent}"
        text = self.pick([f"the {agent} {form} the {patient}" for form in VERBS[verb]] + [passive, passive])
        return self.pick([f"{text} {where}", f"{text} {where}", f"{where} {text}", f"{where}, {text}"])

    def _word_small_talk(self, kind):
        return self.pick(SMALL_TALK[kind])
