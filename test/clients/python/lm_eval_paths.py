"""lm-eval's local-completions over a task of our own: its log-likelihoods are those of a plain forward pass."""

import json
import os
import tempfile

os.environ |= {"HF_HUB_OFFLINE": "1", "HF_DATASETS_OFFLINE": "1", "TOKENIZERS_PARALLELISM": "false"}

import lm_eval
import numpy
import onnxruntime
from report import API_KEY, BASE_URL, CHAT, MODELS, check, report
from transformers import AutoTokenizer

os.environ["OPENAI_API_KEY"] = API_KEY
FOLDER = os.path.join(MODELS, CHAT)
QUESTIONS = [
    {"question": "What is 2 + 3?", "choices": [" 5", " a red circle", " six and seven"], "answer": 0},
    {"question": "The scene shows a red", "choices": [" circle", " circle above a large blue square"], "answer": 0},
    {"question": ("Describe a scene with two shapes. " * 20).strip(), "choices": [" A blue square.", " No", " Ünïcode"], "answer": 0},
]

tokenizer = AutoTokenizer.from_pretrained(FOLDER)
session = onnxruntime.InferenceSession(os.path.join(FOLDER, "onnx/model.onnx"))


def log_softmax(tokens):
    """Of the logits of one forward pass."""
    ids = numpy.array([tokens], dtype=numpy.int64)
    feeds = {"input_ids": ids, "attention_mask": numpy.ones_like(ids), "position_ids": numpy.arange(len(tokens), dtype=numpy.int64)[None]}
    feeds |= {one.name: numpy.zeros((1, one.shape[1], 0, one.shape[3]), numpy.float32) for one in session.get_inputs() if one.name not in feeds}
    logits = session.run(["logits"], feeds)[0][0].astype(numpy.float64)
    logits -= logits.max(axis=-1, keepdims=True)
    return logits - numpy.log(numpy.exp(logits).sum(axis=-1, keepdims=True))


def reference(context, continuation):
    """Log-likelihood of a continuation, and whether it is the likeliest one."""
    before = len(tokenizer(context).input_ids)
    tokens = tokenizer(context + continuation).input_ids
    scores = log_softmax(tokens)[before - 1 : -1]
    follow = tokens[before:]
    return sum(row[token] for row, token in zip(scores, follow)), all(row.argmax() == token for row, token in zip(scores, follow))


def evaluate(task, **more):
    arguments = dict(model=CHAT, tokenizer=FOLDER, tokenizer_backend="huggingface", base_url=f"{BASE_URL}/completions", num_concurrent=1, max_retries=1, max_length=2048)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "questions.json")
        with open(path, "w") as file:
            file.write("\n".join(map(json.dumps, QUESTIONS)))
        config = dict(task="shapes", dataset_path="json", dataset_kwargs={"data_files": {"test": path}}, test_split="test", doc_to_text="{{question}}", **task)
        found = lm_eval.simple_evaluate(model="local-completions", model_args=arguments | more, tasks=[config], log_samples=True, bootstrap_iters=0)
    return sorted(found["samples"]["shapes"], key=lambda sample: sample["doc_id"])


def likelihoods(**more):
    task = dict(output_type="multiple_choice", doc_to_choice="{{choices}}", doc_to_target="answer", target_delimiter="")
    samples = evaluate(task, **more)
    check(len(samples) == len(QUESTIONS), "a sample for each question")
    for sample, question in zip(samples, QUESTIONS):
        check(len(sample["filtered_resps"]) == len(question["choices"]), "a likelihood for each choice")
        for (found, is_greedy), choice in zip(sample["filtered_resps"], question["choices"]):
            expected, best = reference(question["question"], choice)
            check(abs(found - expected) < 1e-3, f"{expected} for {choice!r}, got {found}")
            check(is_greedy == best, f"greedy to be {best} for {choice!r}")


def of_ids():
    likelihoods(tokenized_requests=True, batch_size=4)


def of_texts():
    likelihoods(tokenized_requests=False)


def generated():
    samples = evaluate(dict(output_type="generate_until", doc_to_target="answer", generation_kwargs={"until": ["\n"], "max_gen_toks": 12}))
    texts = [sample["resps"][0][0] for sample in samples]
    check(all(isinstance(text, str) and "\n" not in text for text in texts), f"a line for each, got {texts}")


report("lm-eval", {"likelihoods of ids": of_ids, "likelihoods of texts": of_texts, "completions": generated})
