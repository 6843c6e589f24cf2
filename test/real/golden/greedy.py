"""What the generators of greedy answers share: prompts, and the form of the golden files."""
import json
import platform
import sys
from pathlib import Path

import numpy as np


def prompts(tokenizer):
    for text in json.loads((Path(__file__).parent / "prompts.json").read_text()):
        message = [{"role": "user", "content": text}]
        ids = tokenizer.apply_chat_template(message, add_generation_prompt=True, return_dict=False)
        yield list(ids)


def log_softmax(logits):
    logits = logits.astype(np.float64) - logits.max()
    return logits - np.log(np.exp(logits).sum())


def write(answers, **versions):
    """Prompt and answer in token ids, and of each step the two likeliest tokens with their log probabilities."""
    rows = []
    for prompt, tokens, logs in answers:
        best = [[[int(i), round(float(row[i]), 6)] for i in np.argsort(-row)[:2]] for row in logs]
        rows.append({"prompt": prompt, "tokens": tokens, "best": best})
    versions["python"] = platform.python_version()
    answers = ",\n".join(json.dumps(row, separators=(",", ":")) for row in rows)
    sys.stdout.write('{"versions":%s,"answers":[\n%s\n]}\n' % (json.dumps(versions), answers))
