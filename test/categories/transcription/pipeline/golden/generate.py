"""Makes mini-whisper/ (a Whisper with random weights) and mini-whisper.json (what transformers' Whisper does with it).

Run with Python 3.11, torch 2.13.0, transformers 5.23.0, onnx 1.23.2:  python generate.py
"""

import json
import math
import shutil
import warnings
from pathlib import Path

import numpy as np
import onnx
import torch
import torch.nn.functional as F
import transformers
from onnx import TensorProto, helper
from transformers import GenerationConfig, WhisperConfig, WhisperForConditionalGeneration

warnings.filterwarnings("ignore")
HERE = Path(__file__).parent
FOLDER = HERE / "mini-whisper"
SEED = 12
MELS, FRAMES, CONTEXT = 80, 400, 64

SPECIALS = ["<|endoftext|>", "<|startoftranscript|>", "<|en|>", "<|de|>", "<|jw|>", "<|translate|>", "<|transcribe|>"]
SPECIALS += ["<|startoflm|>", "<|startofprev|>", "<|nospeech|>", "<|notimestamps|>"]
ID = {token: 256 + index for index, token in enumerate(SPECIALS)}
TIMESTAMPS = [f"<|{position * 0.02:.2f}|>" for position in range(FRAMES // 2 + 1)]
FIRST_TIMESTAMP = 256 + len(SPECIALS)
VOCABULARY = FIRST_TIMESTAMP + len(TIMESTAMPS)


def byte_characters():
    """GPT-2's printable stand-ins for the 256 bytes."""
    printable = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = iter(range(256, 512))
    return [chr(byte) if byte in printable else chr(next(others)) for byte in range(256)]


def write_json(name, content):
    (FOLDER / name).write_text(json.dumps(content, ensure_ascii=False, separators=(",", ":")) + "\n")


def make_model():
    torch.manual_seed(SEED)
    config = WhisperConfig(
        vocab_size=VOCABULARY,
        num_mel_bins=MELS,
        d_model=16,
        encoder_layers=1,
        decoder_layers=2,
        encoder_attention_heads=2,
        decoder_attention_heads=2,
        encoder_ffn_dim=32,
        decoder_ffn_dim=32,
        max_source_positions=FRAMES // 2,
        max_target_positions=CONTEXT,
        decoder_start_token_id=ID["<|startoftranscript|>"],
        pad_token_id=ID["<|endoftext|>"],
        bos_token_id=ID["<|endoftext|>"],
        eos_token_id=ID["<|endoftext|>"],
        suppress_tokens=None,
        begin_suppress_tokens=None,
        init_std=0.5,
        attn_implementation="eager",
    )
    model = WhisperForConditionalGeneration(config).eval()
    with torch.no_grad():
        for name, weight in model.named_parameters():
            if "layer_norm" in name:
                weight.add_(0.3 * torch.randn_like(weight))
            elif weight.dim() == 1:
                weight.copy_(0.3 * torch.randn_like(weight))
        # The audio and the place count for more than the token before, and text stands out a little.
        decoder = model.model.decoder
        decoder.embed_positions.weight *= 3
        for layer in decoder.layers:
            layer.encoder_attn.out_proj.weight *= 4
            layer.encoder_attn.q_proj.weight *= 4
        decoder.embed_tokens.weight[FIRST_TIMESTAMP:] *= 0.8
    specials = [*range(ID["<|startoftranscript|>"], FIRST_TIMESTAMP)]
    model.generation_config = GenerationConfig(
        decoder_start_token_id=ID["<|startoftranscript|>"],
        eos_token_id=ID["<|endoftext|>"],
        pad_token_id=ID["<|endoftext|>"],
        bos_token_id=ID["<|endoftext|>"],
        prev_sot_token_id=ID["<|startofprev|>"],
        no_timestamps_token_id=ID["<|notimestamps|>"],
        is_multilingual=True,
        lang_to_id={f"<|{code}|>": ID[f"<|{code}|>"] for code in ("en", "de", "jw")},
        task_to_id={"translate": ID["<|translate|>"], "transcribe": ID["<|transcribe|>"]},
        suppress_tokens=[7, 8, 9, *specials],
        begin_suppress_tokens=[32, ID["<|endoftext|>"]],
        max_initial_timestamp_index=50,
        alignment_heads=[[0, 1], [1, 0]],
        max_length=CONTEXT,
        return_timestamps=True,
    )
    return model


class Encoder(torch.nn.Module):
    def __init__(self, model):
        super().__init__()
        self.encoder = model.model.encoder

    def forward(self, features):
        return self.encoder(features).last_hidden_state


class Decoder(torch.nn.Module):
    """Whisper's decoder with its cache as inputs and outputs, as the hub's exports have it."""

    def __init__(self, model):
        super().__init__()
        self.decoder = model.model.decoder
        self.heads = model.config.decoder_attention_heads

    def split(self, x):
        return x.view(1, -1, self.heads, x.shape[-1] // self.heads).transpose(1, 2)

    def attend(self, attention, x, keys, values, mask=None):
        queries = self.split(attention.q_proj(x)) * attention.scaling
        scores = queries @ keys.transpose(2, 3)
        weights = (scores if mask is None else scores + mask).softmax(-1)
        merged = (weights @ values).transpose(1, 2).reshape(1, -1, x.shape[-1])
        return attention.out_proj(merged), weights

    def forward(self, ids, hidden=None, past=None):
        length = past[0].shape[2] if past else 0
        count = ids.shape[1]
        x = self.decoder.embed_tokens(ids) + self.decoder.embed_positions.weight[length : length + count]
        mask = None if past else torch.full((count, count), -1e9).triu(1)
        present, attentions = [], []
        for index, layer in enumerate(self.decoder.layers):
            normal = layer.self_attn_layer_norm(x)
            keys, values = self.split(layer.self_attn.k_proj(normal)), self.split(layer.self_attn.v_proj(normal))
            if past:
                keys = torch.cat([past[4 * index], keys], 2)
                values = torch.cat([past[4 * index + 1], values], 2)
                cross = past[4 * index + 2 : 4 * index + 4]
                present += [keys, values]
            else:
                cross = [self.split(layer.encoder_attn.k_proj(hidden)), self.split(layer.encoder_attn.v_proj(hidden))]
                present += [keys, values, *cross]
            x = x + self.attend(layer.self_attn, normal, keys, values, mask)[0]
            looked, weights = self.attend(layer.encoder_attn, layer.encoder_attn_layer_norm(x), *cross)
            attentions.append(weights)
            x = x + looked
            x = x + layer.fc2(F.gelu(layer.fc1(layer.final_layer_norm(x))))
        return self.decoder.layer_norm(x) @ self.decoder.embed_tokens.weight.T, present, attentions


class Next(torch.nn.Module):
    def __init__(self, decoder):
        super().__init__()
        self.decoder = decoder

    def forward(self, ids, *past):
        return self.decoder(ids, past=list(past))


def export(module, arguments, path, inputs, outputs, axes):
    torch.onnx.export(
        module,
        arguments,
        path,
        input_names=inputs,
        output_names=outputs,
        dynamic_axes={name: axes(name) for name in inputs + outputs if axes(name)},
        opset_version=17,
        do_constant_folding=False,
        dynamo=False,
    )
    model = onnx.load(path)
    short = {name: name for name in ["", *inputs, *outputs]}
    for node in model.graph.node:
        node.name = ""
        for names in (node.input, node.output):
            names[:] = [short.setdefault(name, f"t{len(short)}") for name in names]
    for weight in model.graph.initializer:
        weight.name = short.setdefault(weight.name, f"t{len(short)}")
    onnx.save(model, path)


def axes(name):
    if name == "input_ids":
        return {0: "batch_size", 1: "decoder_sequence_length"}
    if name == "encoder_hidden_states":
        return {0: "batch_size"}
    if name == "logits":
        return {0: "batch_size", 1: "decoder_sequence_length"}
    if name.startswith("cross_attentions"):
        return {0: "batch_size", 2: "decoder_sequence_length"}
    if ".decoder." in name:
        return {0: "batch_size", 2: "past_decoder_sequence_length"}
    return {0: "batch_size", 2: "encoder_sequence_length"} if ".encoder." in name else None


def export_model(model):
    onnx_folder = FOLDER / "onnx"
    onnx_folder.mkdir(parents=True)
    decoder = Decoder(model)
    layers = len(decoder.decoder.layers)
    hidden = torch.randn(1, FRAMES // 2, 16)
    kinds = [f"{part}.{kind}" for part in ("decoder", "encoder") for kind in ("key", "value")]
    names = [f"{layer}.{kind}" for layer in range(layers) for kind in kinds]
    looks = [f"cross_attentions.{layer}" for layer in range(layers)]
    own = [name for name in names if ".decoder." in name]
    first = ["logits", *(f"present.{name}" for name in names), *looks]
    later = ["logits", *(f"present.{name}" for name in own), *looks]
    past = [f"past_key_values.{name}" for name in names]
    ids = torch.tensor([[ID["<|startoftranscript|>"], ID["<|en|>"], ID["<|transcribe|>"]]])
    with torch.no_grad():
        _, present, _ = decoder(ids, hidden)
        encoder_outputs = (Encoder(model), (torch.randn(1, MELS, FRAMES),), onnx_folder / "encoder_model.onnx")
        export(*encoder_outputs, ["input_features"], ["last_hidden_state"], lambda name: {0: "batch_size"})
        first_path, next_path = onnx_folder / "decoder_model.onnx", onnx_folder / "decoder_with_past_model.onnx"
        export(decoder, (ids, hidden), first_path, ["input_ids", "encoder_hidden_states"], first, axes)
        export(Next(decoder), (ids[:, :1], *present), next_path, ["input_ids", *past], later, axes)
    merge(first_path, next_path, onnx_folder / "decoder_model_merged.onnx", names, looks)


def merge(first_path, next_path, path, names, looks):
    """One graph with a branch for each of two, as optimum merges them; both share the weights."""
    weights, branches = {}, {}
    inputs = {}
    outputs = ["logits", *(f"present.{name}" for name in names), *looks]
    for branch, file in (("first", first_path), ("next", next_path)):
        graph = onnx.load(file).graph
        shared = {}
        for weight in graph.initializer:
            key = (tuple(weight.dims), weight.data_type, weight.raw_data)
            if key not in weights:
                weights[key] = onnx.TensorProto()
                weights[key].CopyFrom(weight)
                weights[key].name = f"weight_{len(weights)}"
            shared[weight.name] = weights[key].name
        inputs.update({value.name: value for value in graph.input})
        rename = lambda name: shared.get(name) or (name if name in inputs or not name else f"{branch}/{name}")
        for node in graph.node:
            node.input[:] = [rename(name) for name in node.input]
            node.output[:] = [rename(name) for name in node.output]
        values = {value.name: value for value in graph.output}
        results = []
        for name in outputs:
            if name not in values:
                zeros = helper.make_tensor(f"{branch}/{name}/value", TensorProto.FLOAT, [0, 2, 1, 8], [])
                graph.node.append(helper.make_node("Constant", [], [f"{branch}/{name}"], value=zeros))
            results.append(helper.make_tensor_value_info(f"{branch}/{name}", TensorProto.FLOAT, None))
        branches[branch] = helper.make_graph(list(graph.node), branch, [], results)
    flag = helper.make_tensor_value_info("use_cache_branch", TensorProto.BOOL, [1])
    choice = helper.make_node(
        "If", ["use_cache_branch"], outputs, then_branch=branches["next"], else_branch=branches["first"]
    )
    typed = [helper.make_tensor_value_info(name, TensorProto.FLOAT, ["b", "n", VOCABULARY] if name == "logits" else None) for name in outputs]
    graph = helper.make_graph([choice], "merged", [*inputs.values(), flag], typed, list(weights.values()))
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.save(model, path)


def write_folder(model):
    if FOLDER.exists():
        shutil.rmtree(FOLDER)
    export_model(model)
    config = model.config
    keep = ["vocab_size", "num_mel_bins", "d_model", "decoder_layers", "decoder_attention_heads", "encoder_layers"]
    keep += ["encoder_attention_heads", "max_source_positions", "max_target_positions", "decoder_start_token_id"]
    keep += ["eos_token_id", "model_type"]
    write_json("config.json", {"architectures": ["WhisperForConditionalGeneration"]} | {k: getattr(config, k) for k in keep})
    settings = model.generation_config.to_diff_dict()
    settings.pop("transformers_version", None)
    write_json("generation_config.json", settings)
    preprocessor = {"chunk_length": FRAMES // 100, "feature_extractor_type": "WhisperFeatureExtractor", "feature_size": MELS}
    preprocessor |= {"hop_length": 160, "n_fft": 400, "n_samples": FRAMES * 160, "nb_max_frames": FRAMES, "sampling_rate": 16000}
    write_json("preprocessor_config.json", preprocessor)
    added = [*SPECIALS, *TIMESTAMPS]
    flags = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": False}
    byte_level = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True}
    tokenizer = {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [
            {"id": 256 + index, "content": token, **flags, "special": index < len(SPECIALS)} for index, token in enumerate(added)
        ],
        "normalizer": None,
        "pre_tokenizer": byte_level,
        "post_processor": None,
        "decoder": byte_level,
        "model": {
            "type": "BPE", "dropout": None, "unk_token": None, "continuing_subword_prefix": "", "end_of_word_suffix": "",
            "fuse_unk": False, "byte_fallback": False, "vocab": {c: b for b, c in enumerate(byte_characters())}, "merges": [],
        },
    }
    write_json("tokenizer.json", tokenizer)
    write_json("tokenizer_config.json", {"tokenizer_class": "WhisperTokenizer", "clean_up_tokenization_spaces": True})


def features(kind):
    """A spectrogram that any language can compute; `kind` makes them differ."""
    mel, frame = np.meshgrid(np.arange(MELS), np.arange(FRAMES), indexing="ij")
    values = np.sin(0.13 * mel * (kind + 1)) * np.cos(0.021 * frame * (kind + 2)) + 0.5 * np.sin(0.0007 * (kind + 3) * mel * frame)
    return torch.tensor(values.astype(np.float32))[None]


def decode_goldens(model):
    goldens = []
    for kind in range(8):
        mels = features(kind)
        prompt = [72, 101, 108, 108, 111] if kind % 2 else []
        language = ["en", "de", "jw"][kind % 3]
        start = [ID["<|startoftranscript|>"], ID[f"<|{language}|>"], ID["<|transcribe|>"]]
        prefix = ([ID["<|startofprev|>"], *prompt] if prompt else []) + start
        with torch.no_grad():
            detected = model.detect_language(input_features=mels).item()
            logits = model(input_features=mels, decoder_input_ids=torch.tensor([prefix])).logits[0]
            out = model.generate(
                mels,
                language=language,
                task="transcribe",
                return_timestamps=True,
                prompt_ids=torch.tensor([ID["<|startofprev|>"], *prompt]) if prompt else None,
                max_new_tokens=CONTEXT // 2,
                return_dict_in_generate=True,
                output_scores=True,
                force_unique_generate_call=True,
            )
        tokens = out.sequences[0].tolist()[len(prefix) :]
        logprobs = [F.log_softmax(score[0].double(), -1)[token].item() for score, token in zip(out.scores, tokens)]
        goldens.append({
            "kind": kind,
            "prefix": prefix,
            "detected": detected,
            "tokens": tokens,
            "averageLogprob": sum(logprobs) / len(logprobs),
            "noSpeech": logits[-3].double().softmax(-1)[ID["<|nospeech|>"]].item(),
            "lastLogits": [round(x, 5) for x in logits[-1, :8].tolist()],
        })
    return goldens


if __name__ == "__main__":
    model = make_model()
    write_folder(model)
    result = {
        "generator": f"generate.py, transformers {transformers.__version__}, torch {torch.__version__}, seed {SEED}",
        "decodings": decode_goldens(model),
    }
    (HERE / "mini-whisper.json").write_text(json.dumps(result, indent=1) + "\n")
    for golden in result["decodings"]:
        print(golden["detected"], golden["noSpeech"], golden["averageLogprob"], golden["tokens"])
