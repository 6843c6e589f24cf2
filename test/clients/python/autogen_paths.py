from typing import Literal

from autogen_agentchat.agents import AssistantAgent
from autogen_core.models import ModelFamily, UserMessage
from autogen_ext.models.openai import OpenAIChatCompletionClient
from pydantic import BaseModel
from report import API_KEY, BASE_URL, CHAT, QUESTION, TOOL_QUESTION, check, check_text, report


class Shape(BaseModel):
    color: Literal["red", "blue"]


async def get_weather(city: str) -> str:
    """The weather of a city"""
    return "sunny"


def client():
    info = {"vision": False, "function_calling": True, "json_output": True, "structured_output": True, "family": ModelFamily.UNKNOWN}
    return OpenAIChatCompletionClient(model=CHAT, base_url=BASE_URL, api_key=API_KEY, model_info=info, temperature=0, max_tokens=300, max_retries=0)


def asked(question):
    return [UserMessage(content=question, source="user")]


async def chat():
    answer = await client().create(asked(QUESTION))
    check_text(answer.content)
    check(answer.usage.completion_tokens > 0, "usage")


async def streaming():
    pieces = [piece async for piece in client().create_stream(asked(QUESTION))]
    check(len(pieces) > 2, "several pieces")
    check_text(pieces[-1].content)


async def tools_auto():
    agent = AssistantAgent("agent", client(), tools=[get_weather], system_message=None, reflect_on_tool_use=True)
    result = await agent.run(task=TOOL_QUESTION)
    check("ToolCallExecutionEvent" in [type(message).__name__ for message in result.messages], "a result of the tool")
    check_text(result.messages[-1].content)


async def structured():
    check(Shape.model_validate_json((await client().create(asked(QUESTION), json_output=Shape)).content), "a shape")


report("autogen", {"chat": chat, "streaming": streaming, "tools auto": tools_auto, "structured output": structured})
