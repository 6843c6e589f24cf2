from typing import Literal

import openai
import outlines
from pydantic import BaseModel
from report import API_KEY, BASE_URL, CHAT, QUESTION, check, check_text, report


class Shape(BaseModel):
    color: Literal["red", "blue"]


client = openai.OpenAI(base_url=BASE_URL, api_key=API_KEY, max_retries=0)
model = outlines.from_openai(client, CHAT)
# For vLLM it sends `structured_outputs`, which the service takes, too.
guided = outlines.from_vllm(client, CHAT)


def structured():
    check(Shape.model_validate_json(model(QUESTION, Shape, max_tokens=60, temperature=0)), "a shape")
    check(Shape.model_validate_json(guided(QUESTION, Shape, max_tokens=60, temperature=0)), "a shape by `structured_outputs`")


def constrained():
    check(guided(QUESTION, Literal["red", "blue"], max_tokens=20, temperature=0) in ("red", "blue"), "one of the choices")
    number = guided(QUESTION, outlines.types.Regex(r"[0-9]{3}"), max_tokens=20, temperature=0)
    check(len(number) == 3 and number.isdigit(), f"three digits, got {number!r}")
    grammar = guided(QUESTION, outlines.types.CFG('?start: "yes" | "no"'), max_tokens=20, temperature=0)
    check(grammar in ("yes", "no"), f"yes or no, got {grammar!r}")


report(
    "outlines",
    {
        "chat": lambda: check_text(model(QUESTION, max_tokens=60, temperature=0)),
        "streaming": lambda: check(len(list(model.stream(QUESTION, max_tokens=60, temperature=0))) > 1, "several pieces"),
        "structured output": structured,
        "constrained output": constrained,
    },
)
