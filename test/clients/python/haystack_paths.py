from typing import Literal

from haystack.components.embedders import OpenAITextEmbedder
from haystack.components.generators.chat import OpenAIChatGenerator
from haystack.dataclasses import ChatMessage
from haystack.tools import create_tool_from_function
from haystack.utils import Secret
from pydantic import BaseModel, Field
from report import API_KEY, BASE_URL, CHAT, EMBEDDING, QUESTION, TOOL_QUESTION, check, check_text, report

common = dict(api_base_url=BASE_URL, api_key=Secret.from_token(API_KEY))


class Shape(BaseModel):
    color: Literal["red", "blue"]
    size: int = Field(ge=1, le=9)


def get_weather(city: str) -> str:
    """The weather of a city"""
    return f"sunny in {city}"


def ask(question, before=(), **more):
    generator = OpenAIChatGenerator(model=CHAT, generation_kwargs={"temperature": 0, **more.pop("generation", {})}, **common, **more)
    return generator.run([ChatMessage.from_user(question), *before])["replies"][0]


def streaming():
    parts = []
    answer = ask(QUESTION, streaming_callback=lambda part: parts.append(part.content))
    check_text(answer.text)
    check("".join(parts) == answer.text, "the same text in pieces")


def tools():
    tool = create_tool_from_function(get_weather)
    answer = ask(TOOL_QUESTION, tools=[tool])
    (call,) = answer.tool_calls
    result = ChatMessage.from_tool(tool.invoke(**call.arguments), origin=call)
    check_text(ask(TOOL_QUESTION, before=[answer, result], tools=[tool]).text)


def structured():
    check(Shape.model_validate_json(ask(QUESTION, generation={"response_format": Shape}).text), "a shape")


def embeddings():
    check(len(OpenAITextEmbedder(model=EMBEDDING, **common).run("a red circle")["embedding"]) > 0, "a vector")


report(
    "haystack",
    {
        "chat": lambda: check_text(ask(QUESTION).text),
        "streaming": streaming,
        "tools auto": tools,
        "structured output": structured,
        "embeddings": embeddings,
    },
)
