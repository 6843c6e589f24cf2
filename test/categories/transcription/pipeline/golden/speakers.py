"""Writes speakers/: two graphs in the layouts of diarization, which tell voices by the sign of their samples.

Speaker 1 of a window of 2 s speaks where the mean of a frame is above 0.05, speaker 2 where it is below −0.05. The embedding is the mean
of the positive samples and that of the negative ones. Made with Python 3.11 and onnx 1.20: `python speakers.py`
"""

from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

folder = Path(__file__).parent / "speakers"


def save(name, nodes, inputs, outputs, constants=()):
    tensor = lambda pair: helper.make_tensor_value_info(pair[0], TensorProto.FLOAT, pair[1])
    graph = helper.make_graph(
        nodes, name, [tensor(one) for one in inputs], [tensor(one) for one in outputs],
        [numpy_helper.from_array(np.array(value, dtype=np.float32), key) for key, value in constants],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.checker.check_model(model)
    path = folder / name / "onnx" / "model.onnx"
    path.parent.mkdir(parents=True, exist_ok=True)
    onnx.save(model, path)


node = helper.make_node
save(
    "segmentation",
    [
        node("AveragePool", ["input_values"], ["means"], kernel_shape=[991], strides=[270]),
        node("Transpose", ["means"], ["frames"], perm=[0, 2, 1]),
        node("Mul", ["frames", "weights"], ["weighed"]),
        node("Add", ["weighed", "bias"], ["logits"]),
    ],
    [("input_values", [1, 1, 32000])],
    [("logits", [1, "frames", 7])],
    [("weights", [0, 10, -10, 0, 0, 0, 0]), ("bias", [0.5, 0, 0, -9, -9, -9, -9])],
)
save(
    "embedding",
    [
        node("Neg", ["input_values"], ["negated"]),
        node("Relu", ["input_values"], ["above"]),
        node("Relu", ["negated"], ["below"]),
        node("Concat", ["above", "below"], ["both"], axis=0),
        node("ReduceMean", ["both"], ["means"], axes=[1], keepdims=1),
        node("Transpose", ["means"], ["embeddings"], perm=[1, 0]),
    ],
    [("input_values", [1, "samples"])],
    [("embeddings", [1, 2])],
)
