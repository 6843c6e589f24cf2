"""Makes the hub's folder of Moonshine base out of graphs in ONNX Runtime's own format. Usage: python moonshine_folder.py GRAPHS TARGET

ONNX Runtime writes what it reads as ONNX, but for the names of graphs within graphs.
"""

import json
import sys
from pathlib import Path

import onnx
import onnxruntime

CONFIG = {
    "model_type": "moonshine", "vocab_size": 32768, "hidden_size": 416, "max_position_embeddings": 194,
    "encoder_num_hidden_layers": 8, "encoder_num_attention_heads": 8, "encoder_num_key_value_heads": 8,
    "decoder_num_hidden_layers": 8, "decoder_num_attention_heads": 8, "decoder_num_key_value_heads": 8,
    "bos_token_id": 1, "decoder_start_token_id": 1, "eos_token_id": 2,
}  # fmt: skip


def convert(source, target):
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.optimized_model_filepath = str(target)
    onnxruntime.InferenceSession(str(source), options, providers=["CPUExecutionProvider"])
    model = onnx.load(target)
    model.graph.name = model.graph.name or target.stem
    for node in model.graph.node:
        for attribute in node.attribute:
            if attribute.HasField("g"):
                attribute.g.name = attribute.g.name or attribute.name
    onnx.save(model, target)


def main(graphs, target):
    (target / "onnx").mkdir(parents=True)
    for source in graphs.glob("*.ort"):
        convert(source, target / "onnx" / f"{source.stem}.onnx")
    (target / "config.json").write_text(json.dumps(CONFIG, indent=1) + "\n")
    (target / "tokenizer_config.json").write_text(json.dumps({"tokenizer_class": "PreTrainedTokenizerFast"}) + "\n")


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
