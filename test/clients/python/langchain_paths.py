from typing import Literal

from langchain_core.messages import HumanMessage
from langchain_core.tools import tool
from langchain_openai import ChatOpenAI, OpenAIEmbeddings
from langchain_openai.chat_models.base import OpenAIContextOverflowError
from pydantic import BaseModel, Field
from report import API_KEY, BASE_URL, CHAT, EMBEDDING, QUESTION, TOOL_QUESTION, check, check_text, report


class Shape(BaseModel):
    """A shape"""

    color: Literal["red", "blue"]
    size: int = Field(ge=1, le=9)


@tool
def get_weather(city: str) -> str:
    """The weather of a city"""
    return "sunny"


def paths(**options):
    """The paths that a chat model has by either wire format."""

    def model():
        return ChatOpenAI(model=CHAT, base_url=BASE_URL, api_key=API_KEY, temperature=0, max_tokens=500, max_retries=0, **options)

    def chat():
        answer = model().invoke(QUESTION)
        check_text(answer.text)
        check(answer.usage_metadata["output_tokens"] > 0, "usage")

    def streaming():
        check_text("".join(chunk.text for chunk in model().stream(QUESTION)))

    def tools_auto():
        bound = model().bind_tools([get_weather])
        messages = [HumanMessage(TOOL_QUESTION)]
        answer = bound.invoke(messages)
        messages += [answer, get_weather.invoke(answer.tool_calls[0])]
        check_text(bound.invoke(messages).text)

    def tools_required():
        check_text(model().bind_tools([get_weather], tool_choice="required").invoke(QUESTION).tool_calls[0]["args"]["city"])

    def tools_strict():
        check_text(model().bind_tools([get_weather], strict=True).invoke(TOOL_QUESTION).tool_calls[0]["args"]["city"])

    def structured_output():
        for method in ("json_schema", "function_calling"):
            check(isinstance(model().with_structured_output(Shape, method=method).invoke(QUESTION), Shape), "a shape")

    return {
        "chat": chat,
        "streaming": streaming,
        "tools auto": tools_auto,
        "tools required": tools_required,
        "tools strict": tools_strict,
        "structured output": structured_output,
    }


def too_long():
    try:
        ChatOpenAI(model=CHAT, base_url=BASE_URL, api_key=API_KEY, max_retries=0).invoke("word " * 20_000)
    except OpenAIContextOverflowError:
        return
    raise AssertionError("expected OpenAIContextOverflowError")


def embeddings():
    # Its own count of tokens, for models of another vocabulary, is off, as for every other server.
    model = OpenAIEmbeddings(model=EMBEDDING, base_url=BASE_URL, api_key=API_KEY, max_retries=0, check_embedding_ctx_length=False)
    vectors = model.embed_documents(["a", "b"])
    check(len(vectors) == 2 and len(vectors[0]) > 10, "two vectors")


of_responses = paths(use_responses_api=True)
report(
    "langchain-openai",
    {
        **paths(),
        "embeddings": embeddings,
        "responses": of_responses["chat"],
        "responses streaming": of_responses["streaming"],
        "responses tools": of_responses["tools auto"],
        "responses structured": of_responses["structured output"],
        "too long": too_long,
    },
)
