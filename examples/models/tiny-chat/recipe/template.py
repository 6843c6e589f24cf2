"""Renders dialogues with the very chat template that is shipped, and finds the tokens that the assistant has to write."""

import json
from pathlib import Path

import jinja2

SOURCE = (Path(__file__).parent / "chat_template.jinja").read_text(encoding="utf-8")


def _environment():
    environment = jinja2.Environment(trim_blocks=True, lstrip_blocks=True)
    environment.filters["tojson"] = lambda value: json.dumps(value, ensure_ascii=False)
    return environment


_TEMPLATE = _environment().from_string(SOURCE)


def render(messages, tools=None, add_generation_prompt=False):
    return _TEMPLATE.render(messages=messages, tools=tools or None, add_generation_prompt=add_generation_prompt)


class Encoder:
    """Token ids of a dialogue with a mask of the assistant's own tokens."""

    def __init__(self, tokenizer):
        self.tokenizer = tokenizer
        self.start = tokenizer.token_to_id("<|im_start|>")
        self.end = tokenizer.token_to_id("<|im_end|>")
        self.header = tokenizer.encode("<|im_start|>assistant\n").ids

    def encode(self, messages, tools):
        ids = self.tokenizer.encode(render(messages, tools)).ids
        turns = [message for message in messages if message["role"] == "assistant"]
        mask, inside, turn = [], False, -1
        for index, token in enumerate(ids):
            mask.append(inside and self._is_taught(turns, turn))
            if token == self.end:
                inside = False
            elif ids[max(index - len(self.header) + 1, 0) : index + 1] == self.header:
                inside, turn = True, turn + 1
        return ids, mask

    @staticmethod
    def _is_taught(turns, turn):
        """Not the sums whose steps the template dropped, nor calls in a form that only clients write."""
        message = turns[turn]
        dropped = "<think>" in (message["content"] or "") and turn < len(turns) - 1
        return not dropped and not message.get("compact")
