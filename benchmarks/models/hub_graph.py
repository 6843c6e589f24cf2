"""Makes graphs as models on the hub have them: rotation, repeated heads, concatenation and softmax in plain operators.

Usage:
    python hub_graph.py fp32 SOURCE TARGET
    python hub_graph.py q4 EXPORTED TARGET
"""

import logging
import shutil
import sys
from pathlib import Path

import onnx
from onnx import numpy_helper

BLOCK_SIZE = 32


def export(source, target):
    from optimum.exporters.onnx import main_export

    main_export(str(source), output=target / "export", task="text-generation-with-past", do_validation=False)
    (target / "onnx").mkdir()
    for file in (target / "export").glob("model.onnx*"):
        file.rename(target / "onnx" / file.name)
    shutil.rmtree(target / "export")


def quantize(exported, target):
    """Puts MatMulNBits in place of every MatMul with weights; the embedding stays in float32."""
    from onnxruntime.quantization.matmul_nbits_quantizer import MatMulNBitsQuantizer

    logging.disable(logging.INFO)
    model = onnx.load(exported / "onnx" / "model.onnx")
    untie(model.graph)
    quantizer = MatMulNBitsQuantizer(model, block_size=BLOCK_SIZE, is_symmetric=True)
    quantizer.process()
    (target / "onnx").mkdir()
    quantizer.model.save_model_to_file(str(target / "onnx" / "model_q4.onnx"))


def untie(graph):
    """Gives the lm_head weights of its own, which can be quantized, where it takes the transposed embedding."""
    weights = {tensor.name: tensor for tensor in graph.initializer}
    for node in [node for node in graph.node if node.op_type == "Transpose" and node.input[0] in weights]:
        transposed = numpy_helper.to_array(weights[node.input[0]]).T.copy()
        graph.initializer.append(numpy_helper.from_array(transposed, node.output[0]))
        graph.node.remove(node)


if __name__ == "__main__":
    form, source, target = sys.argv[1:]
    {"fp32": export, "q4": quantize}[form](Path(source), Path(target))
