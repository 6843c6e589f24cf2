from report import API_KEY, BASE_URL, CHAT, QUESTION, TOOL_QUESTION, check, check_text, report
from smolagents import ChatMessage, MessageRole, OpenAIServerModel, tool

model = OpenAIServerModel(model_id=CHAT, api_base=BASE_URL, api_key=API_KEY, temperature=0)
SHAPE = {
    "type": "json_schema",
    "json_schema": {
        "name": "shape",
        "schema": {
            "type": "object",
            "properties": {"color": {"enum": ["red", "blue"]}},
            "required": ["color"],
            "additionalProperties": False,
        },
    },
}


@tool
def get_weather(city: str) -> str:
    """The weather of a city

    Args:
        city: its name
    """
    return f"sunny in {city}"


def asked(question):
    return [ChatMessage(role=MessageRole.USER, content=[{"type": "text", "text": question}])]


def tools():
    answer = model.generate(asked(TOOL_QUESTION), tools_to_call_from=[get_weather])
    check(answer.tool_calls[0].function.name == "get_weather", "a call")


report(
    "smolagents",
    {
        "chat": lambda: check_text(model.generate(asked(QUESTION)).content),
        "streaming": lambda: check_text("".join(part.content or "" for part in model.generate_stream(asked(QUESTION)))),
        "tools required": tools,
        "structured output": lambda: check("color" in model.generate(asked(QUESTION), response_format=SHAPE).content, "a shape"),
    },
)
