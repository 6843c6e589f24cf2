"""Makes graphs as models on the hub have them: rotation, repeated heads, concatenation and softmax in plain operators.

Usage:
    python hub_graph.py fp32 SOURCE TARGET
    python hub_graph.py words SOURCE TARGET     a Whisper that also gives its cross-attentions, for the times of words
    python hub_graph.py q4 EXPORTED TARGET
    python hub_graph.py q8 EXPORTED TARGET      which may be the same folder
"""

import json
import logging
import shutil
import sys
from pathlib import Path

import onnx
from onnx import numpy_helper

BLOCK_SIZE = 32
# Types of models whose 8-bit weights have one scale for each tensor on the hub, where others have one for each channel.
WITH_ONE_SCALE = {"whisper"}


TASKS = {"whisper": "automatic-speech-recognition-with-past", "bert": "feature-extraction"}


def export(source, target, **options):
    from optimum.exporters.onnx import main_export

    kind = json.loads((source / "config.json").read_text())["model_type"]
    task = TASKS.get(kind, "text-generation-with-past")
    main_export(str(source), output=target / "export", task=task, library_name="transformers", do_validation=False, **options)
    (target / "onnx").mkdir()
    for name in ["encoder_model.onnx", "decoder_model_merged.onnx"] if kind == "whisper" else ["model.onnx"]:
        for file in (target / "export").glob(f"{name}*"):
            file.rename(target / "onnx" / file.name)
    shutil.rmtree(target / "export")


def export_with_attentions(source, target):
    from optimum.exporters.onnx.model_configs import WhisperOnnxConfig
    from transformers import AutoConfig

    class WithAttentions(WhisperOnnxConfig):
        @property
        def outputs(self):
            outputs = super().outputs
            if self._behavior.value != "encoder":
                axes = {0: "batch_size", 2: "decoder_sequence_length", 3: "encoder_sequence_length"}
                outputs.update({f"cross_attentions.{layer}": axes for layer in range(self._config.decoder_layers)})
            return outputs

    config = WithAttentions(AutoConfig.from_pretrained(source), task="automatic-speech-recognition", use_past=True, use_past_in_inputs=False)
    parts = {
        "encoder_model": config.with_behavior("encoder"),
        "decoder_model": config.with_behavior("decoder", use_past=True, use_past_in_inputs=False),
        "decoder_with_past_model": config.with_behavior("decoder", use_past=True, use_past_in_inputs=True),
    }
    export(source, target, custom_onnx_configs=parts, model_kwargs={"output_attentions": True}, attn_implementation="eager")


def quantize_to_bytes(exported, target):
    """All weights and activations in 8 bits, as the files `*_quantized.onnx` of the hub have them."""
    from onnxruntime.quantization import QuantType, quantize_dynamic

    kind = json.loads((exported / "config.json").read_text())["model_type"]
    by_channel = kind not in WITH_ONE_SCALE
    (target / "onnx").mkdir(exist_ok=True)
    for file in [file for file in (exported / "onnx").glob("*.onnx") if not file.stem.endswith("_quantized")]:
        operators = {node.op_type for node in onnx.load(file, load_external_data=False).graph.node}
        quantize_dynamic(
            file,
            target / "onnx" / f"{file.stem}_quantized.onnx",
            weight_type=QuantType.QUInt8 if "Conv" in operators else QuantType.QInt8,
            per_channel=by_channel,
            reduce_range=by_channel,
            extra_options={"EnableSubgraph": True},
        )


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
    forms = {"fp32": export, "words": export_with_attentions, "q4": quantize, "q8": quantize_to_bytes}
    forms[form](Path(source), Path(target))
