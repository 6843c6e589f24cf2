"""Makes graphs as models on the hub have them: rotation, repeated heads, concatenation and softmax in plain operators.

Usage:
    python hub_graph.py fp32 SOURCE TARGET
    python hub_graph.py q4 EXPORTED TARGET
    python hub_graph.py q8 EXPORTED TARGET
"""

import json
import logging
import shutil
import sys
from pathlib import Path

import onnx
from onnx import numpy_helper

BLOCK_SIZE = 32


def export(source, target):
    from optimum.exporters.onnx import main_export

    is_whisper = json.loads((source / "config.json").read_text())["model_type"] == "whisper"
    task = "automatic-speech-recognition-with-past" if is_whisper else "text-generation-with-past"
    main_export(str(source), output=target / "export", task=task, do_validation=False)
    (target / "onnx").mkdir()
    for name in ["encoder_model.onnx", "decoder_model_merged.onnx"] if is_whisper else ["model.onnx"]:
        for file in (target / "export").glob(f"{name}*"):
            file.rename(target / "onnx" / file.name)
    shutil.rmtree(target / "export")


def quantize_to_bytes(exported, target):
    """Products of 8-bit weights and activations, as the files `*_quantized.onnx` of the hub have them."""
    from onnxruntime.quantization import QuantType, quantize_dynamic

    (target / "onnx").mkdir()
    for file in (exported / "onnx").glob("*.onnx"):
        quantized = target / "onnx" / f"{file.stem}_quantized.onnx"
        options = {"EnableSubgraph": True}
        quantize_dynamic(file, quantized, weight_type=QuantType.QUInt8, extra_options=options, op_types_to_quantize=["MatMul"])


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
    {"fp32": export, "q4": quantize, "q8": quantize_to_bytes}[form](Path(source), Path(target))
