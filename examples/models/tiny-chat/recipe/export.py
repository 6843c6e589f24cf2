"""Writes the model folder in the hub's ONNX layout, and checks the graph against its own cache-free results."""

import argparse
import json
import warnings
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
import torch
from tokenizers import Tokenizer

import template
from model import ChatModel, ModelConfig


class WithCache(torch.nn.Module):
    """The model as one step with past keys and values, explicit positions and a mask over past and new slots."""

    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, input_ids, attention_mask, position_ids, *past):
        length = input_ids.shape[1]
        before = past[0].shape[2]
        total = before + length
        causal = torch.arange(total)[None, :] <= torch.arange(length)[:, None] + before
        mask = causal[None, None] & (attention_mask[:, None, None, :] > 0)
        cos, sin = self.model.rotations(position_ids[:, None])
        x, present = self.model.embedding(input_ids), []
        for index, block in enumerate(self.model.blocks):
            x, key, value = block(x, cos, sin, mask, (past[2 * index], past[2 * index + 1]))
            present += [key, value]
        return (self.model.logits(self.model.norm(x)), *present)


def load_checkpoint(path):
    checkpoint = torch.load(path)
    model = ChatModel(ModelConfig(**checkpoint["config"]))
    model.load_state_dict(checkpoint["weights"])
    return model.eval()


def export_graph(model, path):
    config = model.config
    past_names = [f"past_key_values.{layer}.{kind}" for layer in range(config.layers) for kind in ("key", "value")]
    present_names = [name.replace("past_key_values", "present") for name in past_names]
    inputs = ["input_ids", "attention_mask", "position_ids"] + past_names
    axes = {name: {0: "batch_size", 1: "sequence_length"} for name in ("input_ids", "position_ids", "logits")}
    axes["attention_mask"] = {0: "batch_size", 1: "total_sequence_length"}
    axes.update({name: {0: "batch_size", 2: "past_sequence_length"} for name in past_names})
    axes.update({name: {0: "batch_size", 2: "total_sequence_length"} for name in present_names})
    past = [torch.randn(2, config.kv_heads, 5, config.head_dim) for _ in past_names]
    sample = (torch.randint(0, 9, (2, 3)), torch.ones(2, 8, dtype=torch.long), torch.arange(5, 8)[None].repeat(2, 1), *past)
    with torch.no_grad(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.onnx.export(WithCache(model), sample, str(path), input_names=inputs, output_names=["logits"] + present_names, dynamic_axes=axes,
                          opset_version=18, do_constant_folding=False, dynamo=False)
    graph = onnx.load(str(path))
    # Node names and doc strings of the exporter carry nothing but this machine's paths.
    for node in graph.graph.node:
        node.doc_string = ""
    onnx.save(graph, str(path))


class Runner:
    """Runs the exported graph in onnxruntime."""

    def __init__(self, folder, threads=1):
        config = json.loads((Path(folder) / "config.json").read_text())
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        self.session = onnxruntime.InferenceSession(str(Path(folder) / "onnx" / "model.onnx"), options, providers=["CPUExecutionProvider"])
        self.shape = (config["num_key_value_heads"], config["head_dim"])
        self.past_names = [value.name for value in self.session.get_inputs() if value.name.startswith("past_key_values")]

    def empty_past(self, batch=1):
        heads, size = self.shape
        return [np.zeros((batch, heads, 0, size), np.float32) for _ in self.past_names]

    def run(self, input_ids, mask, positions, past):
        feeds = {"input_ids": input_ids, "attention_mask": mask, "position_ids": positions, **dict(zip(self.past_names, past))}
        logits, *present = self.session.run(None, feeds)
        return logits, present


def check_graph(folder, vocab_size, tolerance=1e-4):
    """Cached, batched, ragged and right-padded runs must equal a plain one. Returns the largest difference seen."""
    runner, rng, worst = Runner(folder), np.random.default_rng(0), 0.0
    rows = [rng.integers(7, vocab_size, length) for length in (23, 40, 31)]
    plain = [runner.run(row[None], np.ones((1, len(row)), np.int64), np.arange(len(row))[None], runner.empty_past())[0][0] for row in rows]
    for row, expected in zip(rows, plain):
        past = runner.empty_past()
        for begin, end in ((0, 7), (7, 8), (8, len(row))):
            mask, positions = np.ones((1, end), np.int64), np.arange(begin, end)[None]
            logits, past = runner.run(row[None, begin:end], mask, positions, past)
            worst = max(worst, float(np.abs(logits[0] - expected[begin:end]).max()))
    lengths, capacity, step = [20, 36, 5], 48, 3
    past = [rng.normal(size=(3, runner.shape[0], capacity, runner.shape[1])).astype(np.float32) * 50 for _ in runner.past_names]
    mask = np.zeros((3, capacity + step), np.int64)
    for index, (row, length) in enumerate(zip(rows, lengths)):
        _, filled = runner.run(row[None, :length], np.ones((1, length), np.int64), np.arange(length)[None], runner.empty_past())
        for target, source in zip(past, filled):
            target[index, :, :length] = source[0]
        mask[index, :length] = 1
    mask[:, capacity:] = 1
    tokens = np.stack([row[length : length + step] for row, length in zip(rows, lengths)])
    positions = np.stack([np.arange(length, length + step) for length in lengths])
    logits, _ = runner.run(tokens, mask, positions, past)
    for index, length in enumerate(lengths):
        worst = max(worst, float(np.abs(logits[index] - plain[index][length : length + step]).max()))
    assert worst < tolerance, f"cached and plain logits differ by {worst}"
    return worst


def write_json(path, value):
    path.write_text(json.dumps(value, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


def write_configs(model, folder, tokenizer):
    c = model.config
    end, padding = tokenizer.token_to_id("<|im_end|>"), tokenizer.token_to_id("<|endoftext|>")
    write_json(folder / "config.json", {
        "architectures": ["Qwen3ForCausalLM"], "model_type": "qwen3", "vocab_size": c.vocab_size, "hidden_size": c.hidden_size,
        "intermediate_size": c.intermediate_size, "num_hidden_layers": c.layers, "num_attention_heads": c.heads, "num_key_value_heads": c.kv_heads,
        "head_dim": c.head_dim, "hidden_act": "silu", "max_position_embeddings": c.max_positions, "rope_theta": c.rope_theta, "rms_norm_eps": c.norm_epsilon,
        "attention_bias": False, "tie_word_embeddings": True, "use_cache": True, "bos_token_id": None, "eos_token_id": end, "pad_token_id": padding, "dtype": "float32",
    })
    write_json(folder / "generation_config.json", {"do_sample": True, "temperature": 0.7, "min_p": 0.05, "repetition_penalty": 1.1, "eos_token_id": [end, padding],
                                                   "pad_token_id": padding})
    write_json(folder / "tokenizer_config.json", {
        "tokenizer_class": "PreTrainedTokenizerFast", "model_max_length": c.max_positions, "bos_token": None, "eos_token": "<|im_end|>", "pad_token": "<|endoftext|>",
        "unk_token": None, "add_bos_token": False, "clean_up_tokenization_spaces": False, "chat_template": template.SOURCE,
    })


def export(checkpoint, folder):
    folder = Path(folder)
    (folder / "onnx").mkdir(parents=True, exist_ok=True)
    model = load_checkpoint(checkpoint)
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    write_configs(model, folder, tokenizer)
    export_graph(model, folder / "onnx" / "model.onnx")
    return check_graph(folder, model.config.vocab_size)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("checkpoint", type=Path)
    parser.add_argument("--folder", type=Path, default=Path(__file__).parent.parent)
    options = parser.parse_args()
    print("largest difference between cached and plain logits:", export(options.checkpoint, options.folder))
