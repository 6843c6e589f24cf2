"""Renders the templates beside this file with the reference implementation.

Usage: python generate.py (with transformers and jinja2 installed), which writes renderings.json.
"""

import datetime
import json
from pathlib import Path

import jinja2
import transformers
from tokenizers import Tokenizer, models
from transformers.utils import chat_template_utils

NOW = (2026, 3, 7, 9, 5, 4)
SPECIAL_TOKENS = {"bos_token": "<s>", "eos_token": "</s>", "unk_token": "<unk>"}

folder = Path(__file__).parent


class FrozenClock(datetime.datetime):
    @classmethod
    def now(cls, tz=None):
        return cls(*NOW, tzinfo=tz)


def with_parsed_arguments(message):
    if "tool_calls" not in message:
        return message
    calls = [
        {**call, "function": {**call["function"], "arguments": json.loads(call["function"]["arguments"])}}
        for call in message["tool_calls"]
    ]
    return {**message, "tool_calls": calls}


def with_content(message):
    return {**message, "content": message["content"] or ""}


def render_text(template, messages, tools):
    tokenizer = transformers.PreTrainedTokenizerFast(
        tokenizer_object=Tokenizer(models.WordLevel({"<unk>": 0, "<s>": 1, "</s>": 2}, unk_token="<unk>")),
        chat_template=template,
        **SPECIAL_TOKENS,
    )
    messages = [with_parsed_arguments(message) for message in messages]
    return tokenizer.apply_chat_template(messages, tools=tools, add_generation_prompt=True, tokenize=False)


def render(template, conversation, tools):
    """Gives the text, or the template's refusal, or Jinja's failure and what comes out with empty contents."""
    messages = conversation["messages"]
    tools = tools if conversation.get("tools") else None
    try:
        return {"text": render_text(template, messages, tools)}
    except (jinja2.exceptions.TemplateError, TypeError) as error:
        if type(error) is jinja2.exceptions.TemplateError:
            return {"refusal": str(error)}
        failure = {"failure": str(error)}
    try:
        return {**failure, "completed": render_text(template, [with_content(message) for message in messages], tools)}
    except jinja2.exceptions.TemplateError:
        return failure


chat_template_utils.datetime = FrozenClock
given = json.loads((folder / "conversations.json").read_text(encoding="utf-8"))
renderings = {
    path.stem: {
        name: render(path.read_text(encoding="utf-8"), conversation, given["tools"])
        for name, conversation in given["conversations"].items()
    }
    for path in sorted((folder / "templates").glob("*.jinja"))
}
golden = {
    "generator": {"transformers": transformers.__version__, "jinja2": jinja2.__version__},
    "now": NOW,
    "specialTokens": SPECIAL_TOKENS,
    "renderings": renderings,
}
(folder / "renderings.json").write_text(json.dumps(golden, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
