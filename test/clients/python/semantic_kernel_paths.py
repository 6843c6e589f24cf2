from typing import Literal

from openai import AsyncOpenAI
from pydantic import BaseModel
from report import API_KEY, BASE_URL, CHAT, EMBEDDING, QUESTION, TOOL_QUESTION, check, check_text, report
from semantic_kernel import Kernel
from semantic_kernel.connectors.ai import FunctionChoiceBehavior
from semantic_kernel.connectors.ai.open_ai import OpenAIChatCompletion, OpenAIChatPromptExecutionSettings, OpenAITextEmbedding
from semantic_kernel.contents import ChatHistory
from semantic_kernel.functions import kernel_function


class Shape(BaseModel):
    color: Literal["red", "blue"]


class Weather:
    calls = 0

    @kernel_function(name="get_weather", description="The weather of a city")
    def get_weather(self, city: str) -> str:
        self.calls += 1
        return "sunny"


def service():
    client = AsyncOpenAI(base_url=BASE_URL, api_key=API_KEY, max_retries=0)
    return OpenAIChatCompletion(ai_model_id=CHAT, async_client=client)


def asked(question):
    history = ChatHistory()
    history.add_user_message(question)
    return history


def settings(**more):
    return OpenAIChatPromptExecutionSettings(temperature=0, max_tokens=300, **more)


async def chat():
    check_text(str(await service().get_chat_message_content(asked(QUESTION), settings())))


async def streaming():
    pieces = [str(piece) async for piece in service().get_streaming_chat_message_content(asked(QUESTION), settings())]
    check(len(pieces) > 1, "several pieces")
    check_text("".join(pieces))


async def tools_auto():
    kernel, weather = Kernel(), Weather()
    kernel.add_plugin(weather, "weather")
    choice = FunctionChoiceBehavior.Auto()
    answer = await service().get_chat_message_content(asked(TOOL_QUESTION), settings(function_choice_behavior=choice), kernel=kernel)
    check(weather.calls > 0, "a call of the function")
    check_text(str(answer))


async def structured():
    answer = await service().get_chat_message_content(asked(QUESTION), settings(response_format=Shape))
    check(Shape.model_validate_json(str(answer)), "a shape")


async def embeddings():
    client = AsyncOpenAI(base_url=BASE_URL, api_key=API_KEY, max_retries=0)
    vectors = await OpenAITextEmbedding(ai_model_id=EMBEDDING, async_client=client).generate_embeddings(["a", "b"])
    check(len(vectors) == 2 and len(vectors[0]) > 10, "two vectors")


report(
    "semantic-kernel",
    {"chat": chat, "streaming": streaming, "tools auto": tools_auto, "structured output": structured, "embeddings": embeddings},
)
