"""Measures the exported model on held-out prompts of every skill, at the API's default sampling and at temperature 0."""

import argparse
import json
import re
import urllib.error
import urllib.request
from pathlib import Path

import numpy as np
from tokenizers import Tokenizer

import off_world
from dialogues import FALLBACK, DialogueMaker, Exchange
from export import Runner
from template import render

SKILLS = ["smalltalk", "memory", "fallback", "off-world", "describe", "question", "sum", "tool", "tool: weather and time", "tool: draw", "parallel", "no call", "answer", "missing",
          "long history"]
LONG_HISTORY = 1700
WINDOW = 64
# The API takes no other names of tools.
LEGAL_NAME = re.compile(r"[\w-]{1,64}", re.ASCII)


class Chat:
    """Generates as the API does: repeat penalty over the last 64 tokens, min_p, temperature, draw."""

    def __init__(self, folder, threads=1, seed=0):
        self.runner = Runner(folder, threads)
        self.tokenizer = Tokenizer.from_file(str(Path(folder) / "tokenizer.json"))
        self.end = self.tokenizer.token_to_id("<|im_end|>")
        self.random = np.random.default_rng(seed)

    def pick(self, logits, history, temperature, min_p=0.05, penalty=1.1):
        logits = logits.astype(np.float64)
        seen = np.unique(history[-WINDOW:])
        logits[seen] = np.where(logits[seen] > 0, logits[seen] / penalty, logits[seen] * penalty)
        if temperature == 0:
            return int(logits.argmax())
        logits[logits < logits.max() + np.log(min_p)] = -np.inf
        weights = np.exp((logits - logits.max()) / temperature)
        return int(self.random.choice(len(weights), p=weights / weights.sum()))

    def generate(self, messages, tools=None, temperature=0.7, limit=220):
        ids = self.tokenizer.encode(render(messages, tools, add_generation_prompt=True)).ids
        past, position, fresh, history = self.runner.empty_past(), 0, ids, list(ids)
        written = []
        while len(written) < limit:
            total = position + len(fresh)
            logits, past = self.runner.run(np.array([fresh]), np.ones((1, total), np.int64), np.arange(position, total)[None], past)
            token = self.pick(logits[0, -1], history, temperature)
            if token == self.end:
                break
            written.append(token)
            history.append(token)
            position, fresh = total, [token]
        return self.tokenizer.decode(written, skip_special_tokens=True)


class ServedChat:
    """Asks a server of the chat API instead, whose decoding keeps calls to the tools' schemas, and writes answers as the model would."""

    def __init__(self, url, key, model, tokenizer):
        self.url, self.key, self.model, self.tokenizer = url, key, model, tokenizer

    def generate(self, messages, tools=None, temperature=0.7, limit=220):
        sent = []
        for message in messages:
            message = {name: value for name, value in message.items() if name != "compact"}
            if calls := message.get("tool_calls"):
                message["tool_calls"] = [{"id": f"call_{len(sent)}_{index}", "type": "function", "function": {**call["function"], "arguments": as_text(call["function"]["arguments"])}}
                                         for index, call in enumerate(calls)]
                waiting = [call["id"] for call in message["tool_calls"]]
            elif message["role"] == "tool":
                message["tool_call_id"] = waiting.pop(0)
            sent.append(message)
        body = {"model": self.model, "messages": sent, "temperature": temperature, "max_tokens": limit, **({"tools": tools} if tools else {})}
        headers = {"authorization": f"Bearer {self.key}", "content-type": "application/json"}
        request = urllib.request.Request(f"{self.url}/chat/completions", json.dumps(body).encode(), headers)
        try:
            with urllib.request.urlopen(request) as response:
                message = json.load(response)["choices"][0]["message"]
        except urllib.error.HTTPError as error:
            raise RuntimeError(f"{error.code}: {error.read().decode()}") from error
        if calls := message.get("tool_calls"):
            try:
                return "\n".join(f"<tool_call>\n{json.dumps({**call['function'], 'arguments': json.loads(call['function']['arguments'])})}\n</tool_call>" for call in calls)
            except ValueError:
                return "a call that was cut off"
        thinking = message.get("reasoning_content")
        return (f"<think>\n{thinking.strip()}\n</think>\n" if thinking else "") + (message["content"] or "").strip()


def as_text(arguments):
    return arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)


def calls_in(text):
    """The tool calls of an answer, or None when there are none or anything else is written."""
    blocks = re.findall(r"<tool_call>\n(.*?)\n</tool_call>", text, re.S)
    if not blocks or "\n".join(f"<tool_call>\n{block}\n</tool_call>" for block in blocks) != text:
        return None
    try:
        return [json.loads(block) for block in blocks]
    except ValueError:
        return None


def is_right(exchange, text):
    expected = exchange.messages[-1]
    if not expected.get("tool_calls"):
        return exchange.accepts.accepts(text) if exchange.accepts else text == expected["content"]
    wanted = [call["function"] for call in expected["tool_calls"]]
    calls = calls_in(text)
    if calls is None or len(calls) != len(wanted) or any(set(call) != {"name", "arguments"} for call in calls):
        return False
    if exchange.accepts:
        scene = next(iter(calls[0]["arguments"].values()), "")
        return calls[0]["name"] == wanted[0]["name"] and set(calls[0]["arguments"]) == set(wanted[0]["arguments"]) and exchange.accepts.accepts(scene)
    return calls == wanted


def wanted_text(exchange):
    """The expected last message, to be shown beside a wrong one."""
    message = exchange.messages[-1]
    return message["content"] or "\n".join(json.dumps(call["function"], ensure_ascii=False) for call in message["tool_calls"])


class Examples:
    """Held-out test dialogues of one skill: the last message is what the model has to write."""

    def __init__(self, skill, seed):
        self.skill = skill
        self.maker = DialogueMaker(seed, held_out=True)
        self.drawn = 0

    def tools(self, count=None):
        return self.maker.tools(count or self.maker.pick(1, 2, 3, 4))

    def one_tool_of(self, *families):
        while True:
            tools = self.tools()
            if chosen := [tool for tool in tools if tool.family in families]:
                return tools, self.maker.pick(*chosen)

    def draw(self):
        make, skill = self.maker, self.skill
        self.drawn += 1
        if skill == "smalltalk":
            return self.until(make.small_talk, "smalltalk"), []
        if skill == "memory":
            name = make.name()
            told = Exchange("memory", [{"role": "user", "content": make.pick(f"My name is {name}.", f"Hi, I am {name}", f"I'm {name}")},
                                       {"role": "assistant", "content": f"Nice to meet you, {name}!"}])
            between = make.without_tools(None) if make.chance(0.5) else Exchange("none", [])
            return [told, between, make.name_question(name)], []
        if skill == "fallback":
            return self.until(lambda: make.off_world() if make.chance(0.6) else make.tool_without_tools(), "fallback"), []
        if skill == "off-world":
            asked = off_world.HELD_OUT[(self.drawn - 1) % len(off_world.HELD_OUT)]
            return [Exchange("fallback", [{"role": "user", "content": asked}, {"role": "assistant", "content": FALLBACK}])], []
        if skill in ("describe", "question", "sum"):
            maker = {"describe": make.free_scene, "question": make.scene_question, "sum": make.sum_exchange}[skill]
            return [maker()], []
        if skill == "no call":
            tools = make.tools_but_draw(make.pick(1, 2, 3))
            return [make.no_call()], tools
        if skill in ("parallel", "answer", "missing"):
            tools = self.tools()
            while True:
                if skill == "parallel":
                    exchange = make.parallel_call(tools)
                elif skill == "answer":
                    exchange = make.parallel_call(tools, True) if make.chance(0.3) else make.tool_call(tools, True)
                else:
                    exchange = make.missing_argument(tools)
                if exchange and exchange.skill == skill:
                    return [exchange], tools
                tools = self.tools()
        if skill == "long history":
            return self.long_history()
        families = {"tool": ("query", "action"), "tool: weather and time": ("weather", "time"), "tool: draw": ("draw",)}[skill]
        tools, tool = self.one_tool_of(*families)
        return [make.calls(make.request(tool), tools, False, "tool")], tools

    def until(self, maker, skill):
        while True:
            exchange = maker()
            if exchange.skill == skill:
                return [exchange]

    def long_history(self):
        make = self.maker
        tools = self.tools() if make.chance(0.5) else []
        exchanges, length = [], 0
        schemas = [tool.schema() for tool in tools]
        while length < LONG_HISTORY:
            exchange = make.with_tools(tools, None) if tools else make.without_tools(None)
            if exchange.skill in ("tool", "parallel"):
                continue
            exchanges.append(exchange)
            messages = [message for exchange in exchanges for message in exchange.messages]
            length = len(self.tokenizer.encode(render(messages, schemas)).ids)
        if length > 1850:
            return self.long_history()
        return exchanges + [make.with_tools(tools, None) if tools else make.without_tools(None)], tools


def evaluate(folder, count, temperatures, skills, seed, show=0, threads=1, served=None):
    results = {}
    for skill in skills:
        for temperature in temperatures:
            chat, examples, right = served or Chat(folder, threads, seed), Examples(skill, seed), 0
            examples.tokenizer = chat.tokenizer
            shown = 0
            for _ in range(count):
                exchanges, tools = examples.draw()
                while served and not all(LEGAL_NAME.fullmatch(tool.schema()["function"]["name"]) for tool in tools):
                    exchanges, tools = examples.draw()
                messages, schemas, _ = examples.maker.assemble(exchanges, tools)
                text = chat.generate(messages[:-1], schemas, temperature)
                correct = is_right(exchanges[-1], text)
                right += correct
                if not correct and shown < show:
                    shown += 1
                    print(f"  {skill}: {messages[-2]['content']!r}\n    wrote {text!r}\n    wanted {wanted_text(exchanges[-1])!r}", flush=True)
            results[skill, temperature] = right / count
            print(f"{skill:24} temperature {temperature}: {100 * right / count:.1f} % of {count}", flush=True)
    return results


def table(results):
    skills = list(dict.fromkeys(skill for skill, _ in results))
    temperatures = list(dict.fromkeys(temperature for _, temperature in results))
    lines = ["| skill | " + " | ".join("default sampling" if t else "temperature 0" for t in temperatures) + " |", "|---|" + "---|" * len(temperatures)]
    for skill in skills:
        lines.append(f"| {skill} | " + " | ".join(f"{100 * results[skill, t]:.1f} %" for t in temperatures) + " |")
    return "\n".join(lines)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folder", type=Path, default=Path(__file__).parent.parent)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--temperatures", type=float, nargs="+", default=[0.7, 0.0])
    parser.add_argument("--skills", nargs="+", default=SKILLS)
    parser.add_argument("--show", type=int, default=0, help="wrong answers to print for each skill")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--url", help="base URL of a server to ask, such as http://127.0.0.1:8000/v1")
    parser.add_argument("--key", default="none", help="its API key")
    parser.add_argument("--model", default="tiny-chat", help="the model's name there")
    options = parser.parse_args()
    tokenizer = Tokenizer.from_file(str(options.folder / "tokenizer.json"))
    served = ServedChat(options.url, options.key, options.model, tokenizer) if options.url else None
    print(table(evaluate(options.folder, options.count, options.temperatures, options.skills, options.seed, options.show, options.threads, served)))
