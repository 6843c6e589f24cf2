from typing import Literal

from langchain.agents import create_agent
from langchain_core.messages import AIMessageChunk
from langchain_core.tools import tool
from langchain_openai import ChatOpenAI
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, MessagesState, StateGraph
from pydantic import BaseModel
from report import API_KEY, BASE_URL, CHAT, QUESTION, TOOL_QUESTION, check, check_text, report


class Shape(BaseModel):
    """A shape"""

    color: Literal["red", "blue"]


@tool
def get_weather(city: str) -> str:
    """The weather of a city"""
    return "sunny"


model = ChatOpenAI(model=CHAT, base_url=BASE_URL, api_key=API_KEY, temperature=0, max_tokens=500, max_retries=0)


def asked(question):
    return {"messages": [{"role": "user", "content": question}]}


def talking():
    graph = StateGraph(MessagesState)
    graph.add_node("answer", lambda state: {"messages": model.invoke(state["messages"])})
    graph.add_edge(START, "answer")
    return graph.compile(checkpointer=InMemorySaver())


def chat():
    graph, thread = talking(), {"configurable": {"thread_id": "one"}}
    check_text(graph.invoke(asked(QUESTION), thread)["messages"][-1].text)
    check(len(graph.invoke(asked(QUESTION), thread)["messages"]) == 4, "four messages of a thread")


def streaming():
    pieces = talking().stream(asked(QUESTION), {"configurable": {"thread_id": "two"}}, stream_mode="messages")
    texts = [piece.text for piece, _ in pieces if isinstance(piece, AIMessageChunk) and piece.text]
    check(len(texts) > 1, "several pieces")


def tools_auto():
    messages = create_agent(model, [get_weather]).invoke(asked(TOOL_QUESTION))["messages"]
    check("tool" in [message.type for message in messages], "a result of the tool")
    check_text(messages[-1].text)


def structured():
    agent = create_agent(model, [], response_format=Shape)
    check(isinstance(agent.invoke(asked(QUESTION))["structured_response"], Shape), "a shape")


report("langgraph", {"chat": chat, "streaming": streaming, "tools auto": tools_auto, "structured output": structured})
