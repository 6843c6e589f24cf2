"""Queries of the closed world, and the documents that answer them.

A query is a meaning with open parts: "how many apples does Anna have" is ("owns", ("Anna", ANY, "apple")). A document answers
it when the document states a meaning that is equal in all other parts.
"""

import sys
from dataclasses import replace
from pathlib import Path
from string import Formatter

sys.path.append(str(Path(__file__).resolve().parents[2] / "tiny-embed" / "recipe"))

from build_tokenizer import MAX_LENGTH  # noqa: E402, F401
from meanings import PASSIVES, PLACES, RELATIONS, VERBS, WORDED_RELATIONS, Meaning, MeaningMaker, canonical, number_in_words, plural  # noqa: E402

ANY = "*"
# The parts that a field of a template tells; those that no field tells are open.
FIELDS = {
    "one": {"color": (0,), "shape": (1,)},
    "pair": {"first": (0, 1), "second": (2, 3), "where": (4,), "color": (0,), "shape": (1,)},
    "both": {"first": (0, 1), "second": (2, 3)},
    "count": {"number": (0,), "color": (1,), "shapes": (2,)},
    "condition": {"city": (0,), "condition": (1,), "weather": (0,)},
    "local-time": {"city": (0,), "time": (1, 2), "clock": (0,)},
    "clock": {"time": (0, 1)},
    "name": {"name": (0,)},
    "owns": {"name": (0,), "number": (1,), "things": (2,)},
    "event": {"agent": (0,), "verb": (1,), "did": (1,), "done": (1,), "patient": (2,), "where": (3,)},
}
TEMPLATES = {
    "one": [
        "{color} {shape}", "what color is the {shape}", "which color does the {shape} have", "the color of the {shape}", "what shape is {color}", "something {color}", "which {color} shape is there",
        "where do I find the {color} {shape}", "a picture with a {shape}",
    ],
    "pair": [
        "what is {where} the {second}", "which shape is {where} the {second}", "what do you see {where} the {second}", "what color is the {shape} {where} the {second}",
        "which {color} shape is {where} the {second}", "where is the {first}", "the position of the {first}", "{first} {where} {second}", "find the {first} {where} the {second}",
    ],
    "both": ["{first} {second}", "{first} and {second}", "what is together with the {first}", "find the {first} with the {second}"],
    "count": [
        "how many {color} {shapes} are there", "how many {color} {shapes} do you see", "the number of {color} {shapes}", "count the {color} {shapes}", "how many {shapes} are {color}",
        "what color are the {number} {shapes}", "what are the {number} {color} shapes", "{number} {color} {shapes}",
    ],
    "condition": ["{weather}", "{weather}", "{weather}", "{weather}", "{city} {condition}", "where is it {condition}", "in which city is it {condition}", "which city has {condition} weather", "which city is {condition}"],
    "local-time": ["{clock}", "{clock}", "{clock}", "{clock}", "where is it {time}", "in which city is it {time}", "{city} {time}"],
    "clock": ["what time is it", "tell me the time", "what does the clock say", "it is {time}", "{time}"],
    "name": ["who is {name}", "a person called {name}", "somebody with the name {name}", "{name}"],
    "owns": [
        "how many {things} does {name} have", "how many {things} does {name} own", "the number of {things} that {name} has", "how many {things} belong to {name}", "{name} {things}",
        "what does {name} have", "what does {name} own", "who has {number} {things}", "who owns {number} {things}", "who has {things}", "who is the owner of {number} {things}",
    ],
    "event": [
        "who {did} the {patient}", "who {did} the {patient} {where}", "by whom was the {patient} {done}", "who was {done} by the {agent}", "whom did the {agent} {verb}",
        "whom did the {agent} {verb} {where}", "where did the {agent} {verb} the {patient}", "where was the {patient} {done} by the {agent}", "what did the {agent} do {where}",
        "what happened to the {patient} {where}", "what did the {agent} do to the {patient}", "{agent} {did} {patient}", "what happened {where}",
    ],
}  # fmt: skip


def readings(meaning):
    """All that a document states: "a red circle above a blue square" is a red circle, too, and a blue square below it."""
    kind, parts = meaning.kind, meaning.parts
    found = [meaning]
    if kind == "pair":
        found.append(Meaning(kind, (*parts[2:4], *parts[:2], RELATIONS[parts[4]])))
    if kind in ("pair", "both"):
        first, second = parts[:2], parts[2:4]
        found += [Meaning("both", (*first, *second)), Meaning("both", (*second, *first)), Meaning("one", (*first, None)), Meaning("one", (*second, None))]
    if kind == "count":
        found.append(Meaning("one", parts[1:]))
    if kind == "local-time":
        found.append(Meaning("clock", parts[1:]))
    return found


def agreement(query, meaning):
    """Part by part of those that the query tells, whether the nearest reading of the meaning has it; None where no reading is of the query's kind."""
    told = [index for index, part in enumerate(query.parts) if part != ANY]
    rows = [{index: query.parts[index] == reading.parts[index] for index in told} for reading in readings(meaning) if reading.kind == query.kind]
    return max(rows, key=lambda row: sum(row.values()), default=None)


def answers(meaning, query):
    row = agreement(query, meaning)
    return row is not None and all(row.values())


class QueryMaker(MeaningMaker):
    """Draws meanings that documents state, and makes the queries that they answer."""

    kinds = "one pair both count sum condition local-time clock name owns event small-talk".split()

    def may_say(self, meaning):
        """Training says nothing that is held out."""
        return self.held_out or not canonical(meaning).is_held_out

    def draw_any(self):
        """A meaning of any kind; greetings can't be held out."""
        return self.draw(self.pick(self.kinds[:-1] if self.held_out else self.kinds))

    def fellow(self, meaning):
        """A meaning of the same topic."""
        kind, parts = meaning.kind, meaning.parts
        if kind == "pair" and self.random.random() < 0.3:
            return canonical(Meaning("both", parts[:4]))
        swaps = {"condition": "local-time", "local-time": "condition", "name": "owns", "owns": "name"}
        if kind in swaps and self.random.random() < 0.6:
            other = swaps[kind]
            return Meaning(other, (parts[0], *self._parts(other)[1:]))
        return self.draw(kind)

    def query(self, meaning):
        """A query that the meaning answers, and its words."""
        found = [reading for reading in readings(meaning) if self.may_say(reading)]
        reading = self.pick([reading for reading in found if reading.kind == meaning.kind] if self.random.random() < 0.75 else found)
        if reading.kind not in TEMPLATES or self.random.random() < 0.4:
            # A query without a background is one about any background.
            parts = tuple(ANY if part is None else part for part in reading.parts)
            return Meaning(reading.kind, parts), self.word(reading)
        template = self.pick(TEMPLATES[reading.kind])
        names = {name for _, name, _, _ in Formatter().parse(template) if name}
        told = {index for name in names for index in FIELDS[reading.kind][name]}
        parts = tuple(part if index in told else ANY for index, part in enumerate(reading.parts))
        text = template.format(**self._fields(reading.kind, parts))
        if self.random.random() < 0.5:
            text = text[0].upper() + text[1:]
        return Meaning(reading.kind, parts), text + self.pick(["", "?"])

    def other(self, query, meaning):
        """A meaning that does not answer the query; most often one that looks as if it did."""
        while True:
            chance = self.random.random()
            found = meaning
            if chance < 0.6:
                for _ in range(1 if chance < 0.45 else 2):
                    found = self.neighbour(found)
            elif chance < 0.8:
                found = self.fellow(meaning)
            else:
                found = self.draw_any()
            if not answers(found, query) and self.may_say(found):
                return found

    def sentence(self, meaning):
        return self.word(replace(meaning, kind="result") if meaning.kind == "sum" else meaning)

    def document(self, query, meaning):
        """A text that states the meaning, at times among others that do not answer the query."""
        if self.random.random() < 0.75:
            return self.sentence(meaning)
        meanings = [meaning, *(self.other(query, self.draw_any()) for _ in range(self.pick([1, 1, 2, 3])))]
        self.random.shuffle(meanings)
        return " ".join(self.sentence(one).rstrip(".?") + "." for one in meanings)

    # ---- words -----------------------------------------------------------------------------------------------------------

    def _parts(self, kind):
        if kind == "local-time":
            return (self._city(), *super()._parts("clock"))
        return super()._parts(kind)

    def _fields(self, kind, parts):
        """Words for the fields of a kind's templates; those of open parts are never used."""
        if kind == "one":
            return {"color": parts[0], "shape": parts[1]}
        if kind in ("pair", "both"):
            where = self.pick(WORDED_RELATIONS.get(parts[-1], [ANY]))
            return {"first": " ".join(parts[:2]), "second": " ".join(parts[2:4]), "where": where, "color": parts[0], "shape": parts[1]}
        if kind == "count":
            return {"number": parts[0] if parts[0] == ANY else self._number(parts[0]), "color": parts[1], "shapes": plural(parts[2])}
        if kind == "condition":
            return {"city": parts[0], "condition": parts[1], "weather": self._word_weather(parts[0])}
        if kind == "local-time":
            return {"city": parts[0], "time": self._clock(*parts[1:]), "clock": self._word_time(parts[0])}
        if kind == "clock":
            return {"time": self._clock(*parts)}
        if kind == "name":
            return {"name": parts[0]}
        if kind == "owns":
            name, number, thing = parts
            return {"name": name, "number": number if number == ANY else self._number(number), "things": thing if number == 1 else thing + "s"}
        agent, verb, patient, place = parts
        return {"agent": agent, "verb": verb, "did": self.pick(VERBS.get(verb, [ANY])), "done": PASSIVES.get(verb), "patient": patient, "where": PLACES.get(place)}

    def _clock(self, hour, minute):
        return ANY if hour == ANY else self._word_clock(hour, minute, ["{}"])

    def _word_local_time(self, city, hour, minute):
        return self._word_clock(hour, minute, [f"in {city} it is {{}}", f"it is {{}} in {city}", f"the time in {city} is {{}}", f"the clock in {city} shows {{}}", f"it is now {{}} in {city}"])

    def _word_result(self, left, operator, right):
        if operator == "+" and self.random.random() < 0.5:
            left, right = right, left
        result = left + right if operator == "+" else left - right
        a, b, c = self._number(left), self._number(right), self._number(result) if 0 <= result < 100 else str(result)
        if operator == "+":
            return self.pick([f"{a} + {b} = {c}", f"{a} plus {b} is {c}", f"the sum of {a} and {b} is {c}", f"{a} and {b} make {c}", f"{b} added to {a} gives {c}"])
        return self.pick([f"{a} - {b} = {c}", f"{a} minus {b} is {c}", f"the difference of {a} and {b} is {c}", f"{b} taken away from {a} leaves {c}", f"{b} subtracted from {a} gives {c}"])
