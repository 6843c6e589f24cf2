from typing import Literal

from pydantic import BaseModel, Field
from pydantic_ai import Agent, NativeOutput, ToolOutput
from pydantic_ai.models.openai import OpenAIChatModel, OpenAIResponsesModel
from pydantic_ai.providers.openai import OpenAIProvider
from report import API_KEY, BASE_URL, CHAT, QUESTION, TOOL_QUESTION, check, check_text, report

provider = OpenAIProvider(base_url=BASE_URL, api_key=API_KEY)
settings = dict(temperature=0, max_tokens=500)


class Shape(BaseModel):
    color: Literal["red", "blue"]
    size: int = Field(ge=1, le=9)


def paths(model):
    """The paths that an agent has over a model of either wire format."""

    def chat():
        result = Agent(model, model_settings=settings).run_sync(QUESTION)
        check_text(result.output)
        check(result.usage.output_tokens > 0, "usage")

    async def streaming():
        async with Agent(model, model_settings=settings).run_stream(QUESTION) as result:
            check_text(await result.get_output())

    def tools(strict):
        called = []
        agent = Agent(model, model_settings=settings)

        @agent.tool_plain(strict=strict)
        def get_weather(city: str) -> str:
            """The weather of a city"""
            called.append(city)
            return "sunny"

        check_text(agent.run_sync(TOOL_QUESTION).output)
        check(called, "a call")

    def output(kind):
        check(isinstance(Agent(model, output_type=kind(Shape), model_settings=settings).run_sync(QUESTION).output, Shape), "a shape")

    return {
        "chat": chat,
        "streaming": streaming,
        "tools auto": lambda: tools(None),
        "tools required": lambda: output(ToolOutput),
        "tools strict": lambda: tools(True),
        "structured output": lambda: output(NativeOutput),
    }


of_responses = paths(OpenAIResponsesModel(CHAT, provider=provider))
report(
    "pydantic-ai",
    {
        **paths(OpenAIChatModel(CHAT, provider=provider)),
        "responses": of_responses["chat"],
        "responses streaming": of_responses["streaming"],
        "responses tools": of_responses["tools auto"],
        "responses structured": of_responses["structured output"],
    },
)
