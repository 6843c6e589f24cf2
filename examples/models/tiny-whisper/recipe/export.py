"""Writes the model folder in the hub's ONNX layout, and checks the graphs against PyTorch and against transformers' Whisper."""

import argparse
import json
import tempfile
import warnings
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
import torch
from onnx import TensorProto, helper
from tokenizers import Tokenizer

from build_tokenizer import CHUNK_SECONDS, END, LANGUAGE, NO_TIMESTAMPS, PREVIOUS, SILENCE, START, TASK
from features import BINS, HOP, SAMPLE_RATE, WINDOW
from train import ALIGNED, load

OPSET = 18


class FirstStep(torch.nn.Module):
    """The decoder without a past: also gives keys and values of the encoder's states."""

    def __init__(self, decoder):
        super().__init__()
        self.decoder = decoder

    def forward(self, input_ids, encoder_hidden_states):
        sources = self.decoder.sources(encoder_hidden_states)
        hidden, present, attentions = self.decoder(input_ids, None, sources)
        kept = [tensor for own, source in zip(present, sources) for tensor in (*own, *source)]
        return logits_of(self.decoder, hidden), *kept, *attentions


class NextStep(torch.nn.Module):
    def __init__(self, decoder):
        super().__init__()
        self.decoder = decoder

    def forward(self, input_ids, *past):
        own = [past[index : index + 2] for index in range(0, len(past), 4)]
        sources = [past[index + 2 : index + 4] for index in range(0, len(past), 4)]
        hidden, present, attentions = self.decoder(input_ids, own, sources)
        return logits_of(self.decoder, hidden), *[tensor for pair in present for tensor in pair], *attentions


def logits_of(decoder, hidden):
    """The other way round than `decoder.logits`, so that the graph holds the embedding once."""
    return (decoder.embed_tokens.weight @ hidden.transpose(1, 2)).transpose(1, 2)


def cache_names(prefix, layers, kinds=("decoder", "encoder")):
    return [f"{prefix}.{layer}.{kind}.{part}" for layer in range(layers) for kind in kinds for part in ("key", "value")]


def torch_export(module, sample, inputs, outputs, axes):
    with tempfile.TemporaryDirectory() as folder, torch.no_grad(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        path = f"{folder}/graph.onnx"
        torch.onnx.export(module, sample, path, input_names=inputs, output_names=outputs, dynamic_axes=axes, opset_version=OPSET, dynamo=False)
        graph = onnx.load(path)
    # Node names and doc strings of the exporter carry nothing but this machine's paths.
    for node in graph.graph.node:
        node.doc_string = ""
    return graph


def rename(graph, prefix, kept, shared):
    """Puts the graph's own names under a prefix and moves its initializers to `shared`, where equal ones of several graphs meet. Returns how names change."""
    names = {}
    for tensor in graph.initializer:
        key = (tuple(tensor.dims), tensor.data_type, tensor.raw_data)
        if key not in shared:
            shared[key] = onnx.TensorProto()
            shared[key].CopyFrom(tensor)
            shared[key].name = f"weight_{len(shared)}"
        names[tensor.name] = shared[key].name
    del graph.initializer[:]

    def name_of(name):
        return names.get(name, name if name in kept or not name else prefix + name)

    for node in graph.node:
        node.name = prefix + node.name
        node.input[:] = [name_of(name) for name in node.input]
        node.output[:] = [name_of(name) for name in node.output]
    return name_of


def merged_decoder(first, following, layers, heads, head_dim):
    """One graph with both branches. As on the hub, the branch with a past gives empty keys and values of the encoder: they stay as they were."""
    past, present = cache_names("past_key_values", layers), cache_names("present", layers)
    attentions = [f"cross_attentions.{layer}" for layer in range(layers)]
    outputs = ["logits", *present, *attentions]
    kept, shared = {"input_ids", "encoder_hidden_states", *past}, {}
    branches = []
    for prefix, model in (("first/", first), ("next/", following)):
        graph = model.graph
        name_of = rename(graph, prefix, kept, shared)
        made = {value.name for value in graph.output}
        nodes = list(graph.node)
        for name in outputs:
            if name not in made:
                empty = helper.make_tensor("", TensorProto.FLOAT, [0, heads, 1, head_dim], [])
                nodes.append(helper.make_node("Constant", [], [name_of(name)], value=empty))
        values = [helper.make_tensor_value_info(name_of(name), TensorProto.FLOAT, None) for name in outputs]
        branches.append(helper.make_graph(nodes, prefix.rstrip("/"), [], values))
    choose = helper.make_node("If", ["use_cache_branch"], outputs, then_branch=branches[1], else_branch=branches[0])
    cache_shape = {"decoder": "past_decoder_sequence_length", "encoder": "encoder_sequence_length_out"}
    inputs = [
        helper.make_tensor_value_info("input_ids", TensorProto.INT64, ["batch_size", "decoder_sequence_length"]),
        helper.make_tensor_value_info("encoder_hidden_states", TensorProto.FLOAT, ["batch_size", "encoder_sequence_length", heads * head_dim]),
        *[helper.make_tensor_value_info(name, TensorProto.FLOAT, ["batch_size", heads, cache_shape[name.split(".")[2]], head_dim]) for name in past],
        helper.make_tensor_value_info("use_cache_branch", TensorProto.BOOL, [1]),
    ]
    shapes = {"logits": ["batch_size", "decoder_sequence_length", None]}
    shapes.update({name: [None, heads, None, head_dim] for name in present})
    shapes.update({name: ["batch_size", heads, "decoder_sequence_length", "encoder_sequence_length"] for name in attentions})
    graph = helper.make_graph([choose], "decoder_model_merged", inputs, [helper.make_tensor_value_info(name, TensorProto.FLOAT, shapes[name]) for name in outputs],
                              list(shared.values()))
    model = helper.make_model(graph, opset_imports=first.opset_import, ir_version=first.ir_version, producer_name="tiny-whisper")
    onnx.checker.check_model(model)
    return model


def export_graphs(model, folder):
    c = model.config
    head_dim = c.width // c.heads
    features = torch.randn(2, c.mel_bins, 2 * c.source_positions)
    encoder = torch_export(model.encoder, (features,), ["input_features"], ["last_hidden_state"], {"input_features": {0: "batch_size"}, "last_hidden_state": {0: "batch_size"}})
    onnx.save(encoder, str(folder / "encoder_model.onnx"))
    layers, present = c.decoder_layers, cache_names("present", c.decoder_layers)
    attentions = [f"cross_attentions.{layer}" for layer in range(layers)]
    encoded, tokens = torch.randn(2, c.source_positions, c.width), torch.randint(0, 9, (2, 3))
    batch = {0: "batch_size"}
    axes = {"input_ids": {0: "batch_size", 1: "length"}, "encoder_hidden_states": {0: "batch_size", 1: "frames"}, "logits": {0: "batch_size", 1: "length"}}
    axes.update({name: {**batch, 2: "past"} for name in cache_names("past_key_values", layers)})
    axes.update({name: {**batch, 2: "total"} for name in present})
    axes.update({name: {**batch, 2: "length", 3: "frames"} for name in attentions})
    first = torch_export(FirstStep(model.decoder), (tokens, encoded), ["input_ids", "encoder_hidden_states"], ["logits", *present, *attentions], axes)
    past = [torch.randn(2, c.heads, 5 if ".decoder." in name else c.source_positions, head_dim) for name in cache_names("past_key_values", layers)]
    following = torch_export(NextStep(model.decoder), (tokens, *past), ["input_ids", *cache_names("past_key_values", layers)],
                             ["logits", *cache_names("present", layers, ("decoder",)), *attentions], axes)
    onnx.save(merged_decoder(first, following, layers, c.heads, head_dim), str(folder / "decoder_model_merged.onnx"))


class Runner:
    """The exported graphs in onnxruntime, with the decoder's cache."""

    def __init__(self, folder, threads=1):
        folder, options = Path(folder), onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        config = json.loads((folder / "config.json").read_text())
        self.layers, self.heads = config["decoder_layers"], config["decoder_attention_heads"]
        self.head_dim = config["d_model"] // self.heads
        self.encoder, self.decoder = (
            onnxruntime.InferenceSession(str(folder / "onnx" / name), options, providers=["CPUExecutionProvider"]) for name in ("encoder_model.onnx", "decoder_model_merged.onnx"))
        self.past_names = cache_names("past_key_values", self.layers)

    def encode(self, features):
        return self.encoder.run(None, {"input_features": features})[0]

    def step(self, tokens, encoded, past=None):
        """Logits [batch, length, vocabulary], the cache to go on with, and the cross-attentions."""
        first = past is None
        if first:
            past = [np.zeros((len(tokens), self.heads, 0 if ".decoder." in name else 1, self.head_dim), np.float32) for name in self.past_names]
        feeds = {"input_ids": tokens, "encoder_hidden_states": encoded, **dict(zip(self.past_names, past)), "use_cache_branch": np.array([not first])}
        logits, *rest = self.decoder.run(None, feeds)
        present, attentions = rest[: len(past)], rest[len(past) :]
        if not first:
            present = [new if ".decoder." in name else old for name, new, old in zip(self.past_names, present, past)]
        return logits, present, attentions


def check(model, folder, tolerance=2e-4):
    """The largest difference between the graphs, plain PyTorch and transformers' own Whisper."""
    from transformers import WhisperConfig, WhisperForConditionalGeneration

    reference = WhisperForConditionalGeneration(WhisperConfig.from_pretrained(folder)).eval()
    missing = reference.load_state_dict({name: value for name, value in model.state_dict().items() if not name.startswith("phoneme_head")}, strict=False)
    assert not missing.unexpected_keys and set(missing.missing_keys) <= {"proj_out.weight"}, missing
    reference.tie_weights()
    runner, c = Runner(folder), model.config
    torch.manual_seed(0)
    features, tokens = torch.randn(2, c.mel_bins, 2 * c.source_positions), torch.randint(0, c.vocab_size, (2, 40))
    with torch.no_grad():
        expected = reference(input_features=features, decoder_input_ids=tokens).logits.numpy()
        encoded = model.encoder(features)
        hidden, _, attentions = model.decoder(tokens, None, model.decoder.sources(encoded))
        plain = model.decoder.logits(hidden).numpy()
    states, past, logits, looks = runner.encode(features.numpy()), None, [], []
    for begin, end in ((0, 4), (4, 5), (5, 30), (30, 40)):
        step, past, attention = runner.step(tokens[:, begin:end].numpy(), states, past)
        logits.append(step)
        looks.append(attention[-1])
    worst = max(np.abs(plain - expected).max(), np.abs(np.concatenate(logits, 1) - expected).max(), np.abs(np.concatenate(looks, 2) - attentions[-1].numpy()).max())
    assert worst < tolerance, f"graph and model differ by {worst}"
    return float(worst)


def write_json(path, value):
    path.write_text(json.dumps(value, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


def write_configs(model, folder, tokenizer):
    c, token = model.config, tokenizer.token_to_id
    shared = {"bos_token_id": token(END), "eos_token_id": token(END), "pad_token_id": token(END), "decoder_start_token_id": token(START)}
    write_json(folder / "config.json", {
        "architectures": ["WhisperForConditionalGeneration"], "model_type": "whisper", "vocab_size": c.vocab_size, "num_mel_bins": c.mel_bins, "d_model": c.width,
        "encoder_layers": c.encoder_layers, "encoder_attention_heads": c.heads, "encoder_ffn_dim": c.feed_forward, "decoder_layers": c.decoder_layers,
        "decoder_attention_heads": c.heads, "decoder_ffn_dim": c.feed_forward, "num_hidden_layers": c.encoder_layers, "max_source_positions": c.source_positions,
        "max_target_positions": c.target_positions, "activation_function": "gelu", "scale_embedding": False, "is_encoder_decoder": True, "use_cache": True,
        "dropout": 0.0, "attention_dropout": 0.0, "activation_dropout": 0.0, "dtype": "float32", **shared,
    })
    write_json(folder / "generation_config.json", {
        **shared, "is_multilingual": True, "lang_to_id": {LANGUAGE: token(LANGUAGE)}, "task_to_id": {"transcribe": token(TASK)},
        "no_timestamps_token_id": token(NO_TIMESTAMPS), "prev_sot_token_id": token(PREVIOUS), "max_initial_timestamp_index": c.source_positions,
        "alignment_heads": [list(pair) for pair in ALIGNED], "suppress_tokens": [token(name) for name in (START, LANGUAGE, TASK, PREVIOUS, SILENCE)],
        "begin_suppress_tokens": [], "max_length": c.target_positions, "return_timestamps": False,
        "condition_on_prev_tokens": False,
    })
    write_json(folder / "preprocessor_config.json", {
        "feature_extractor_type": "WhisperFeatureExtractor", "processor_class": "WhisperProcessor", "feature_size": BINS, "sampling_rate": SAMPLE_RATE, "hop_length": HOP,
        "n_fft": WINDOW, "chunk_length": CHUNK_SECONDS, "n_samples": CHUNK_SECONDS * SAMPLE_RATE, "nb_max_frames": CHUNK_SECONDS * SAMPLE_RATE // HOP, "dither": 0.0,
        "padding_side": "right", "padding_value": 0.0, "return_attention_mask": False,
    })
    write_json(folder / "tokenizer_config.json", {
        "tokenizer_class": "WhisperTokenizer", "processor_class": "WhisperProcessor", "model_max_length": c.target_positions, "bos_token": END, "eos_token": END,
        "pad_token": END, "unk_token": END, "add_bos_token": False, "add_prefix_space": False, "clean_up_tokenization_spaces": False,
    })


def export(checkpoint, folder):
    folder = Path(folder)
    (folder / "onnx").mkdir(parents=True, exist_ok=True)
    model = load(checkpoint).eval()
    write_configs(model, folder, Tokenizer.from_file(str(folder / "tokenizer.json")))
    export_graphs(model, folder / "onnx")
    return check(model, folder)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("checkpoint", type=Path)
    parser.add_argument("--folder", type=Path, default=Path(__file__).parent.parent)
    options = parser.parse_args()
    print("largest difference between the graphs, PyTorch and transformers:", export(options.checkpoint, options.folder))
