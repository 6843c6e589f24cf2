"""Writes the model folder in the hub's ONNX layout, and checks the graphs against PyTorch."""

import argparse
import json
import warnings
from pathlib import Path

import neighbours  # noqa: F401
import numpy as np
import onnx
import onnxruntime
import torch
from model import load
from onnx import TensorProto, helper, numpy_helper
from tokenizers import Tokenizer
from train import Drawings

TEMPLATE = Path(__file__).with_name("chat_template.jinja").read_text(encoding="utf-8")
# Of weights with more numbers than this, float16 is stored.
LARGE = 256


class WholeEncoder(torch.nn.Module):
    """Pictures [1, n, 3, side, side], and a mask of their pixels, of which there is no padding."""

    def __init__(self, model):
        super().__init__()
        self.vision = model.vision

    def forward(self, pixel_values, pixel_attention_mask):
        pixels = pixel_values.flatten(0, 1)
        tokens = self.vision(pixels * pixel_attention_mask.flatten(0, 1)[:, None].to(pixels.dtype))
        return tokens


class WithCache(torch.nn.Module):
    """The decoder as one step with past keys and values, explicit positions and a mask over past and new slots."""

    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, inputs_embeds, attention_mask, position_ids, *past):
        length = inputs_embeds.shape[1]
        before = past[0].shape[2]
        causal = torch.arange(before + length)[None, :] <= torch.arange(length)[:, None] + before
        mask = causal[None, None] & (attention_mask[:, None, None, :] > 0)
        cos, sin = self.model.rotations(position_ids[:, None])
        x, present = inputs_embeds, []
        for index, block in enumerate(self.model.blocks):
            x, key, value = block(x, cos, sin, mask, (past[2 * index], past[2 * index + 1]))
            present += [key, value]
        return (torch.nn.functional.linear(self.model.norm(x), self.model.embedding.weight), *present)


def write_graph(module, sample, path, inputs, outputs, axes):
    with torch.no_grad(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.onnx.export(module.eval(), sample, str(path), input_names=inputs, output_names=outputs, dynamic_axes=axes, opset_version=18, dynamo=False)
    graph = onnx.load(str(path))
    # Doc strings of the exporter carry nothing but this machine's paths.
    for node in graph.graph.node:
        node.doc_string = ""
    store_half(graph.graph)
    onnx.checker.check_model(graph)
    onnx.save(graph, str(path))


def store_half(graph):
    """Weights are stored as float16 and computed with as float32."""
    casts = []
    for tensor in graph.initializer:
        values = numpy_helper.to_array(tensor)
        if values.dtype != np.float32 or values.size <= LARGE:
            continue
        name = tensor.name
        half = numpy_helper.from_array(values.astype(np.float16), name + "_half")
        tensor.CopyFrom(half)
        casts.append(helper.make_node("Cast", [half.name], [name], to=TensorProto.FLOAT))
    nodes = casts + list(graph.node)
    del graph.node[:]
    graph.node.extend(nodes)


def write_graphs(model, folder):
    c = model.config
    pixels, mask = torch.rand(1, 2, 3, c.side, c.side), torch.ones(1, 2, c.side, c.side, dtype=torch.bool)
    write_graph(WholeEncoder(model), (pixels, mask), folder / "vision_encoder.onnx", ["pixel_values", "pixel_attention_mask"], ["image_features"],
                {"pixel_values": {0: "batch_size", 1: "num_images"}, "pixel_attention_mask": {0: "batch_size", 1: "num_images"}, "image_features": {0: "num_images"}})
    write_graph(model.embedding, (torch.zeros(2, 3, dtype=torch.long),), folder / "embed_tokens.onnx", ["input_ids"], ["inputs_embeds"],
                {name: {0: "batch_size", 1: "sequence_length"} for name in ("input_ids", "inputs_embeds")})
    past_names = [f"past_key_values.{layer}.{kind}" for layer in range(c.layers) for kind in ("key", "value")]
    present_names = [name.replace("past_key_values", "present") for name in past_names]
    axes = {name: {0: "batch_size", 1: "sequence_length"} for name in ("inputs_embeds", "position_ids", "logits")}
    axes["attention_mask"] = {0: "batch_size", 1: "total_sequence_length"}
    axes.update({name: {0: "batch_size", 2: "past_sequence_length"} for name in past_names})
    axes.update({name: {0: "batch_size", 2: "total_sequence_length"} for name in present_names})
    past = [torch.randn(2, c.kv_heads, 5, c.head_dim) for _ in past_names]
    sample = (torch.randn(2, 3, c.hidden_size), torch.ones(2, 8, dtype=torch.long), torch.arange(5, 8)[None].repeat(2, 1), *past)
    write_graph(WithCache(model), sample, folder / "decoder_model_merged.onnx", ["inputs_embeds", "attention_mask", "position_ids"] + past_names, ["logits"] + present_names, axes)


def write_json(path, value):
    path.write_text(json.dumps(value, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


def write_configs(model, folder, tokenizer):
    c = model.config
    end, padding = tokenizer.token_to_id("<|im_end|>"), tokenizer.token_to_id("<|endoftext|>")
    write_json(folder / "config.json", {
        "architectures": ["Idefics3ForConditionalGeneration"], "model_type": "idefics3", "image_token_id": c.image_token, "scale_factor": c.scale_factor, "tie_word_embeddings": True,
        "bos_token_id": None, "eos_token_id": end, "pad_token_id": padding, "dtype": "float32",
        "vision_config": {"model_type": "idefics3_vision", "hidden_size": c.channels, "num_hidden_layers": c.encoder_layers, "num_attention_heads": 4, "intermediate_size": 2 * c.channels,
                          "image_size": c.side, "patch_size": c.side // c.cells},
        "text_config": {"model_type": "llama", "vocab_size": c.vocab_size, "hidden_size": c.hidden_size, "intermediate_size": c.intermediate_size, "num_hidden_layers": c.layers,
                        "num_attention_heads": c.heads, "num_key_value_heads": c.kv_heads, "head_dim": c.head_dim, "hidden_act": "silu", "max_position_embeddings": c.max_positions,
                        "rope_theta": c.rope_theta, "rms_norm_eps": c.norm_epsilon, "attention_bias": False, "use_cache": True, "eos_token_id": end, "pad_token_id": padding},
    })
    write_json(folder / "generation_config.json", {"do_sample": False, "eos_token_id": [end, padding], "pad_token_id": padding})
    write_json(folder / "preprocessor_config.json", {
        "image_processor_type": "Idefics3ImageProcessor", "processor_class": "Idefics3Processor", "do_convert_rgb": True, "do_resize": True, "size": {"longest_edge": 2 * c.side}, "resample": 1,
        "do_image_splitting": False, "max_image_size": {"longest_edge": c.side}, "do_rescale": True, "rescale_factor": 1 / 255, "do_normalize": True, "image_mean": [0.5] * 3, "image_std": [0.5] * 3,
        "do_pad": True,
    })
    write_json(folder / "processor_config.json", {"processor_class": "Idefics3Processor", "image_seq_len": c.image_length})
    write_json(folder / "tokenizer_config.json", {
        "tokenizer_class": "PreTrainedTokenizerFast", "model_max_length": c.max_positions, "bos_token": None, "eos_token": "<|im_end|>", "pad_token": "<|endoftext|>",
        "unk_token": None, "add_bos_token": False, "clean_up_tokenization_spaces": False, "chat_template": TEMPLATE,
    })


def session(path, threads=1):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.log_severity_level = 3
    return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])


def check_graphs(model, folder, tolerance=0.1):
    """The graphs on drawings and random tokens, in one go and in pieces, must give about what PyTorch gives; float16 weights make the difference."""
    c, generator = model.config, torch.Generator().manual_seed(0)
    pixels = Drawings(c.side, seed=1).batch(2)[0][None]
    features = session(folder / "vision_encoder.onnx").run(None, {"pixel_values": pixels.numpy(), "pixel_attention_mask": np.ones((1, 2, c.side, c.side), bool)})[0]
    ids = torch.randint(10, c.vocab_size, (2, 40), generator=generator)
    ids[:, 3 : 3 + c.image_length] = c.image_token
    with torch.no_grad():
        tokens = model.vision(pixels[0])
        expected = model.decode(model.embed(ids, tokens, torch.arange(2))).numpy()
    embeddings = session(folder / "embed_tokens.onnx").run(None, {"input_ids": ids.numpy()})[0]
    embeddings[ids.numpy() == c.image_token] = features.reshape(-1, c.hidden_size)
    decoder = session(folder / "decoder_model_merged.onnx")
    names = [value.name for value in decoder.get_inputs() if value.name.startswith("past_key_values")]
    past, worst = [np.zeros((2, c.kv_heads, 0, c.head_dim), np.float32) for _ in names], float(np.abs(features - tokens.numpy()).max())
    for begin, end in ((0, 9), (9, 10), (10, 40)):
        feeds = {"inputs_embeds": embeddings[:, begin:end], "attention_mask": np.ones((2, end), np.int64), "position_ids": np.arange(begin, end)[None].repeat(2, 0), **dict(zip(names, past))}
        logits, *past = decoder.run(None, feeds)
        worst = max(worst, float(np.abs(logits - expected[:, begin:end]).max()))
    assert worst < tolerance, f"graphs and PyTorch differ by {worst}"
    return worst


def export(checkpoint, folder):
    folder = Path(folder)
    (folder / "onnx").mkdir(parents=True, exist_ok=True)
    model = load(checkpoint).eval()
    write_configs(model, folder, Tokenizer.from_file(str(folder / "tokenizer.json")))
    write_graphs(model, folder / "onnx")
    return check_graphs(model, folder / "onnx")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("checkpoint", type=Path)
    parser.add_argument("--folder", type=Path, default=Path(__file__).resolve().parent.parent)
    options = parser.parse_args()
    print("largest difference between graphs and PyTorch:", export(options.checkpoint, options.folder))
