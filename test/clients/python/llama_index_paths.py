from typing import Literal

from llama_index.core.base.llms.types import ChatMessage
from llama_index.core.tools import FunctionTool
from llama_index.embeddings.openai_like import OpenAILikeEmbedding
from llama_index.llms.openai_like import OpenAILike
from pydantic import BaseModel, Field
from report import API_KEY, BASE_URL, CHAT, EMBEDDING, QUESTION, TOOL_QUESTION, check, check_text, report

llm = OpenAILike(
    model=CHAT, api_base=BASE_URL, api_key=API_KEY, is_chat_model=True, is_function_calling_model=True, context_window=2048, temperature=0
)


class Shape(BaseModel):
    color: Literal["red", "blue"]
    size: int = Field(ge=1, le=9)


def get_weather(city: str) -> str:
    """The weather of a city"""
    return f"sunny in {city}"


def asked(question):
    return [ChatMessage(role="user", content=question)]


def streaming():
    check_text("".join(part.delta or "" for part in llm.stream_chat(asked(QUESTION))))


def tools():
    tool = FunctionTool.from_defaults(get_weather)
    answer = llm.chat_with_tools([tool], chat_history=asked(TOOL_QUESTION))
    (call,) = llm.get_tool_calls_from_response(answer)
    check(call.tool_name == "get_weather" and call.tool_kwargs["city"], "a call")
    result = ChatMessage(role="tool", content=str(tool(**call.tool_kwargs)), additional_kwargs={"tool_call_id": call.tool_id})
    check_text(llm.chat_with_tools([tool], chat_history=[*asked(TOOL_QUESTION), answer.message, result]).message.content)


def structured():
    check(isinstance(llm.as_structured_llm(Shape).chat(asked(QUESTION)).raw, Shape), "a shape")


def embeddings():
    model = OpenAILikeEmbedding(model_name=EMBEDDING, api_base=BASE_URL, api_key=API_KEY)
    one, other = model.get_text_embedding_batch(["a red circle", "a blue square"])
    check(len(one) == len(other) > 0, "two vectors")


report(
    "llama-index",
    {
        "chat": lambda: check_text(llm.chat(asked(QUESTION)).message.content),
        "streaming": streaming,
        "tools auto": tools,
        "structured output": structured,
        "embeddings": embeddings,
    },
)
