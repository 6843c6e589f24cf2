from typing import Literal

from agents import Agent, ModelSettings, OpenAIChatCompletionsModel, OpenAIResponsesModel, Runner, function_tool, set_tracing_disabled
from openai import AsyncOpenAI
from pydantic import BaseModel, Field
from report import API_KEY, BASE_URL, CHAT, QUESTION, TOOL_QUESTION, check, check_text, report

set_tracing_disabled(True)


class Shape(BaseModel):
    color: Literal["red", "blue"]
    size: int = Field(ge=1, le=9)


def paths(model_class):
    """The paths that an agent has over either wire format."""

    def agent(**more):
        client = AsyncOpenAI(base_url=BASE_URL, api_key=API_KEY, max_retries=0)
        model = model_class(model=CHAT, openai_client=client)
        settings = ModelSettings(temperature=0, max_tokens=500, tool_choice=more.pop("tool_choice", None))
        return Agent(name="assistant", model=model, model_settings=settings, **more)

    async def chat():
        check_text((await Runner.run(agent(), QUESTION)).final_output)

    async def streaming():
        result = Runner.run_streamed(agent(), QUESTION)
        async for _ in result.stream_events():
            pass
        check_text(result.final_output)

    async def tools(question, strict, **more):
        called = []

        @function_tool(strict_mode=strict)
        def get_weather(city: str) -> str:
            """The weather of a city"""
            called.append(city)
            return "sunny"

        result = await Runner.run(agent(tools=[get_weather], **more), question)
        check_text(result.final_output)
        check(called, "a call")

    async def tools_auto():
        await tools(TOOL_QUESTION, False)

    async def tools_required():
        await tools(QUESTION, False, tool_choice="required")

    async def tools_strict():
        await tools(TOOL_QUESTION, True)

    async def structured_output():
        check(isinstance((await Runner.run(agent(output_type=Shape), QUESTION)).final_output, Shape), "a shape")

    return {
        "chat": chat,
        "streaming": streaming,
        "tools auto": tools_auto,
        "tools required": tools_required,
        "tools strict": tools_strict,
        "structured output": structured_output,
    }


of_responses = paths(OpenAIResponsesModel)
report(
    "openai-agents",
    {
        **paths(OpenAIChatCompletionsModel),
        "responses": of_responses["chat"],
        "responses streaming": of_responses["streaming"],
        "responses tools": of_responses["tools strict"],
        "responses structured": of_responses["structured output"],
    },
)
