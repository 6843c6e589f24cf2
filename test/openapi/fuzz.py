"""Sends bodies and queries that the OpenAPI document of a running service allows, and checks every answer against it.

    SLASHV1_API_KEY=sk-local npm start &
    pip install -r test/openapi/requirements.txt
    SLASHV1_API_KEY=sk-local python test/openapi/fuzz.py --count 60

Forms carry a recording of the tests, whatever the file that was drawn. An answer must have a documented status, media type and
form, event by event where it is a stream. A body that is refused must be one of `CANT_SAY`, which lists what depends on the model
or on more than two fields.
"""

import argparse
import collections
import json
import os
import re
import sys
from pathlib import Path
from urllib.parse import quote

import requests
import schemathesis
from hypothesis import HealthCheck, Phase, given, seed, settings
from jsonschema import Draft202012Validator

# Faults of bodies that their schema allows, as patterns of the message.
CANT_SAY = [
    # What this model can do.
    r"^bad_words|^stop_token_ids: expected token ids below|^allowed_token_ids: expected token ids below",
    r"^(prompt|tokens)(\[\d+\])*: expected a token id below|^logit_bias: expected token ids below",
    r"^prompt(\[\d+\])?: expected at least one token|^suffix: the model has no",
    r"^input: expected texts, got|^dimensions: expected|^prompt_name: expected one of",
    r"has no image input|^prompt: expected a non-empty text|^voice: expected|^input: expected a (non-empty text|text with something to speak)",
    r"^timestamp_granularities: not supported: the graph of this model|^language: ",
    r"^response_format: .*(encoder|diariz)|^model: the model does not translate",
    r"^(enable_thinking|reasoning(\.effort|_effort)?|output_config\.effort|thinking|documents|chat_template_kwargs)\b",
    r"maximum context length|^truncate_prompt_tokens",
    r"^(tools|messages\[\d+\]\.content\[\d+\]|input\[\d+\].*): .*support tool calling",
    # What this service has made: encrypted reasoning.
    r"\.encrypted_content: expected text that this service",
    # What a text holds: pictures, recordings, schemas, expressions, grammars.
    r"^image|^classes|^file: |\bimage_url|^input\[\d+\]\.output|^messages\[\d+\]\.content\[\d+\]: expected (an image|base64)",
    r"^(json_schema|guided_json|structured_outputs\.json|response_format|text\.format|output_config\.format)\b",
    r"^(guided_regex|guided_grammar|grammar|structured_outputs(\.\w+)?|guided_choice)\b",
    r"^tools\b|\.arguments: ",
    # What a conversation needs: calls and results in pairs, contents by role, a last message.
    r"expected every id once|expected the id of a call before it|expected a tool message with the result",
    r"^(messages\[\d+\]|input(\[\d+\])?): expected (a message|no|items?|one)|^messages\[\d+\]\.content\[\d+\]: expected no",
    r"^tool_choice(\.tools)?: |^continue_final_message: |^add_generation_prompt: |^messages\[\d+\]\.prefix",
    # More than two fields: one format beside all others, one value below another.
    r"^\w+(\.\w+)?: expected one format of the answer|^min_tokens: expected at most",
    r"^(min_tokens|ignore_eos|bad_words|allowed_token_ids): not allowed with",
    r"^(max_completion_tokens|best_of|add_special|size): expected (the value|the same|a (width|height))",
    r"^multichannel: expected false with diarization",
    r"^size: expected|^negative_prompt: with a guidance_scale of 1",
    r"^top_logprobs: expected `logprobs`|^\w+: not allowed with|^background|^store|^stream: not supported with",
    # The schema allows any name; a name one letter away from a field is refused.
    r"unknown field, one letter away",
    # What a list holds.
    r"^after: expected the id of an item",
    # Limits of a whole body.
    r"^The (JSON|body|request)|values|too (large|many|deep)",
]
MODELS = {"embeddings": "tiny-embed", "rerank": "tiny-rerank", "detect": "tiny-detect", "audio/speech": "tiny-speech"}
MODELS |= {"images/generations": "tiny-image", "audio/transcriptions": "tiny-whisper", "audio/translations": "tiny-whisper"}
# A socket, and what would unload the models.
SKIPPED = ["/realtime", "/models/{model_id}/load", "/models/{model_id}/unload"]
# Each would make a run long and tell nothing more.
SMALL = {"max_tokens": 5, "max_completion_tokens": 5, "max_output_tokens": 5, "num_inference_steps": 2, "n": 1}
SMALL |= {"width": 256, "height": 256}


def fault_of(document, reference, value):
    validator = Draft202012Validator({"$ref": reference, "components": document["components"]})
    for error in validator.iter_errors(value):
        return f"{list(error.absolute_path)}: {error.message[:200]}"


def events_of(text):
    for line in text.split("\n"):
        if line.startswith("data: ") and line != "data: [DONE]":
            yield json.loads(line[6:])


def verdict_of(document, operation, response):
    described = operation.definition.raw["responses"].get(str(response.status_code))
    if described is None:
        return f"status {response.status_code} is not documented"
    media = response.headers["content-type"].split(";")[0]
    if media not in described["content"]:
        return f"{media} of {response.status_code} is not documented"
    reference = described["content"][media]["schema"]["$ref"]
    if media == "application/json":
        fault = fault_of(document, reference, response.json())
        if fault:
            return f"{response.status_code}: {fault}"
    if media == "text/event-stream":
        for event in events_of(response.text):
            fault = fault_of(document, reference, event)
            if fault:
                return f"event: {fault}"
    if response.status_code in (400, 413):
        message = response.json()["error"]["message"]
        if not any(re.search(pattern, message) for pattern in CANT_SAY):
            return f"refused: {message[:160]}"
    if response.status_code >= 500:
        return f"{response.status_code}: {response.text[:160]}"


def fields_of(body):
    """A form's fields: lists as several of one name, all but the file."""

    def text(value):
        return json.dumps(value) if isinstance(value, (bool, int, float, dict)) else str(value)

    for name, value in body.items():
        for one in value if isinstance(value, list) else [value]:
            if name != "file" and one is not None:
                yield name, text(one)


def keep(url, headers):
    """Values for the placeholders of paths: what a service keeps."""

    def post(path, **body):
        return requests.post(url + path, json=body, headers=headers, timeout=60).json()

    response = post("/responses", model="tiny-chat", input="Hello", max_output_tokens=5)
    items = [{"type": "message", "id": "msg_1", "role": "user", "content": "Hello"}]
    conversation = post("/conversations", items=items)
    kept_ids = {"response_id": response["id"], "conversation_id": conversation["id"], "item_id": "msg_1"}
    return kept_ids | {"model_id": "tiny-chat"}


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--url", default="http://127.0.0.1:8000/v1")
    options.add_argument("--count", type=int, default=60)
    options.add_argument("--seed", type=int, default=7)
    options.add_argument("--path", action="append")
    asked = options.parse_args()
    headers = {"authorization": f"Bearer {os.environ['SLASHV1_API_KEY']}"}
    document = requests.get(asked.url + "/openapi.json", headers=headers, timeout=30).json()
    kept_ids = keep(asked.url, headers)
    recording = (Path(__file__).parents[1] / "e2e/media/speech.wav").read_bytes()
    failures = 0
    for result in schemathesis.openapi.from_dict(document).get_all_operations():
        operation = result.ok()
        content = operation.definition.raw.get("requestBody", {}).get("content", {"application/json": {}})
        is_form = "multipart/form-data" in content
        if not (is_form or "application/json" in content) or operation.path in SKIPPED or (asked.path and operation.path not in asked.path):
            continue
        label = f"{operation.method.upper()} {operation.path}"
        found, examples, sent = collections.Counter(), {}, collections.Counter()

        def send(case):
            if operation.method.upper() == "DELETE":
                # Every second one names what the service keeps; it is gone then.
                ids = keep(asked.url, headers) if sum(sent.values()) % 2 == 0 else case.path_parameters
                path = operation.path.format(**{name: quote(str(value), safe="") for name, value in ids.items()})
                judge(requests.delete(asked.url + path, headers=headers, timeout=60), ids)
                return
            url = asked.url + operation.path.format(**kept_ids)
            if operation.method.upper() == "GET":
                judge(requests.get(url, params=case.query, headers=headers, timeout=60), case.query)
                return
            body = case.body
            if not isinstance(body, dict):
                return
            body = {name: min(value, SMALL[name]) if name in SMALL and type(value) is int else value for name, value in body.items()}
            if "conversations" not in operation.path:
                body["model"] = MODELS.get(operation.path[1:], "tiny-chat")
            for name in ("width", "height"):
                if body.get(name):
                    body[name] = 256
            if body.get("max_tokens"):
                body.pop("max_completion_tokens", None)
            if is_form:
                judge(requests.post(url, data=list(fields_of(body)), files={"file": ("speech.wav", recording)}, headers=headers, timeout=60), body)
            else:
                judge(requests.post(url, json=body, headers=headers, timeout=60), body)

        def judge(response, given):
            sent[response.status_code] += 1
            verdict = verdict_of(document, operation, response)
            if verdict:
                found[verdict] += 1
                examples.setdefault(verdict, json.dumps(dict(given)))

        quiet = settings(max_examples=asked.count, deadline=None, database=None, phases=[Phase.generate], suppress_health_check=list(HealthCheck))
        seed(asked.seed)(quiet(given(case=operation.as_strategy())(send)))()
        print(label, dict(sent), f"{sum(found.values())} failures", flush=True)
        for verdict, count in found.most_common():
            print(f"  {count} {verdict}\n    {examples[verdict][:400]}")
        failures += sum(found.values())
    sys.exit(failures > 0)


main()
