"""What a client's program needs: where the service is, and one line of JSON for each path that was tried."""

import asyncio
import inspect
import json
import os
import re

BASE_URL = os.environ.get("BASE_URL", "http://127.0.0.1:8000/v1")
API_KEY = os.environ.get("API_KEY", "none")
MODELS = os.environ.get("MODELS", "examples/models")
RECORDING = os.environ.get("RECORDING", "speech.wav")
PICTURE = os.environ.get("PICTURE", "picture.png")
CHAT, EMBEDDING, IMAGE, TRANSCRIPTION, SPEECH, VISION = "tiny-chat", "tiny-embed", "tiny-image", "tiny-whisper", "tiny-speech", "tiny-vision"
QUESTION = "Describe a scene with two shapes."
TOOL_QUESTION = "What is the weather in Paris?"
SAYS = re.compile("red circle.* above .*blue square", re.I)
WEATHER_SCHEMA = {
    "type": "object",
    "properties": {"city": {"type": "string", "maxLength": 30}},
    "required": ["city"],
    "additionalProperties": False,
}
WEATHER = {
    "type": "function",
    "function": {"name": "get_weather", "description": "The weather of a city", "parameters": WEATHER_SCHEMA},
}


def check(condition, expectation):
    """Raises what is missing."""
    if not condition:
        raise AssertionError(f"expected {expectation}")


def check_text(text):
    check(isinstance(text, str) and text.strip(), f"a text, got {text!r}")


def report(client, paths):
    """Runs a client's paths one after the other: name and function, which may be asynchronous."""
    for path, run in paths.items():
        reason = None
        try:
            if inspect.iscoroutinefunction(run):
                asyncio.run(run())
            else:
                run()
        except Exception as error:
            reason = f"{type(error).__name__}: {error}"
        print(json.dumps({"client": client, "path": path, "ok": reason is None, "reason": reason}), flush=True)
