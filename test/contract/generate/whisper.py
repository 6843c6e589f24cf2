"""A miniature Whisper with random weights, exported by optimum, and what transformers' generate() writes with it.

    python whisper.py

writes ../models/whisper: a folder in the hub's layout, and golden.json. The recordings are tones that the tests make in the
same way. Written with Python 3.11, torch 2.13.0, transformers 4.57.6, optimum 2.1.0, optimum-onnx 0.1.0.
"""

import json
import logging
import shutil
import tempfile
import warnings
import zlib
from importlib.metadata import version
from pathlib import Path

import numpy
import torch
import transformers
from compact import compact
from optimum.exporters.onnx import onnx_export_from_model
from tokenizers import AddedToken
from tokenizers.pre_tokenizers import ByteLevel
from transformers import GenerationConfig, WhisperConfig, WhisperFeatureExtractor, WhisperForConditionalGeneration, WhisperTokenizerFast

FOLDER = Path(__file__).parent.parent / "models" / "whisper"
SEED = 10
MELS, SECONDS, CONTEXT = 80, 4, 64
RATE = 16_000
LANGUAGES = ["en", "zh", "de", "es"]
MERGES = ["t h", "th e", "Ġ t", "Ġt h", "i n", "a n", "r e", "o n", "e r", "Ġ a"]
#: OpenAI's implementation stops at half of the context
MOST_TOKENS = CONTEXT // 2
LENGTHS = (4, 2.5)
ASKED_LANGUAGES = ("en", "de", None)


def tone(kind: int, seconds: float) -> numpy.ndarray:
    """A gliding tone that comes and goes, in 16 bits."""
    time = numpy.arange(int(seconds * RATE)) / RATE
    loud = 0.4 * numpy.abs(numpy.sin((1 + kind % 5) * time + kind))
    samples = loud * numpy.sin((600 + 90 * kind) * time + (100 + 40 * (kind % 7)) * time * time)
    return numpy.floor(32_767 * samples + 0.5).astype(numpy.int16)


def make_tokenizer(scratch: Path) -> WhisperTokenizerFast:
    tokens = [*sorted(ByteLevel.alphabet()), *("".join(merge.split()) for merge in MERGES)]
    (scratch / "vocab.json").write_text(json.dumps({token: index for index, token in enumerate([*tokens, "<|endoftext|>"])}))
    (scratch / "merges.txt").write_text("#version: 0.2\n" + "\n".join(MERGES) + "\n")
    tokenizer = WhisperTokenizerFast(str(scratch / "vocab.json"), str(scratch / "merges.txt"))
    names = ["startoftranscript", *LANGUAGES, "translate", "transcribe", "startoflm", "startofprev", "nospeech", "notimestamps"]
    tokenizer.add_tokens([AddedToken(f"<|{name}|>", special=True, normalized=False) for name in names], special_tokens=True)
    positions = range(SECONDS * 50 + 1)
    tokenizer.add_tokens([AddedToken(f"<|{at * 0.02:.2f}|>", special=False, normalized=False) for at in positions])
    return tokenizer


def make_model(tokenizer, seed: int) -> WhisperForConditionalGeneration:
    torch.manual_seed(seed)
    identify = tokenizer.convert_tokens_to_ids
    ends = dict(pad_token_id=identify("<|endoftext|>"), bos_token_id=identify("<|endoftext|>"), eos_token_id=identify("<|endoftext|>"))
    start = identify("<|startoftranscript|>")
    config = WhisperConfig(
        vocab_size=len(tokenizer), num_mel_bins=MELS, d_model=16, encoder_layers=2, decoder_layers=2, encoder_attention_heads=2,
        decoder_attention_heads=2, encoder_ffn_dim=32, decoder_ffn_dim=32, max_source_positions=SECONDS * 50,
        max_target_positions=CONTEXT, decoder_start_token_id=start, suppress_tokens=None, begin_suppress_tokens=None, init_std=0.5, **ends,
    )  # fmt: skip
    model = WhisperForConditionalGeneration(config).eval()
    with torch.no_grad():
        for name, weight in model.named_parameters():
            if weight.ndim == 1:
                weight.add_(0.3 * torch.randn_like(weight))
        decoder = model.model.decoder
        decoder.embed_positions.weight *= 3
        # A model that knows what it writes, so that nothing is decoded a second time at a higher temperature.
        decoder.embed_tokens.weight *= 2.5
        decoder.embed_tokens.weight[identify("<|0.00|>") :] *= 0.8
        for layer in decoder.layers:
            layer.encoder_attn.out_proj.weight *= 4
            layer.encoder_attn.q_proj.weight *= 3
    text = range(identify("<|endoftext|>"))
    unprintable = [token for token in text if not all(character == "Ġ" or character.isascii() for character in tokenizer.convert_ids_to_tokens(token))]
    model.generation_config = GenerationConfig(
        decoder_start_token_id=start, prev_sot_token_id=identify("<|startofprev|>"), no_timestamps_token_id=identify("<|notimestamps|>"),
        is_multilingual=True, lang_to_id={f"<|{code}|>": identify(f"<|{code}|>") for code in LANGUAGES},
        task_to_id={task: identify(f"<|{task}|>") for task in ("translate", "transcribe")}, max_initial_timestamp_index=50,
        suppress_tokens=[*unprintable, *range(start, identify("<|notimestamps|>"))], begin_suppress_tokens=[identify("Ġ"), ends["eos_token_id"]],
        max_length=CONTEXT, return_timestamps=False, condition_on_prev_tokens=False, **ends,
    )  # fmt: skip
    return model


def transcribe(model, tokenizer, extractor, kind: int, seconds: float, language, task: str = "transcribe"):
    """
    What comes of the first window. The later ones can't be compared: the reference knows how loud the whole recording is.

    @returns the golden case, or None where a transcriber has reasons to decode again or to leave something out
    """
    inputs = extractor(tone(kind, seconds) / 32_768, sampling_rate=RATE, return_tensors="pt", return_attention_mask=True)
    # As OpenAI's implementation pads: features, not samples.
    inputs.input_features[..., int(inputs.attention_mask.sum()) :] = 0
    with torch.no_grad():
        outputs = model.generate(
            inputs.input_features, attention_mask=inputs.attention_mask, language=language, task=task, return_timestamps=True,
            return_segments=True, return_dict_in_generate=True, output_scores=True, condition_on_prev_tokens=False, temperature=0.0,
        )  # fmt: skip
        detected = tokenizer.convert_ids_to_tokens(int(model.detect_language(inputs.input_features)[0]))
    end_of_text = tokenizer.convert_tokens_to_ids("<|endoftext|>")
    found = outputs["segments"][0]
    result = found[0]["result"] if found else None
    segments = []
    for segment in found:
        if segment["result"] is not result:
            break
        tokens = segment["tokens"].tolist()
        # The reference keeps the beginning of a segment that is never written.
        if tokens[-2] > end_of_text:
            tokens.pop()
        text = tokenizer.decode([token for token in tokens if token < end_of_text])
        # The reference knows nothing of where the recording ends.
        end = min(float(segment["end"]), seconds)
        segments.append(dict(start=round(float(segment["start"]), 2), end=round(end, 2), text=text, tokens=tokens))
    written = tokenizer.decode([token for token in result["sequences"].tolist() if token < end_of_text]) if segments else ""
    if not written.strip() or is_repetitive(written) or not all(map(is_plain, segments)):
        return None
    average = average_likelihood(result)
    if average < -0.8:
        return None
    if sum(len(segment["tokens"]) for segment in segments) >= MOST_TOKENS:
        return None
    average = round(average, 5)
    return dict(kind=kind, seconds=seconds, language=language, task=task, detected=detected.strip("<|>"), averageLogprob=average, segments=segments)


def average_likelihood(result) -> float:
    """The logarithm of a token's probability, on average as OpenAI's implementation has it: with the end's, or one token more."""
    scores = result["scores"]
    tokens = result["sequences"][-len(scores) :]
    likelihoods = [float(torch.log_softmax(score.flatten(), -1)[token]) for score, token in zip(scores, tokens)]
    return sum(likelihoods[:MOST_TOKENS]) / min(len(likelihoods), MOST_TOKENS + 1)


def is_repetitive(text: str) -> bool:
    encoded = text.strip().encode()
    return len(encoded) / len(zlib.compress(encoded)) > 2


def is_plain(segment) -> bool:
    """Neither empty nor faster than anybody speaks."""
    return segment["text"].strip() != "" and segment["end"] - segment["start"] > 0.2


def main():
    extractor = WhisperFeatureExtractor(feature_size=MELS, chunk_length=SECONDS)
    with tempfile.TemporaryDirectory() as name:
        scratch = Path(name)
        tokenizer = make_tokenizer(scratch)
        for seed in range(SEED, SEED + 200):
            model = make_model(tokenizer, seed)
            cases = choose(model, tokenizer, extractor)
            print(seed, len(cases), flush=True)
            if cases:
                break
        shutil.rmtree(FOLDER, ignore_errors=True)
        for part in (model.config, model.generation_config, tokenizer, extractor):
            part.save_pretrained(FOLDER)
        for needless in ("vocab.json", "merges.txt", "added_tokens.json", "normalizer.json"):
            (FOLDER / needless).unlink(missing_ok=True)
        onnx_export_from_model(model, output=scratch / "export", task="automatic-speech-recognition-with-past", opset=18, device="cpu", nb_max_frames=SECONDS * 100)
        (FOLDER / "onnx").mkdir()
        for part in sorted((scratch / "export").glob("*.onnx")):
            compact(part, FOLDER / "onnx" / part.name)
    versions = {"torch": torch.__version__, "transformers": transformers.__version__, "optimum-onnx": version("optimum-onnx")}
    golden = dict(versions=versions, seed=seed, cases=[*cases, *choose_translations(model, tokenizer, extractor)])
    (FOLDER / "golden.json").write_text(json.dumps(golden, ensure_ascii=False, separators=(",", ":")) + "\n")


def choose(model, tokenizer, extractor):
    """A case of each length and language as far as there is one, all different; none where the model is no good for that."""
    cases = []
    for seconds in LENGTHS:
        for language in ASKED_LANGUAGES:
            tried = (transcribe(model, tokenizer, extractor, kind, seconds, language) for kind in range(12))
            known = [case["segments"] for case in cases]
            case = next((one for one in tried if one and one["segments"] not in known), None)
            cases += [case] if case else []
        if not cases:
            return []
    letters = {letter for case in cases for segment in case["segments"] for letter in segment["text"]}
    kinds = {(case["seconds"], case["language"] is None) for case in cases}
    return cases if len(letters) > 8 and len(kinds) >= 3 and len(cases) >= 4 else []


def choose_translations(model, tokenizer, extractor):
    """Two recordings for each way to ask for a language."""
    cases = []
    for language in ("de", None):
        tried = (transcribe(model, tokenizer, extractor, kind, LENGTHS[0], language, "translate") for kind in range(12))
        cases += [case for case in tried if case][:2]
    return cases


if __name__ == "__main__":
    warnings.filterwarnings("ignore")
    logging.disable(logging.WARNING)
    torch.set_num_threads(1)
    main()
