"""Times masks of llguidance along documents of tokens, for masks.js. One thread.

Usage: python masks-llguidance.py FILE. The file is {"endToken", "rounds", "tokens": [base64], "cases": [{"schema", "documents": [[token]]}]};
the answer is {"indexed", "rounds": [[null or {"compile", "masks": [null or [milliseconds]]}]]}.
"""

import base64
import ctypes
import json
import sys
import time

from llguidance import LLMatcher, LLTokenizer, TokenizerWrapper


class Tokens:
    def __init__(self, tokens, end):
        self.tokens = tokens
        self.eos_token_id = end
        self.bos_token_id = None
        self.special_token_ids = [index for index, token in enumerate(tokens) if not token]

    def __call__(self, text):
        return [self.tokens.index(bytes([byte])) for byte in (text if isinstance(text, bytes) else text.encode())]


def now():
    return time.perf_counter() * 1000


def follow(grammar, tokenizer, document, mask):
    matcher = LLMatcher(tokenizer, grammar)
    times = []
    for token in document:
        before = now()
        matcher.unsafe_compute_mask_ptr(ctypes.addressof(mask), ctypes.sizeof(mask))
        times.append(now() - before)
        # Where only one text can follow, the mask holds its own tokens alone, though others would do.
        if not matcher.consume_token(token):
            return None
    return times


def measure(case, tokenizer, mask):
    begun = now()
    try:
        grammar = LLMatcher.grammar_from_json_schema(json.dumps(case["schema"]))
        matcher = LLMatcher(tokenizer, grammar)
    except ValueError:
        return None
    compiled = now() - begun
    if matcher.is_error():
        return None
    return {"compile": compiled, "masks": [follow(grammar, tokenizer, document, mask) for document in case["documents"]]}


def main(path):
    with open(path) as file:
        data = json.load(file)
    tokens = [base64.b64decode(token) for token in data["tokens"]]
    begun = now()
    wrapped = TokenizerWrapper(Tokens(tokens, data["endToken"]))
    tokenizer = LLTokenizer(wrapped, n_vocab=len(tokens))
    indexed = now() - begun
    mask = (ctypes.c_uint32 * ((len(tokens) + 31) // 32))()
    rounds = [[measure(case, tokenizer, mask) for case in data["cases"]] for _ in range(data["rounds"])]
    print(json.dumps({"indexed": indexed, "rounds": rounds}))


main(sys.argv[1])
