"""Turns a Whisper of CTranslate2 (faster-whisper) into PyTorch's form. Usage: python whisper_source.py SOURCE TARGET"""

import json
import struct
import sys
from pathlib import Path

import numpy
import torch
from transformers import GenerationConfig, WhisperConfig, WhisperFeatureExtractor, WhisperForConditionalGeneration, WhisperTokenizerFast
from transformers.models.whisper.tokenization_whisper import LANGUAGES

TYPES = [numpy.float32, numpy.int8, numpy.int16, numpy.int32, numpy.float16]
VERSION = 6
HEAD_SIZE = 64


def read_variables(file):
    """The arrays of a model.bin, by name."""
    data, at = file.read_bytes(), 0

    def number(form):
        nonlocal at
        (value,) = struct.unpack_from("<" + form, data, at)
        at += struct.calcsize("<" + form)
        return value

    def text():
        nonlocal at
        length = number("H")
        at += length
        return data[at - length : at - 1].decode()

    version = number("I")
    if version != VERSION:
        raise ValueError(f"{file.name}: expected version {VERSION}, got {version}")
    text(), number("I")  # name and revision of the architecture
    variables = {}
    for _ in range(number("I")):
        name = text()
        shape = [number("I") for _ in range(number("B"))]
        kind, length = TYPES[number("B")], number("I")
        variables[name] = numpy.frombuffer(data, kind, length // numpy.dtype(kind).itemsize, at).reshape(shape)
        at += length
    for _ in range(number("I")):
        alias = text()
        variables[alias] = variables[text()]
    return variables


def to_state(variables, layers):
    """The same weights under the names of transformers."""
    state = {}

    def take(name):
        return torch.from_numpy(variables[name].astype(numpy.float32))

    def copy(ours, theirs, names=("weight", "bias")):
        for name, their_name in zip(("weight", "bias"), names):
            state[f"{ours}.{name}"] = take(f"{theirs}/{their_name}")

    def split(ours, theirs, parts):
        """Several products are one in CTranslate2."""
        for part, weight, bias in zip(parts, take(f"{theirs}/weight").chunk(len(parts)), take(f"{theirs}/bias").chunk(len(parts))):
            state[f"{ours}.{part}_proj.weight"] = weight.clone()
            if part != "k":
                state[f"{ours}.{part}_proj.bias"] = bias.clone()

    norm = ("gamma", "beta")
    for side in ["encoder", "decoder"]:
        state[f"model.{side}.embed_positions.weight"] = take(f"{side}/position_encodings/encodings")
        copy(f"model.{side}.layer_norm", f"{side}/layer_norm", norm)
        for index in range(layers):
            ours, theirs = f"model.{side}.layers.{index}", f"{side}/layer_{index}"
            copy(f"{ours}.self_attn_layer_norm", f"{theirs}/self_attention/layer_norm", norm)
            split(f"{ours}.self_attn", f"{theirs}/self_attention/linear_0", "qkv")
            copy(f"{ours}.self_attn.out_proj", f"{theirs}/self_attention/linear_1")
            copy(f"{ours}.final_layer_norm", f"{theirs}/ffn/layer_norm", norm)
            copy(f"{ours}.fc1", f"{theirs}/ffn/linear_0")
            copy(f"{ours}.fc2", f"{theirs}/ffn/linear_1")
            if side == "decoder":
                copy(f"{ours}.encoder_attn_layer_norm", f"{theirs}/attention/layer_norm", norm)
                split(f"{ours}.encoder_attn", f"{theirs}/attention/linear_0", "q")
                split(f"{ours}.encoder_attn", f"{theirs}/attention/linear_1", "kv")
                copy(f"{ours}.encoder_attn.out_proj", f"{theirs}/attention/linear_2")
    for index in [1, 2]:
        copy(f"model.encoder.conv{index}", f"encoder/conv{index}")
    state["model.decoder.embed_tokens.weight"] = take("decoder/embeddings/weight")
    return state


def read_tokenizer(source):
    tokenizer = WhisperTokenizerFast(tokenizer_file=str(source / "tokenizer.json"))
    # Readers take the first time stamp to be the number after the last special token.
    specials = [token.content for token in tokenizer.added_tokens_decoder.values() if token.special]
    tokenizer.add_special_tokens({"additional_special_tokens": specials})
    return tokenizer


def generation_config(tokenizer, known, ends, is_multilingual):
    identify = tokenizer.convert_tokens_to_ids
    languages = [f"<|{code}|>" for code in LANGUAGES if f"<|{code}|>" in tokenizer.get_vocab()]
    translation = {
        "lang_to_id": {token: identify(token) for token in languages},
        "task_to_id": {task: identify(f"<|{task}|>") for task in ["transcribe", "translate"]},
    }
    return GenerationConfig(
        **ends,
        **(translation if is_multilingual else {}),
        is_multilingual=is_multilingual,
        alignment_heads=known["alignment_heads"],
        begin_suppress_tokens=known["suppress_ids_begin"],
        suppress_tokens=known["suppress_ids"],
        max_initial_timestamp_index=50,
        max_length=448,
        no_timestamps_token_id=identify("<|notimestamps|>"),
        prev_sot_token_id=identify("<|startofprev|>"),
        return_timestamps=False,
    )


def main(source, target):
    variables, known, tokenizer = read_variables(source / "model.bin"), json.loads((source / "config.json").read_text()), read_tokenizer(source)
    end, start = map(tokenizer.convert_tokens_to_ids, ["<|endoftext|>", "<|startoftranscript|>"])
    ends = {"bos_token_id": end, "eos_token_id": end, "pad_token_id": end, "decoder_start_token_id": start}
    vocabulary, width = variables["decoder/embeddings/weight"].shape
    layers = sum(name.startswith("encoder/layer_") and name.endswith("ffn/linear_0/weight") for name in variables)
    sides = {f"{side}_{name}": value for side in ["encoder", "decoder"] for name, value in
             {"layers": layers, "attention_heads": width // HEAD_SIZE, "ffn_dim": 4 * width}.items()}  # fmt: skip
    bins = variables["encoder/conv1/weight"].shape[1]
    config = WhisperConfig(
        vocab_size=vocabulary,
        d_model=width,
        num_mel_bins=bins,
        **sides,
        **ends,
        suppress_tokens=None,
        begin_suppress_tokens=None,
    )
    model = WhisperForConditionalGeneration(config).eval()
    missing, unexpected = model.load_state_dict(to_state(variables, layers), strict=False)
    if unexpected or set(missing) - {"proj_out.weight"}:
        raise ValueError(f"expected all weights, got {unexpected} more and {missing} not")
    model.tie_weights()
    model.generation_config = generation_config(tokenizer, known, ends, is_multilingual=vocabulary >= 51865)
    model.save_pretrained(target)
    tokenizer.save_pretrained(target)
    WhisperFeatureExtractor(feature_size=bins).save_pretrained(target)


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
