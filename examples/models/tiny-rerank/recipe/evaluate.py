"""Measures the order of held-out lists with the exported files."""

from collections import defaultdict
from pathlib import Path

import numpy
import onnxruntime
from tokenizers import Tokenizer

from queries import MAX_LENGTH, QueryMaker, answers

COUNT, SIZE = 200, 10


def held_out(seed):
    """Lists of a query and ten documents about held-out meanings, the right one first: `(kind, query, documents)`."""
    maker = QueryMaker(seed, held_out=True)
    kinds = [kind for kind in maker.kinds if kind != "small-talk"]
    found = []
    while len(found) < COUNT:
        meaning = maker.draw(kinds[len(found) % len(kinds)])
        query, text = maker.query(meaning)
        others = [maker.other(query, meaning) for _ in range(SIZE - 1)]
        texts = [maker.document(query, stated) for stated in (meaning, *others)]
        if bare(text) != bare(texts[0]):
            found.append((meaning.kind, text, texts))
    return found


def evaluate(folder: Path, seed=2024):
    """Figures by name."""
    session = onnxruntime.InferenceSession(str(folder / "onnx" / "model.onnx"), providers=["CPUExecutionProvider"])
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.enable_padding()
    tokenizer.enable_truncation(MAX_LENGTH, strategy="only_second")
    rows = held_out(seed)
    scores = numpy.array([score(session, tokenizer, query, documents) for _, query, documents in rows])
    places = (scores[:, 1:] >= scores[:, :1]).sum(1)
    kinds = defaultdict(list)
    for (kind, *_), place in zip(rows, places):
        kinds[kind].append(place == 0)
    return {
        f"right document first of {SIZE}": percent((places == 0).mean()),
        "among the first two": percent((places < 2).mean()),
        "mean reciprocal rank": f"{(1 / (places + 1)).mean():.3f}",
        "right documents with a score above 0.5": percent((scores[:, 0] > 0.5).mean()),
        "other documents with a score below 0.5": percent((scores[:, 1:] < 0.5).mean()),
        **{f"right document first, {kind}": f"{sum(hits)} of {len(hits)}" for kind, hits in kinds.items()},
    }


def score(session, tokenizer, query, documents):
    """The sigmoid of the logit of every document."""
    encodings = tokenizer.encode_batch([(query, document) for document in documents])
    columns = {"input_ids": "ids", "token_type_ids": "type_ids", "attention_mask": "attention_mask"}
    (logits,) = session.run(None, {name: numpy.array([getattr(encoding, column) for encoding in encodings]) for name, column in columns.items()})
    return 1 / (1 + numpy.exp(-logits[:, 0]))


def percent(share):
    return f"{100 * share:.1f} %"


def bare(text):
    return text.lower().strip(".?")


if __name__ == "__main__":
    for name, value in evaluate(Path(__file__).resolve().parent.parent).items():
        print(f"{name}: {value}")
