"""The graphs of a folder, run by ONNX Runtime: what every server in this folder serves."""

from pathlib import Path

import numpy as np
import onnxruntime

DATATYPES = {
    "tensor(float)": ("FP32", np.float32),
    "tensor(int64)": ("INT64", np.int64),
}


class Graph:
    """One graph, with its inputs and outputs in the words of the Open Inference Protocol."""

    def __init__(self, path: Path):
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        self.session = onnxruntime.InferenceSession(
            str(path), options, providers=["CPUExecutionProvider"]
        )
        self.inputs = [describe(one) for one in self.session.get_inputs()]
        self.outputs = [describe(one) for one in self.session.get_outputs()]

    def run(self, feeds: dict, fetches: list | None = None) -> dict:
        names = fetches or [one["name"] for one in self.outputs]
        return dict(zip(names, self.session.run(names, feeds)))


def describe(tensor) -> dict:
    datatype, _ = DATATYPES[tensor.type]
    shape = [size if isinstance(size, int) else -1 for size in tensor.shape]
    return {"name": tensor.name, "datatype": datatype, "shape": shape}


def numpy_type(datatype: str):
    return next(kind for name, kind in DATATYPES.values() if name == datatype)


def open_graphs(folder: str) -> dict:
    """`embedder.onnx` in the folder becomes the graph `embedder`."""
    return {path.stem: Graph(path) for path in sorted(Path(folder).glob("*.onnx"))}
