import base64
from typing import Literal

import openai
from pydantic import BaseModel, Field
from report import API_KEY, BASE_URL, CHAT, EMBEDDING, IMAGE, QUESTION, RECORDING, SAYS, SPEECH, TOOL_QUESTION, TRANSCRIPTION, WEATHER, check, check_text, report

client = openai.OpenAI(base_url=BASE_URL, api_key=API_KEY, max_retries=0)


class Shape(BaseModel):
    color: Literal["red", "blue"]
    size: int = Field(ge=1, le=9)


class GetWeather(BaseModel):
    city: str = Field(max_length=30)


def asked(content):
    return dict(model=CHAT, messages=[{"role": "user", "content": content}], temperature=0)


def asks(content):
    return dict(model=CHAT, input=content, temperature=0, max_output_tokens=500)


def chat():
    completion = client.chat.completions.create(**asked(QUESTION))
    check_text(completion.choices[0].message.content)
    check(completion.usage.total_tokens > completion.usage.prompt_tokens, "usage")


def streaming():
    with client.chat.completions.stream(**asked(QUESTION)) as stream:
        for _ in stream:
            pass
        check_text(stream.get_final_completion().choices[0].message.content)


def tools_auto():
    request = asked(TOOL_QUESTION)
    message = client.chat.completions.create(**request, tools=[WEATHER]).choices[0].message
    result = {"role": "tool", "tool_call_id": message.tool_calls[0].id, "content": "sunny"}
    request["messages"] += [message, result]
    check_text(client.chat.completions.create(**request, tools=[WEATHER]).choices[0].message.content)


def tools_required():
    message = client.chat.completions.create(**asked(QUESTION), tools=[WEATHER], tool_choice="required").choices[0].message
    check_text(message.tool_calls[0].function.arguments)


def tools_strict():
    tools = [openai.pydantic_function_tool(GetWeather, name="get_weather")]
    message = client.chat.completions.parse(**asked(TOOL_QUESTION), tools=tools).choices[0].message
    check_text(message.tool_calls[0].function.parsed_arguments.city)


def structured_output():
    check(isinstance(client.chat.completions.parse(**asked(QUESTION), response_format=Shape).choices[0].message.parsed, Shape), "a shape")


def embeddings():
    data = client.embeddings.create(model=EMBEDDING, input=["a", "b"]).data
    check(len(data) == 2 and len(data[0].embedding) > 10, "two vectors")


def images():
    data = client.images.generate(model=IMAGE, prompt="a red circle").data
    check(base64.b64decode(data[0].b64_json).startswith(b"\x89PNG"), "a PNG")


def transcription():
    with open(RECORDING, "rb") as file:
        text = client.audio.transcriptions.create(model=TRANSCRIPTION, file=file).text
    check(SAYS.search(text), f"other words than {text}")


def speech():
    check(len(client.audio.speech.create(model=SPEECH, voice="alloy", input=QUESTION).content) > 10_000, "audio")


def responses():
    check_text(client.responses.create(**asks(QUESTION)).output_text)


def responses_streaming():
    with client.responses.stream(**asks(QUESTION)) as stream:
        for _ in stream:
            pass
        check_text(stream.get_final_response().output_text)


def responses_tools():
    tools = [openai.pydantic_function_tool(GetWeather, name="get_weather")["function"] | {"type": "function"}]
    conversation = [{"role": "user", "content": TOOL_QUESTION}]
    output = client.responses.create(**asks(conversation), tools=tools).output
    call = next(item for item in output if item.type == "function_call")
    conversation += [*output, {"type": "function_call_output", "call_id": call.call_id, "output": "sunny"}]
    check_text(client.responses.create(**asks(conversation), tools=tools).output_text)


def responses_structured():
    check(isinstance(client.responses.parse(**asks(QUESTION), text_format=Shape).output_parsed, Shape), "a shape")


report(
    "openai (Python)",
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
    },
)
