import json
from typing import Literal

import litellm
from pydantic import BaseModel, Field
from report import API_KEY, BASE_URL, CHAT, EMBEDDING, IMAGE, QUESTION, RECORDING, SAYS, SPEECH, TOOL_QUESTION, TRANSCRIPTION, WEATHER, check, check_text, report

litellm.suppress_debug_info = True
service = dict(api_base=BASE_URL, api_key=API_KEY, num_retries=0, max_retries=0)


class Shape(BaseModel):
    color: Literal["red", "blue"]
    size: int = Field(ge=1, le=9)


def complete(content, **more):
    messages = content if isinstance(content, list) else [{"role": "user", "content": content}]
    return litellm.completion(model=f"openai/{CHAT}", messages=messages, temperature=0, **service, **more)


def chat():
    completion = complete(QUESTION)
    check_text(completion.choices[0].message.content)
    check(completion.usage.completion_tokens > 0, "usage")


def streaming():
    chunks = complete(QUESTION, stream=True, stream_options={"include_usage": True})
    check_text("".join(chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices))


def tools_auto():
    messages = [{"role": "user", "content": TOOL_QUESTION}]
    message = complete(messages, tools=[WEATHER]).choices[0].message
    messages += [message, {"role": "tool", "tool_call_id": message.tool_calls[0].id, "content": "sunny"}]
    check_text(complete(messages, tools=[WEATHER]).choices[0].message.content)


def tools_required():
    message = complete(QUESTION, tools=[WEATHER], tool_choice="required").choices[0].message
    check_text(json.loads(message.tool_calls[0].function.arguments)["city"])


def tools_strict():
    tool = WEATHER | {"function": WEATHER["function"] | {"strict": True}}
    message = complete(TOOL_QUESTION, tools=[tool]).choices[0].message
    check_text(json.loads(message.tool_calls[0].function.arguments)["city"])


def structured_output():
    Shape.model_validate_json(complete(QUESTION, response_format=Shape).choices[0].message.content)


def too_long():
    try:
        complete("word " * 20_000)
    except litellm.ContextWindowExceededError:
        return
    raise AssertionError("expected ContextWindowExceededError")


def embeddings():
    data = litellm.embedding(model=f"openai/{EMBEDDING}", input=["a", "b"], **service).data
    check(len(data) == 2 and len(data[0]["embedding"]) > 10, "two vectors")


def images():
    data = litellm.image_generation(model=f"openai/{IMAGE}", prompt="a red circle", **service).data
    check(data[0].b64_json.startswith("iVBORw0KGgo"), "a PNG")


def transcription():
    with open(RECORDING, "rb") as file:
        text = litellm.transcription(model=f"openai/{TRANSCRIPTION}", file=file, **service).text
    check(SAYS.search(text), f"other words than {text}")


def speech():
    audio = litellm.speech(model=f"openai/{SPEECH}", voice="alloy", input=QUESTION, **service)
    check(len(audio.content) > 10_000, "audio")


def respond(content, **more):
    return litellm.responses(model=f"openai/{CHAT}", input=content, temperature=0, max_output_tokens=500, api_base=BASE_URL, api_key=API_KEY, **more)


def text_of(response):
    return "".join(part.text for item in response.output if item.type == "message" for part in item.content)


def responses():
    check_text(text_of(respond(QUESTION)))


def responses_streaming():
    deltas = [event.delta for event in respond(QUESTION, stream=True) if event.type == "response.output_text.delta"]
    check_text("".join(deltas))


def responses_tools():
    tools = [WEATHER["function"] | {"type": "function"}]
    conversation = [{"role": "user", "content": TOOL_QUESTION}]
    output = respond(conversation, tools=tools).output
    call = next(item for item in output if item.type == "function_call")
    conversation += [item.model_dump(exclude_none=True) for item in output]
    conversation += [{"type": "function_call_output", "call_id": call.call_id, "output": "sunny"}]
    check_text(text_of(respond(conversation, tools=tools)))


def responses_structured():
    Shape.model_validate_json(text_of(respond(QUESTION, text_format=Shape)))


report(
    "litellm",
    {
        "chat": chat,
        "streaming": streaming,
        "tools auto": tools_auto,
        "tools required": tools_required,
        "tools strict": tools_strict,
        "structured output": structured_output,
        "embeddings": embeddings,
        "images": images,
        "transcription": transcription,
        "speech": speech,
        "responses": responses,
        "responses streaming": responses_streaming,
        "responses tools": responses_tools,
        "responses structured": responses_structured,
        "too long": too_long,
    },
)
