from typing import Literal

import instructor
import openai
from pydantic import BaseModel, ConfigDict, Field
from report import API_KEY, BASE_URL, CHAT, QUESTION, check, report

client = openai.OpenAI(base_url=BASE_URL, api_key=API_KEY, max_retries=0)


class Shape(BaseModel):
    # Where more properties are allowed, a tiny model may never come to their end.
    model_config = ConfigDict(extra="forbid")
    color: Literal["red", "blue"]
    size: int = Field(ge=1, le=9)


def create(mode, **more):
    """What an instructed client gives for the shape, each of its ways to ask for it."""
    patched = instructor.from_openai(client, mode=mode)
    request = dict(model=CHAT, messages=[{"role": "user", "content": QUESTION}], response_model=Shape, max_retries=0, temperature=0)
    shape = patched.chat.completions.create(**request, **more)
    check(isinstance(shape, Shape), "a shape")


def streaming():
    patched = instructor.from_openai(client, mode=instructor.Mode.TOOLS)
    messages = [{"role": "user", "content": QUESTION}]
    parts = list(patched.chat.completions.create_partial(model=CHAT, messages=messages, response_model=Shape, max_retries=0, temperature=0))
    check(parts[-1].color in ("red", "blue"), "a shape")


report(
    "instructor",
    {
        "streaming": streaming,
        "tools required": lambda: create(instructor.Mode.TOOLS),
        "tools strict": lambda: create(instructor.Mode.TOOLS_STRICT),
        "structured output": lambda: create(instructor.Mode.JSON_SCHEMA),
        "responses structured": lambda: create(instructor.Mode.RESPONSES_TOOLS),
    },
)
