from typing import Literal

from inspect_ai.model import ChatMessageTool, ChatMessageUser, GenerateConfig, ResponseSchema, get_model
from inspect_ai.tool import tool
from inspect_ai.util import json_schema
from pydantic import BaseModel
from report import API_KEY, BASE_URL, CHAT, QUESTION, TOOL_QUESTION, check, check_text, report


class Shape(BaseModel):
    color: Literal["red", "blue"]


@tool
def get_weather():
    async def execute(city: str) -> str:
        """The weather of a city

        Args:
            city: its name
        """
        return "sunny"

    return execute


def model(**more):
    config = GenerateConfig(temperature=0, max_tokens=300, max_retries=0, **more)
    return get_model(f"openai-api/slashv1/{CHAT}", base_url=BASE_URL, api_key=API_KEY, config=config, memoize=False)


async def chat():
    answer = await model().generate(QUESTION)
    check_text(answer.completion)
    check(answer.usage.output_tokens > 0, "usage")


async def tools_auto():
    messages = [ChatMessageUser(content=TOOL_QUESTION)]
    first = (await model().generate(messages, tools=[get_weather()])).message
    call = first.tool_calls[0]
    check(call.function == "get_weather" and call.arguments["city"], "a call")
    messages += [first, ChatMessageTool(content="sunny", tool_call_id=call.id, function=call.function)]
    check_text((await model().generate(messages, tools=[get_weather()])).completion)


async def tools_required():
    answer = await model().generate(QUESTION, tools=[get_weather()], tool_choice="any")
    check(answer.message.tool_calls[0].function == "get_weather", "a call")


async def structured():
    schema = ResponseSchema(name="shape", json_schema=json_schema(Shape), strict=True)
    check(Shape.model_validate_json((await model(response_schema=schema).generate(QUESTION)).completion), "a shape")


report("inspect", {"chat": chat, "tools auto": tools_auto, "tools required": tools_required, "structured output": structured})
