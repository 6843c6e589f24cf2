"""Embeds texts with onnxruntime, as a Python program would: batches of 32 by length, mean of the tokens, length 1.

Usage: python embeddings-onnxruntime.py FOLDER. Each line of standard input is {"texts": […], "batch": 32}; the answer is a line
{"milliseconds": processor time, "first": vector of the first text}. One thread.
"""

import json
import sys
import time
from pathlib import Path

import numpy
import onnxruntime
from tokenizers import Tokenizer

MOST_TOKENS = 256


def main(folder):
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.enable_padding()
    tokenizer.enable_truncation(MOST_TOKENS)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(str(folder / "onnx" / "model.onnx"), options)
    names = [entry.name for entry in session.get_inputs()]

    def embed(texts):
        encodings = tokenizer.encode_batch(texts)
        columns = {"input_ids": "ids", "attention_mask": "attention_mask", "token_type_ids": "type_ids"}
        feeds = {name: numpy.array([getattr(encoding, columns[name]) for encoding in encodings], numpy.int64) for name in names}
        (states, *_) = session.run(None, feeds)
        vectors = (states * feeds["attention_mask"][..., None]).sum(1)
        return vectors / numpy.linalg.norm(vectors, axis=1, keepdims=True)

    for line in sys.stdin:
        request = json.loads(line)
        began = time.process_time()
        texts, size = request["texts"], request["batch"]
        order = sorted(range(len(texts)), key=lambda index: len(texts[index]))
        vectors = {}
        for at in range(0, len(order), size):
            batch = order[at : at + size]
            vectors.update(zip(batch, embed([texts[index] for index in batch])))
        milliseconds = (time.process_time() - began) * 1000
        print(json.dumps({"milliseconds": milliseconds, "first": vectors[0].tolist()}), flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
