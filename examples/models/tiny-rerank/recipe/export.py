"""Writes the model in the hub's ONNX layout, as a cross-encoder of sentence-transformers."""

import json
import shutil
import warnings
from pathlib import Path

import numpy
import onnx
import torch
from onnx import numpy_helper

from model import COMPARING_LAYERS, EMBED, HEADS, INNER, LAYER_NORM_EPS, READING_LAYERS, WIDTH


def export(model, folder: Path):
    path = folder / "onnx" / "model.onnx"
    path.parent.mkdir(exist_ok=True)
    sample = torch.ones(2, 7, dtype=torch.int64)
    names = ["input_ids", "attention_mask", "token_type_ids"]
    axes = {name: {0: "batch_size", 1: "sequence_length"} for name in names}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.onnx.export(
            model.eval(), (sample, sample, 0 * sample), str(path), input_names=names, output_names=["logits"],
            dynamic_axes={**axes, "logits": {0: "batch_size"}}, opset_version=17, dynamo=False,
        )
    graph = onnx.load(str(path))
    store_as_float16(graph)
    onnx.checker.check_model(graph)
    onnx.save(graph, str(path))
    for name in ("tokenizer.json", "tokenizer_config.json"):
        shutil.copy(EMBED / name, folder)
    config = {
        "architectures": ["BertForSequenceClassification"], "model_type": "bert", "vocab_size": model.words.num_embeddings, "hidden_size": WIDTH,
        "num_hidden_layers": READING_LAYERS + COMPARING_LAYERS, "num_attention_heads": HEADS, "intermediate_size": INNER, "hidden_act": "gelu",
        "max_position_embeddings": model.places.num_embeddings, "type_vocab_size": 2, "layer_norm_eps": LAYER_NORM_EPS, "pad_token_id": 0,
        "id2label": {"0": "LABEL_0"}, "label2id": {"LABEL_0": 0}, "sentence_transformers": {"activation_fn": "torch.nn.modules.activation.Sigmoid"},
    }
    (folder / "config.json").write_text(json.dumps(config, indent=2) + "\n")


def store_as_float16(model):
    """Halves the file: weights are read as float16 and computed with as float32."""
    casts = []
    for tensor in model.graph.initializer:
        values = numpy_helper.to_array(tensor)
        if values.dtype != numpy.float32 or values.size < 1000:
            continue
        name = tensor.name
        tensor.CopyFrom(numpy_helper.from_array(values.astype(numpy.float16), name + ".half"))
        casts.append(onnx.helper.make_node("Cast", [name + ".half"], [name], to=onnx.TensorProto.FLOAT))
    nodes = [*casts, *model.graph.node]
    del model.graph.node[:]
    model.graph.node.extend(nodes)
