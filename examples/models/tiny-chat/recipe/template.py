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


class Turns:
    """Tells the assistant's own tokens in a rendered dialogue."""

    def __init__(self, tokenizer):
        self.tokenizer = tokenizer
        self.start = tokenizer.token_to_id("<|im_start|>")
        self.end = tokenizer.token_to_id("<|im_end|>")
        self.header = tokenizer.encode("<|im_start|>assistant\n").ids

    def taught(self, ids, messages):
        """For each of the tokens of rendered messages, whether the assistant has to write it."""
        turns = [message for message in messages if message["role"] == "assistant"]
        mask, inside, turn = [], False, -1
        for index, token in enumerate(ids):
            mask.append(inside and self._is_taught(turns, turn))
            if token == self.end:
                inside = False
            elif ids[max(index - len(self.header) + 1, 0) : index + 1] == self.header:
                inside, turn = True, turn + 1
        return mask

    @staticmethod
    def _is_taught(turns, turn):
        """Not the sums whose steps the template dropped, nor calls in a form that only clients write."""
        message = turns[turn]
        dropped = "<think>" in (message["content"] or "") and turn < len(turns) - 1
        return not dropped and not message.get("compact")
