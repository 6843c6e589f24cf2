"""The peers of categories.js: embeddings, reranking and detection on onnxruntime as a Python program would write them, piper-tts, kokoro-onnx.

Usage: python categories.py KIND THREADS PATH…. Each line of standard input is a JSON array of inputs; the answer is a line of JSON
with milliseconds of wall and processor time. `sort` of embeddings: by length, in batches of 32.
"""

import json
import sys
import time

import numpy
import onnxruntime

BATCH = 32
MAX_TOKENS = 256


def open_session(path, threads):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    return onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])


def open_tokenizer(folder):
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(f"{folder}/tokenizer.json")
    tokenizer.enable_padding()
    tokenizer.enable_truncation(MAX_TOKENS)
    return tokenizer


def feeds_of(session, encodings):
    columns = {"input_ids": "ids", "attention_mask": "attention_mask", "token_type_ids": "type_ids"}
    names = [entry.name for entry in session.get_inputs()]
    return {name: numpy.array([getattr(one, columns[name]) for one in encodings], numpy.int64) for name in names}


def embedding(threads, folder):
    session, tokenizer = open_session(f"{folder}/onnx/model.onnx", threads), open_tokenizer(folder)

    def embed(texts):
        feeds = feeds_of(session, tokenizer.encode_batch(texts))
        (states, *_) = session.run(None, feeds)
        mask = feeds["attention_mask"][..., None]
        vectors = (states * mask).sum(1) / mask.sum(1)
        return vectors / numpy.linalg.norm(vectors, axis=1, keepdims=True)

    def run(request):
        texts = request["texts"]
        order = sorted(range(len(texts)), key=lambda index: len(texts[index])) if request["sort"] else range(len(texts))
        vectors = [None] * len(texts)
        for at in range(0, len(order), request["batch"]):
            batch = order[at : at + request["batch"]]
            for index, vector in zip(batch, embed([texts[index] for index in batch])):
                vectors[index] = vector
        return vectors[0].tolist()

    return run


def rerank(threads, folder):
    session, tokenizer = open_session(f"{folder}/onnx/model.onnx", threads), open_tokenizer(folder)

    def run(request):
        pairs = [(request["query"], document) for document in request["documents"]]
        (logits, *_) = session.run(None, feeds_of(session, tokenizer.encode_batch(pairs)))
        return (1 / (1 + numpy.exp(-logits[:, 0]))).tolist()

    return run


def piper(threads, model):
    from piper import PiperVoice
    from piper.config import PiperConfig

    with open(f"{model}.json", encoding="utf-8") as file:
        config = PiperConfig.from_dict(json.load(file))
    voice = PiperVoice(session=open_session(model, threads), config=config)
    return lambda request: sum(len(chunk.audio_int16_bytes) // 2 for chunk in voice.synthesize(request["text"])) / config.sample_rate


def kokoro(threads, folder, graph):
    import os
    import tempfile

    from kokoro_onnx import Kokoro

    names = [name for name in os.listdir(f"{folder}/voices") if name.startswith("af_")]
    voices = {name[:-4]: numpy.fromfile(f"{folder}/voices/{name}", numpy.float32).reshape(-1, 1, 256) for name in names}
    path = os.path.join(tempfile.mkdtemp(), "voices.npz")
    numpy.savez(path, **voices)
    speaker = Kokoro.from_session(open_session(f"{folder}/onnx/{graph}", threads), path)

    def run(request):
        samples, rate = speaker.create(request["text"], voice="af_heart")
        return len(samples) / rate

    return run


def detection(threads, model):
    import cv2

    session = open_session(model, threads)
    entry = session.get_inputs()[0]
    size = entry.shape[2]
    grids = numpy.concatenate(
        [numpy.stack(numpy.meshgrid(numpy.arange(size // step), numpy.arange(size // step)), 2).reshape(-1, 2) for step in (8, 16, 32)]
    )
    steps = numpy.concatenate([numpy.full((size // step) ** 2, step) for step in (8, 16, 32)])[:, None]
    cv2.setNumThreads(threads)

    def run(request):
        image = cv2.imread(request["path"])
        ratio = min(size / image.shape[0], size / image.shape[1])
        resized = cv2.resize(image, (int(image.shape[1] * ratio), int(image.shape[0] * ratio)), interpolation=cv2.INTER_LINEAR)
        padded = numpy.full((size, size, 3), 114, numpy.uint8)
        padded[: resized.shape[0], : resized.shape[1]] = resized
        (output,) = session.run(None, {entry.name: numpy.ascontiguousarray(padded.transpose(2, 0, 1)[None], numpy.float32)})
        rows = output[0]
        centers, sizes = (rows[:, :2] + grids) * steps, numpy.exp(rows[:, 2:4]) * steps
        scores = rows[:, 4:5] * rows[:, 5:]
        classes, best = scores.argmax(1), scores.max(1)
        kept = best > 0.25
        boxes = numpy.concatenate([centers - sizes / 2, sizes], 1)[kept] / ratio
        chosen = cv2.dnn.NMSBoxesBatched(boxes.tolist(), best[kept].tolist(), classes[kept].tolist(), 0.25, 0.45)
        return len(chosen)

    return run


def main(kind, threads, *paths):
    run = {"embedding": embedding, "rerank": rerank, "piper": piper, "kokoro": kokoro, "detection": detection}[kind](int(threads), *paths)
    print(json.dumps({"versions": f"onnxruntime {onnxruntime.__version__}"}), flush=True)
    for line in sys.stdin:
        requests = json.loads(line)
        began, began_cpu = time.perf_counter(), time.process_time()
        results = [run(request) for request in requests]
        spent = {"ms": (time.perf_counter() - began) * 1000, "cpuMs": (time.process_time() - began_cpu) * 1000}
        print(json.dumps({**spent, "result": results[0]}), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
