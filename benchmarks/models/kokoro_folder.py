"""Makes the hub's folder of Kokoro out of a graph of kokoro-onnx. Usage: python kokoro_folder.py GRAPH.onnx CONFIG.json VOICES TARGET

The graphs differ in names: `tokens` is `input_ids` on the hub, `audio` is `waveform` with a row for each text. CONFIG.json has the
numbers of the phonemes, VOICES is a folder of `*.bin`.
"""

import json
import shutil
import sys
from pathlib import Path

import onnx
from onnx import TensorProto, helper


def rename(graph, old, new):
    for node in graph.node:
        for names in (node.input, node.output):
            for index, name in enumerate(names):
                if name == old:
                    names[index] = new
    for value in [*graph.input, *graph.output]:
        if value.name == old:
            value.name = new


def with_names_of_the_hub(graph_file):
    model = onnx.load(graph_file)
    graph = model.graph
    rename(graph, "tokens", "input_ids")
    graph.initializer.append(helper.make_tensor("rows_shape", TensorProto.INT64, [2], [1, -1]))
    graph.node.append(helper.make_node("Reshape", [graph.output[0].name, "rows_shape"], ["waveform"]))
    graph.output[0].CopyFrom(helper.make_tensor_value_info("waveform", TensorProto.FLOAT, [1, "num_samples"]))
    return model


def tokenizer(vocabulary):
    """One token for each phoneme, between two `$`; what has no number is dropped."""
    known = "".join(("\\" if symbol in "\\]^-" else "") + symbol for symbol in vocabulary)
    edge = {"SpecialToken": {"id": "$", "type_id": 0}}
    return {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [],
        "normalizer": {"type": "Replace", "pattern": {"Regex": f"[^{known}]"}, "content": ""},
        "pre_tokenizer": {"type": "Split", "pattern": {"Regex": ""}, "behavior": "Isolated", "invert": False},
        "post_processor": {
            "type": "TemplateProcessing",
            "single": [edge, {"Sequence": {"id": "A", "type_id": 0}}, edge],
            "pair": [],
            "special_tokens": {"$": {"id": "$", "ids": [0], "tokens": ["$"]}},
        },
        "decoder": None,
        "model": {"type": "WordLevel", "vocab": {"$": 0, **vocabulary}, "unk_token": "$"},
    }


def main(graph_file, config_file, voices, target):
    (target / "onnx").mkdir(parents=True)
    onnx.save(with_names_of_the_hub(graph_file), target / "onnx" / "model_quantized.onnx")
    shutil.copytree(voices, target / "voices")
    vocabulary = json.loads(config_file.read_text())["vocab"]
    contents = {
        "config.json": {"model_type": "style_text_to_speech_2"},
        "tokenizer.json": tokenizer(vocabulary),
        "tokenizer_config.json": {"model_max_length": 512, "pad_token": "$", "tokenizer_class": "PreTrainedTokenizer", "unk_token": "$"},
    }
    for name, content in contents.items():
        (target / name).write_text(json.dumps(content, ensure_ascii=False))


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
