"""Training rows: one system prompt with its tools, and many dialogues that branch off from it without seeing each other."""

import json
import re
from bisect import bisect_left, bisect_right
from dataclasses import dataclass, field

import numpy as np

from template import Turns, render
from world import COLORS, SHAPES

WINDOW = 64
ANSWER = re.compile(r"(?<=<\|im_start\|>assistant\n)[^<]+(?=<)")
OBJECT = re.compile(rf"\b(?P<color>{'|'.join(COLORS)}) (?P<shape>{'|'.join(SHAPES)})|(?P<shape_first>{'|'.join(SHAPES)}) is (?P<color_last>{'|'.join(COLORS)})")
CALL = re.compile(r'<tool_call>\n\{"name": "')


@dataclass
class Hint:
    """From the token at `query` one should look at the token at `target`, and know the `order`th tool by then, whose name begins with the token `first`."""

    kind: str
    query: int
    target: int
    first: int = -1
    order: int = -1


@dataclass
class Place:
    """Where a tool is written: the tokens of its name, the last token of its noun, the first one of each parameter. Also how its name begins and which tool it is."""

    name: int
    name_end: int
    noun: int
    parameters: dict
    first: int
    order: int


@dataclass
class Row:
    """Token ids; `branch` is 0 for the shared part, `windows` holds what the repeat penalty sees before each taught token."""

    ids: list = field(default_factory=list)
    branch: list = field(default_factory=list)
    positions: list = field(default_factory=list)
    taught: list = field(default_factory=list)
    windows: list = field(default_factory=list)
    hints: list = field(default_factory=list)


class Text:
    """A tokenized text and the token at which a character's token begins."""

    def __init__(self, tokenizer, text):
        encoding = tokenizer.encode(text)
        self.text, self.ids = text, encoding.ids
        self.starts = [start for start, _ in encoding.offsets]

    def token(self, character):
        return bisect_right(self.starts, character) - 1

    def span(self, start, end):
        return self.token(start), bisect_left(self.starts, end)


class Bundler:
    def __init__(self, tokenizer):
        self.tokenizer = tokenizer
        self.turns = Turns(tokenizer)

    def row(self, prompt, tools, conversations, most_tokens):
        """All conversations that fit; at least the first, cut down to the exchanges that fit."""
        schemas = [tool.schema() for tool in tools]
        shared = Text(self.tokenizer, render(prompt, schemas)) if prompt or schemas else Text(self.tokenizer, "")
        places = {tool.name: self.place(shared, tool, schema, order) for order, (tool, schema) in enumerate(zip(tools, schemas))}
        row = Row(list(shared.ids), [0] * len(shared.ids), list(range(len(shared.ids))), [False] * len(shared.ids))
        for place in places.values():
            row.hints.append(Hint("begin", place.name, place.name, -1, place.order))
            row.hints += [Hint("anchor", token, place.name, place.first, place.order) for token in {place.noun, place.name_end - 1} if token != place.name]
        for number, exchanges in enumerate(conversations, 1):
            text, messages = self.conversation(exchanges)
            while number == 1 and len(exchanges) > 1 and len(row.ids) + len(text.ids) > most_tokens:
                exchanges = exchanges[: max(1, len(exchanges) * most_tokens // (len(row.ids) + len(text.ids)))]
                text, messages = self.conversation(exchanges)
            base = len(row.ids)
            if number > 1 and base + len(text.ids) > most_tokens:
                break
            self.append(row, len(shared.ids), text.ids, self.turns.taught(text.ids, messages), number)
            self.hint_calls(row, base, text, messages, {tool.name: tool for tool in tools}, places)
            self.hint_objects(row, base, text)
            for exchange in exchanges:
                if asked := getattr(exchange, "asked_for", None):
                    self.hint_missing(row, base, text, exchange, asked, places)
        return row

    def conversation(self, exchanges):
        messages = [message for exchange in exchanges for message in exchange.messages]
        return Text(self.tokenizer, render(messages)), messages

    @staticmethod
    def append(row, shared, ids, mask, number):
        path = np.array([0] * WINDOW + row.ids[:shared] + ids)
        for offset, taught in enumerate(mask):
            if taught:
                row.windows.append(path[shared + offset : shared + offset + WINDOW])
        row.ids += ids
        row.branch += [number] * len(ids)
        row.positions += range(shared, shared + len(ids))
        row.taught += mask

    @staticmethod
    def place(shared, tool, schema, order):
        """Where a tool's name, its noun and its parameters are written: spans of tokens."""
        line = json.dumps(schema, ensure_ascii=False)
        start = shared.text.find(line)
        parameters, cursor = {}, line.find('"properties"')
        for key in schema["function"]["parameters"]["properties"]:
            begin = line.find(f'"{key}": {{', cursor) + 1
            cursor = line.find("}", begin)
            parameters[key] = shared.token(start + begin)
        named = line.find(f'"name": "{tool.name}"') + len('"name": "')
        noun = re.compile("[_ -]?".join(map(re.escape, tool.noun.split())), re.IGNORECASE).search(line, named)
        name = shared.span(start + named, start + named + len(tool.name))
        return Place(*name, shared.token(start + noun.end() - 1) if noun else name[1] - 1, parameters, shared.ids[name[0]], order)

    @staticmethod
    def hint_noun(row, base, text, queries, tool, place, asked):
        """The request's noun looks at that of the tool, and the answer at the request's."""
        said = text.text.lower().find(tool.noun, asked, text.text.find("<|im_end|>", asked))
        if said >= 0:
            begin, end = text.span(said, said + len(tool.noun))
            row.hints += [Hint("noun", base + query, base + end - 1, place.first, place.order) for query in queries]
            row.hints.append(Hint("match", base + end - 1, place.noun, place.first, place.order))

    def hint_calls(self, row, base, text, messages, tools, places):
        """A call looks at the tool's name, piece by piece, and at its parameters."""
        calls = [(call["function"], message.get("compact")) for message in messages for call in message.get("tool_calls") or []]
        for (call, compact), match in zip(calls, CALL.finditer(text.text)):
            if compact:
                continue
            name, at = call["name"], match.end()
            place = places[name]
            first, last = text.span(at, at + len(name))
            self.hint_noun(row, base, text, range(first - 1, last - 1), tools[name], place, text.text.rfind("<|im_start|>user", 0, at))
            row.hints += [Hint("copy" if step else "tool", base + first + step - 1, place.name + step) for step in range(last - first)]
            asked = text.text.rfind("<|im_start|>user", 0, at)
            cursor = at + len(name)
            for key, value in call["arguments"].items():
                cursor = text.text.find(f'"{key}": ', cursor) + 1
                row.hints.append(Hint("parameter", base + text.token(cursor) - 1, place.parameters[key]))
                if isinstance(value, str):
                    cursor += len(f'{key}": "')
                    self.hint_value(row, base, text, cursor, value, text.text.find(value, asked, at))

    @staticmethod
    def hint_value(row, base, text, at, value, told):
        """A value is copied from the request, where it may begin with a space."""
        written, source = text.span(at, at + len(value)), text.span(told, told + len(value))
        if told >= 0 and written[1] - written[0] == source[1] - source[0]:
            row.hints += [Hint("value", base + written[0] + step - 1, base + source[0] + step) for step in range(written[1] - written[0])]

    def hint_missing(self, row, base, text, exchange, asked, places):
        """A question for an argument looks at the parameter."""
        question, answer = (message["content"] for message in exchange.messages)
        start = text.text.find(answer)
        query = text.token(start + len("Please tell me the")) - 1
        place = places[asked.name]
        self.hint_noun(row, base, text, [query], asked, place, text.text.find(question))
        row.hints.append(Hint("parameter", base + query, place.parameters[asked.main.name]))

    @staticmethod
    def hint_objects(row, base, text):
        """A colour in an answer looks at the object where the scene was told."""
        for answer in ANSWER.finditer(text.text):
            for match in OBJECT.finditer(answer[0]):
                color, shape = match["color"] or match["color_last"], match["shape"] or match["shape_first"]
                told = max(text.text.rfind(f"{article} {color} {shape}", 0, answer.start()) + len(article) + 1 for article in ("a", "an"))
                if told > 3:
                    query = text.token(answer.start() + match.start("color" if match["color"] else "color_last") - 1) - 1
                    row.hints.append(Hint("object", base + query, base + text.token(told + len(f"{color} {shape}") - 1)))
