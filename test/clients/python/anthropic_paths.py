import json
from typing import Literal

import anthropic
from pydantic import BaseModel
from report import API_KEY, BASE_URL, CHAT, QUESTION, TOOL_QUESTION, WEATHER_SCHEMA, check, check_text, report

client = anthropic.Anthropic(base_url=BASE_URL.removesuffix("/v1"), api_key=API_KEY, max_retries=0)
WEATHER = {"name": "get_weather", "description": "The weather of a city", "input_schema": WEATHER_SCHEMA}


class Shape(BaseModel):
    color: Literal["red", "blue"]
    is_large: bool


def asked(content, **more):
    messages = content if isinstance(content, list) else [{"role": "user", "content": content}]
    return dict(model=CHAT, max_tokens=500, messages=messages, extra_body={"temperature": 0}) | more


def text_of(message):
    return "".join(block.text for block in message.content if block.type == "text")


def chat():
    message = client.messages.create(**asked(QUESTION))
    check_text(text_of(message))
    check(message.stop_reason == "end_turn" and message.usage.output_tokens > 0, "its end and usage")


def streaming():
    whole = text_of(client.messages.create(**asked(QUESTION)))
    with client.messages.stream(**asked(QUESTION)) as stream:
        streamed = "".join(stream.text_stream)
        check(text_of(stream.get_final_message()) == streamed == whole, f"{whole!r}, got {streamed!r}")


def tools_auto():
    conversation = [{"role": "user", "content": TOOL_QUESTION}]
    with client.messages.stream(**asked(conversation, tools=[WEATHER])) as stream:
        message = stream.get_final_message()
    check(message.stop_reason == "tool_use", f"a call, got {message.stop_reason}")
    call = next(block for block in message.content if block.type == "tool_use")
    check_text(call.input["city"])
    result = {"type": "tool_result", "tool_use_id": call.id, "content": json.dumps({"condition": "sunny"})}
    conversation += [{"role": "assistant", "content": message.content}, {"role": "user", "content": [result]}]
    check_text(text_of(client.messages.create(**asked(conversation, tools=[WEATHER]))))


def tool_runner():
    called = []

    @anthropic.beta_tool
    def get_weather(city: str) -> str:
        """The weather of a city"""
        called.append(city)
        return "sunny"

    message = client.beta.messages.tool_runner(**asked(TOOL_QUESTION, tools=[get_weather])).until_done()
    check_text(text_of(message))
    check(called, "a call")


def tools_required():
    message = client.messages.create(**asked(QUESTION, tools=[WEATHER], tool_choice={"type": "any"}))
    check_text(next(block for block in message.content if block.type == "tool_use").input["city"])


def structured_output():
    check(isinstance(client.messages.parse(**asked(QUESTION), output_format=Shape).parsed_output, Shape), "a shape")


def count():
    counted = client.messages.count_tokens(model=CHAT, messages=asked(QUESTION)["messages"]).input_tokens
    usage = client.messages.create(**asked(QUESTION)).usage
    found = usage.input_tokens + usage.cache_read_input_tokens
    check(counted == found, f"{found} tokens, got {counted}")


def fails(kind, request, key=API_KEY):
    """The error of a request is the package's own for its status, with this dialect's body."""
    try:
        client.with_options(api_key=key).messages.create(**request)
    except anthropic.APIStatusError as error:
        check(type(error).__name__ == kind, f"{kind}, got {type(error).__name__}")
        check(error.body["type"] == "error" and error.body["error"]["message"], f"a body, got {error.body}")
        return
    raise AssertionError(f"expected {kind}")


def errors():
    fails("BadRequestError", asked(QUESTION, max_tokens=0))
    fails("NotFoundError", asked(QUESTION, model="none"))
    fails("AuthenticationError", asked(QUESTION), key="wrong")


report(
    "anthropic",
    {
        "chat": chat,
        "streaming": streaming,
        "tools auto": tools_auto,
        "tool runner": tool_runner,
        "tools required": tools_required,
        "structured output": structured_output,
        "count of tokens": count,
        "errors": errors,
        "too long": lambda: fails("BadRequestError", asked("word " * 20_000)),
    },
)
