"""Writes the model folder in the hub's ONNX layout, and checks the graph against PyTorch."""

import argparse
import json
import warnings
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
import torch

from classes import NAMES
from model import STRIDES, Exported, load

IMAGE_SIZE = 640


def export_graph(model, path):
    axes = {"images": {0: "batch", 2: "height", 3: "width"}, "output0": {0: "batch", 2: "anchors"}}
    with torch.no_grad(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.onnx.export(Exported(model).eval(), torch.rand(2, 3, 96, 64), str(path), input_names=["images"], output_names=["output0"], dynamic_axes=axes,
                          opset_version=17, dynamo=False)
    graph = onnx.load(str(path))
    # Doc strings of the exporter carry nothing but this machine's paths.
    for node in graph.graph.node:
        node.doc_string = ""
    names = {index: name for index, name in enumerate(NAMES)}
    onnx.helper.set_model_props(graph, {
        "description": "tiny-detect", "task": "detect", "stride": str(max(STRIDES)), "batch": "1", "imgsz": str([IMAGE_SIZE, IMAGE_SIZE]), "names": str(names),
    })
    onnx.checker.check_model(graph)
    onnx.save(graph, str(path))


class Runner:
    """Runs the exported graph in onnxruntime: images [batch, 3, height, width] in, [batch, 4 + classes, n] out."""

    def __init__(self, folder, threads=1):
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        self.session = onnxruntime.InferenceSession(str(Path(folder) / "onnx" / "model.onnx"), options, providers=["CPUExecutionProvider"])

    def run(self, images):
        return self.session.run(None, {"images": images})[0]


def check_graph(folder, model):
    """The graph must equal PyTorch at several sizes. Returns the largest relative difference seen."""
    runner, rng, worst = Runner(folder), np.random.default_rng(0), 0.0
    for batch, height, width in [(1, 640, 640), (3, 320, 416), (2, 32, 96)]:
        images = rng.random((batch, 3, height, width), np.float32)
        with torch.no_grad():
            expected = Exported(model)(torch.from_numpy(images)).numpy()
        result = runner.run(images)
        cells = sum(height * width // stride**2 for stride in STRIDES)
        assert result.shape == expected.shape == (batch, 4 + len(NAMES), cells), result.shape
        worst = max(worst, float((np.abs(result - expected) / (1 + np.abs(expected))).max()))
    assert worst < 1e-3, f"graph and PyTorch differ by {worst}"
    return worst


def write_json(path, value):
    path.write_text(json.dumps(value, indent=2) + "\n", encoding="utf-8")


def write_configs(folder):
    write_json(folder / "config.json", {
        "model_type": "yolo", "architectures": ["YoloV8ForObjectDetection"], "image_size": IMAGE_SIZE, "stride": max(STRIDES),
        "id2label": {str(index): name for index, name in enumerate(NAMES)}, "label2id": {name: index for index, name in enumerate(NAMES)},
    })


def export(checkpoint, folder):
    folder = Path(folder)
    (folder / "onnx").mkdir(parents=True, exist_ok=True)
    model = load(checkpoint)
    write_configs(folder)
    export_graph(model, folder / "onnx" / "model.onnx")
    return check_graph(folder, model)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("checkpoint", type=Path)
    parser.add_argument("--folder", type=Path, default=Path(__file__).resolve().parent.parent)
    options = parser.parse_args()
    print("largest relative difference between graph and PyTorch:", export(options.checkpoint, options.folder))
