"""Training rows: one system prompt with its tools, and many dialogues that branch off from it without seeing each other."""

import json
import re
from bisect import bisect_left, bisect_right
from dataclasses import dataclass, field

import numpy as np

from template import Turns, render

WINDOW = 64
ANSWER = re.compile(r"(?<=<\|im_start\|>assistant\n)[^<]+(?=<)")
OBJECTS = re.compile(r"(?=\b(?P<color>\w+) (?P<shape>\w+)\b)"), re.compile(r"(?=\b(?P<shape>\w+) is (?P<color>\w+)\b)")
CALL = re.compile(r'<tool_call>\n\{"name": "')


@dataclass
class Hint:
    """From the token at `query` one should look at the token at `target`, and know the `order`th tool or parameter by then, whose name begins with the token `first`."""

    kind: str
    query: int
    target: int
    first: int = -1
    order: int = -1


@dataclass
class Place:
    """Where a tool is written: the tokens of its name, the last token of its noun, the first and the last one of each parameter and of each of its choices.

    Also how its name begins, and which of the tools it is.
    """

    name: int
    name_end: int
    noun: int
    parameters: dict
    ends: dict
    choices: dict
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

    def row(self, prompt, tools, conversations, most_tokens, gaps):
        """All conversations that fit; at least the first, cut down to the exchanges that fit. `gaps` says how many tokens seem to lie between the tools and each."""
        schemas = [tool.schema() for tool in tools]
        shared = Text(self.tokenizer, render(prompt, schemas)) if prompt or schemas else Text(self.tokenizer, "")
        places = {tool.name: self.place(shared, tool, schema, order) for order, (tool, schema) in enumerate(zip(tools, schemas))}
        row = Row(list(shared.ids), [0] * len(shared.ids), list(range(len(shared.ids))), [False] * len(shared.ids))
        for place in places.values():
            row.hints.append(Hint("begin", place.name, place.name, -1, place.order))
            anchored = {place.noun, place.name_end - 1, *place.parameters.values(), *place.ends.values()} - {place.name}
            row.hints += [Hint("anchor", token, place.name, place.first, place.order) for token in anchored]
            row.hints += [Hint("bind", last, first) for first, last in place.choices.values() if first < last]
            row.hints += [Hint("key", last, last, -1, order) for order, last in enumerate(place.ends.values())]
        for number, exchanges in enumerate(conversations, 1):
            text, messages = self.conversation(exchanges)
            while number == 1 and len(exchanges) > 1 and len(row.ids) + len(text.ids) > most_tokens:
                exchanges = exchanges[: max(1, len(exchanges) * most_tokens // (len(row.ids) + len(text.ids)))]
                text, messages = self.conversation(exchanges)
            base = len(row.ids)
            if number > 1 and base + len(text.ids) > most_tokens:
                break
            self.append(row, len(shared.ids), text.ids, self.turns.taught(text.ids, messages), number, gaps[number - 1])
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
    def append(row, shared, ids, mask, number, gap):
        path = np.array([0] * WINDOW + row.ids[:shared] + ids)
        for offset, taught in enumerate(mask):
            if taught:
                row.windows.append(path[shared + offset : shared + offset + WINDOW])
        row.ids += ids
        row.branch += [number] * len(ids)
        row.positions += range(shared + gap, shared + gap + len(ids))
        row.taught += mask

    @staticmethod
    def place(shared, tool, schema, order):
        """Where a tool's name, its noun and its parameters are written: spans of tokens."""
        line = json.dumps(schema, ensure_ascii=False)
        start = shared.text.find(line)
        parameters, ends, choices, cursor = {}, {}, {}, line.find('"properties"')
        for key, parameter in schema["function"]["parameters"]["properties"].items():
            begin = line.find(f'"{key}": {{', cursor) + 1
            cursor = line.find("}", begin)
            parameters[key], ends[key] = shared.token(start + begin), shared.token(start + begin + len(key) - 1)
            for choice in parameter.get("enum", []):
                at = start + line.find(f'"{choice}"', line.find('"enum"', begin)) + 1
                choices[key, choice] = shared.token(at), shared.token(at + len(choice) - 1)
        named = line.find(f'"name": "{tool.name}"') + len('"name": "')
        noun = re.compile("[_ -]?".join(map(re.escape, tool.noun.split())), re.IGNORECASE).search(line, named)
        name = shared.span(start + named, start + named + len(tool.name))
        return Place(*name, shared.token(start + noun.end() - 1) if noun else name[1] - 1, parameters, ends, choices, shared.ids[name[0]], order)

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
            asked = text.text.rfind("<|im_start|>user", 0, at)
            self.hint_noun(row, base, text, range(first - 1, last - 1), tools[name], place, asked)
            row.hints += [Hint("copy" if step else "tool", base + first + step - 1, place.name + step) for step in range(last - first)]
            row.hints.append(Hint("match", base + last - 1, place.name_end - 1, place.first, place.order))
            cursor = at + len(name)
            for key, value in call["arguments"].items():
                cursor = text.text.find(f'"{key}": ', cursor) + 1
                query = text.token(cursor) - 1
                row.hints.append(Hint("called", base + query, base + last - 1, place.first, place.order))
                written, source = text.span(cursor, cursor + len(key)), (place.parameters[key], place.ends[key] + 1)
                if text.ids[slice(*written)] == row.ids[slice(*source)]:
                    row.hints += [Hint("copy", base + written[0] + step - 1, source[0] + step) for step in range(1, written[1] - written[0])]
                cursor += len(f'{key}": ') + isinstance(value, str)
                self.hint_argument(row, base, text, query, cursor, tools[name], key, value, place, asked)

    @staticmethod
    def known(row, place, key):
        """How a parameter's name begins, and which of the tool's parameters it is."""
        return row.ids[place.parameters[key]], list(place.parameters).index(key)

    @staticmethod
    def said(text, asked, noun, parameter, value):
        """The tokens of a request that tell an argument: the last one of the parameter's words, the first and the last one of the value, each None where it is not said."""
        told, end = text.text.lower(), text.text.find("<|im_end|>", asked)
        after_noun = max(told.find(noun, asked, end), asked)
        words, shown = parameter.words.lower(), str(value).lower()
        # Without its value a main parameter's word may be any other word.
        at = told.find(f" {words} {shown}" if parameter.role == "main" else f" {words}", after_noun, end)
        named = text.token(at + len(words)) if at >= 0 else None
        if isinstance(value, bool):
            return named, None, None
        pattern = rf"(?<![\w-]){re.escape(shown)}(?![\w-])" if isinstance(value, str) else rf"(?<![\d.:-]){shown}(?![\d:-]|\.\d)"
        match = re.compile(pattern).search(told, after_noun if parameter.role == "choice" else asked, end)
        first, after = text.span(*match.span()) if match else (None, None)
        return named, first, match and after - 1

    def hint_argument(self, row, base, text, query, at, tool, key, value, place, asked):
        """The words for an argument look at its parameter, words and value at each other; the answer looks at all three and copies the value, a choice from the tool."""
        parameter, known = next(parameter for parameter in tool.parameters if parameter.name == key), self.known(row, place, key)
        named, first, last = (token if token is None else base + token for token in self.said(text, asked, tool.noun, parameter, value))
        is_choice = parameter.role == "choice"
        row.hints.append(Hint("parameter", base + query, place.parameters[key], *known))
        # Nothing in its value tells the main parameter until the tool is known.
        telling = named if named is not None else last if parameter.role in ("from", "to") else None
        if telling is not None:
            row.hints.append(Hint("mention", telling, place.ends[key], *known))
        if first is not None:
            source = place.choices[key, value] if is_choice else (first, last)
            # How a choice begins is found by itself: one head looks at all choices, the other at the request.
            self.hint_value(row, base, text, at, str(value), range(source[0], source[1] + 1), int(is_choice))
            if is_choice:
                row.hints.append(Hint("mention", last, source[1], *known))
        words = last if named is None else named
        if words is not None:
            row.hints += [Hint("said", base + query, words), Hint("said", base + text.token(at) - 1, last if is_choice and last is not None else words)]
        # The words of a scene belong to each other in another way.
        if first is not None and tool.family != "draw":
            row.hints += [Hint("bind", token, first) for token in {words, last} if token > first]
            if words < first:
                row.hints.append(Hint("owner", first, words, *known))

    @staticmethod
    def hint_value(row, base, text, at, value, source, start):
        """A value is copied token by token, from the `start`th on. In a request its first token may begin with a space."""
        first, end = text.span(at, at + len(value))
        if end - first == len(source):
            row.hints += [Hint("value", base + first + step - 1, place) for step, place in enumerate(source) if step >= start]

    def hint_missing(self, row, base, text, exchange, asked, places):
        """A question for an argument looks at the parameter."""
        question, answer = (message["content"] for message in exchange.messages)
        start = text.text.find(answer)
        query = text.token(start + len("Please tell me the")) - 1
        place = places[asked.name]
        self.hint_noun(row, base, text, [query], asked, place, text.text.find(question))
        key = asked.main.name
        row.hints.append(Hint("parameter", base + query, place.parameters[key], *self.known(row, place, key)))

    @staticmethod
    def hint_objects(row, base, text):
        """A color in an answer looks at the shape where the scene was told, and that at its color."""
        for answer in ANSWER.finditer(text.text):
            for match in (match for pattern in OBJECTS for match in pattern.finditer(answer[0])):
                color, shape = match["color"], match["shape"]
                told = max(text.text.rfind(f"{article} {color} {shape}", 0, answer.start()) + len(article) + 1 for article in ("a", "an"))
                if told > 3:
                    query, last = text.token(answer.start() + match.start("color") - 1) - 1, base + text.token(told + len(f"{color} {shape}") - 1)
                    row.hints.append(Hint("object", base + query, last))
                    row.hints.append(Hint("bind", last, base + text.token(told)))
