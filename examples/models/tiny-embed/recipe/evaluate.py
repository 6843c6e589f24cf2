"""Measures retrieval on held-out paraphrases with the exported files."""

from pathlib import Path

import numpy
import onnxruntime
from tokenizers import Tokenizer

from meanings import MeaningMaker
from train import DIMENSIONS

COUNT = 200


def held_out(seed):
    """Held-out meanings, each worded in two ways and once with one part changed: `(meaning, text, paraphrase, other)`."""
    maker = MeaningMaker(seed, held_out=True)
    kinds = [kind for kind in maker.kinds if kind != "small-talk"]
    found = {}
    while len(found) < COUNT:
        meaning = maker.draw(maker.pick(kinds))
        text, paraphrase = maker.word(meaning), maker.word(meaning)
        if meaning not in found and _bare(text) != _bare(paraphrase):
            found[meaning] = (text, paraphrase, maker.word(maker.neighbour(meaning)))
    return [(meaning, *texts) for meaning, texts in found.items()]


def evaluate(folder: Path, seed=2024):
    """Shares between 0 and 1 by name."""
    session = onnxruntime.InferenceSession(str(folder / "onnx" / "model.onnx"), providers=["CPUExecutionProvider"])
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.enable_padding()
    rows = held_out(seed)
    texts, paraphrases, others = (_embed(session, tokenizer, [row[column] for row in rows]) for column in (1, 2, 3))
    figures = {}
    for dimension in reversed(DIMENSIONS):
        left, right, other = (_unit(side[:, :dimension]) for side in (texts, paraphrases, others))
        figures[f"recall@1 among {COUNT}, {dimension} dimensions"] = _hits(left @ right.T)
        figures[f"recall@1 among {COUNT} and {COUNT} neighbors, {dimension} dimensions"] = _hits(left @ numpy.concatenate([right, other]).T)
        figures[f"closer to the paraphrase than to the neighbor, {dimension} dimensions"] = float(((left * right).sum(1) > (left * other).sum(1)).mean())
    return figures


def _embed(session, tokenizer, texts):
    encodings = tokenizer.encode_batch(texts)
    ids = numpy.array([encoding.ids for encoding in encodings])
    mask = numpy.array([encoding.attention_mask for encoding in encodings])
    (hidden,) = session.run(None, {"input_ids": ids, "attention_mask": mask, "token_type_ids": 0 * ids})
    return (hidden * mask[..., None]).sum(1) / mask.sum(1, keepdims=True)


def _hits(scores):
    return float((scores.argmax(1) == numpy.arange(COUNT)).mean())


def _unit(vectors):
    return vectors / numpy.linalg.norm(vectors, axis=1, keepdims=True)


def _bare(text):
    return text.lower().strip(".?")


if __name__ == "__main__":
    for name, value in evaluate(Path(__file__).resolve().parent.parent).items():
        print(f"{name}: {100 * value:.1f} %")
