"""The command line `llm`, told of the models by a file of its own."""

import json
import os
import subprocess
import sys
import tempfile

from report import API_KEY, BASE_URL, CHAT, PICTURE, QUESTION, SAYS, VISION, check, check_text, report

FOLDER = tempfile.TemporaryDirectory()
ENVIRONMENT = os.environ | {"LLM_USER_PATH": FOLDER.name}
MODELS = f"""
- {{ model_id: {CHAT}, model_name: {CHAT}, api_base: "{BASE_URL}", api_key_name: slashv1, supports_tools: true, supports_schema: true }}
- {{ model_id: {VISION}, model_name: {VISION}, api_base: "{BASE_URL}", api_key_name: slashv1, vision: true }}
"""


def llm(*arguments):
    done = subprocess.run([sys.executable, "-m", "llm", *arguments], env=ENVIRONMENT, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    check(done.returncode == 0, f"an answer, got {done.stderr[-500:]}")
    return done.stdout


def chat():
    check_text(llm("-m", CHAT, "--no-stream", QUESTION))


def streaming():
    check_text(llm("-m", CHAT, QUESTION))


def pictures():
    text = llm("-m", VISION, "-a", PICTURE, "What is in this picture?", "-o", "temperature", "0")
    check(SAYS.search(text), f"{SAYS.pattern}, got {text}")


def tools():
    function = "def get_weather(city: str) -> str:\n    'The weather of a city'\n    return 'sunny'"
    check_text(llm("-m", CHAT, "--functions", function, "What is the weather in Paris?", "-o", "temperature", "0"))
    called = json.loads(llm("logs", "-n", "2", "--json"))
    check(any(entry["tool_calls"] for entry in called), "a call")


def structured_output():
    schema = {
        "type": "object",
        "properties": {"color": {"type": "string", "enum": ["red", "blue"]}},
        "required": ["color"],
        "additionalProperties": False,
    }
    check(json.loads(llm("-m", CHAT, "--schema", json.dumps(schema), QUESTION))["color"] in ("red", "blue"), "a color")


with FOLDER:
    llm("keys", "set", "slashv1", "--value", API_KEY)
    with open(os.path.join(FOLDER.name, "extra-openai-models.yaml"), "w") as file:
        file.write(MODELS)
    report("llm", {"chat": chat, "streaming": streaming, "pictures": pictures, "tools auto": tools, "structured output": structured_output})
