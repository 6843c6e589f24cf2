"""onnxruntime-genai on a graph of its builder.

Usage: python onnxruntime-genai.py --model FOLDER [--runtime FILE] [options of runner.js]

--runtime names the library of onnxruntime to compute with, such as the one in onnxruntime-node, in place of the one of
Python's onnxruntime.
"""

import argparse
import json
import os
import resource
import sys
import time
import types
from importlib.metadata import version
from pathlib import Path

import numpy as np

STREAM_PROMPT = 64


def read_options():
    numbers = lambda text: [int(part) for part in text.split(",") if part]
    parser = argparse.ArgumentParser()
    parser.add_argument("--model", type=Path, required=True)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--contexts", type=numbers, default="128,1024,2000")
    parser.add_argument("--streams", type=numbers, default="1,4,8")
    parser.add_argument("--tokens", type=int, default=32)
    parser.add_argument("--repetitions", type=int, default=3)
    parser.add_argument("--spinning", choices=["default", "off"], default="default")
    parser.add_argument("--runtime", type=Path)
    return parser.parse_args()


def import_genai(runtime):
    if runtime:
        # The package loads the library of Python's onnxruntime, unless the module that finds it finds nothing.
        os.environ["ORT_LIB_PATH"] = str(runtime.resolve())
        ignore = types.SimpleNamespace(add_onnxruntime_dependency=lambda package: None)
        sys.modules["onnxruntime_genai._dll_directory"] = ignore
    import onnxruntime_genai

    return onnxruntime_genai


def read_usage():
    """Seconds of processor time, and the peak memory in megabytes."""
    usage = resource.getrusage(resource.RUSAGE_SELF)
    unit = 1 if sys.platform == "darwin" else 1024
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss * unit / 1e6


def start_clock():
    """→ function: milliseconds, and milliseconds of processor time, since this call"""
    start, (before, _) = time.perf_counter(), read_usage()
    return lambda: ((time.perf_counter() - start) * 1000, (read_usage()[0] - before) * 1000)


def prompt_tokens(length, seed):
    return [1000 + ((index + 1) * 7919 + seed * 104_729) % 39_000 for index in range(length)]


def main():
    options = read_options()
    genai = import_genai(options.runtime)
    before, _ = read_usage()
    started = time.perf_counter()
    config = genai.Config(str(options.model))
    session = {"intra_op_num_threads": options.threads}
    if options.spinning == "off":
        session["session.intra_op.allow_spinning"] = "0"
    config.overlay(json.dumps({"model": {"decoder": {"session_options": session}}}))
    if options.device != "cpu":
        config.clear_providers()
        config.append_provider(options.device)
    model = genai.Model(config)
    load_seconds = time.perf_counter() - started
    loaded, loaded_peak = read_usage()
    seed = 0

    def generate(count, length, tokens):
        """→ what the first tokens and all tokens took: milliseconds, milliseconds of processor time"""
        nonlocal seed
        prompts = [prompt_tokens(length, seed + row) for row in range(1, count + 1)]
        seed += count
        clock = start_clock()
        parameters = genai.GeneratorParams(model)
        parameters.set_search_options(max_length=length + tokens, batch_size=count, do_sample=False)
        generator = genai.Generator(model, parameters)
        generator.append_tokens(np.array(prompts, dtype=np.int32))
        generator.generate_next_token()
        first = clock()
        for _ in range(tokens - 1):
            generator.generate_next_token()
        total = clock()
        generated = len(generator.get_sequence(0)) - length
        if generated != tokens:
            raise RuntimeError(f"expected {tokens} tokens, got {generated}")
        return first, total

    def repeat(count, length):
        return [generate(count, length, options.tokens) for _ in range(options.repetitions)]

    generate(1, STREAM_PROMPT, 8)
    measured = start_clock()
    contexts = []
    for context in options.contexts:
        runs = repeat(1, context)
        steps = options.tokens - 1
        contexts.append(
            {
                "context": context,
                "firstTokenMs": [first[0] for first, _ in runs],
                "firstTokenCpuMs": [first[1] for first, _ in runs],
                "tokenMs": [(total[0] - first[0]) / steps for first, total in runs],
                "tokenCpuMs": [(total[1] - first[1]) / steps for first, total in runs],
            }
        )
    streams = []
    for count in options.streams:
        runs = repeat(count, STREAM_PROMPT)
        tokens = count * options.tokens
        streams.append(
            {
                "streams": count,
                "lastFirstTokenMs": [first[0] for first, _ in runs],
                "tokensPerSecond": [tokens * 1000 / total[0] for _, total in runs],
                "tokenCpuMs": [total[1] / tokens for _, total in runs],
            }
        )
    total_ms, total_cpu_ms = measured()
    result = {
        "peer": "onnxruntime-genai",
        "version": f"{version('onnxruntime-genai')}, onnxruntime {options.runtime or version('onnxruntime')}",
        "model": options.model.resolve().name,
        "device": options.device,
        "threads": options.threads,
        "spinning": options.spinning,
        "load": {"seconds": load_seconds, "cpuSeconds": loaded - before, "peakMegabytes": loaded_peak},
        "peakMegabytes": read_usage()[1],
        "busyProcessors": total_cpu_ms / total_ms,
        "contexts": contexts,
        "streams": streams,
    }
    print(json.dumps(result, separators=(",", ":")))


if __name__ == "__main__":
    main()
