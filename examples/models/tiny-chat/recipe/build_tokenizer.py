"""Builds tokenizer.json: whole words of the closed world, JSON boilerplate in one piece, bytes for everything else."""

import re
from pathlib import Path

from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, pre_tokenizers


SPECIAL = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"]
VISIBLE = ["<think>", "</think>", "<tool_call>", "</tool_call>"]
PHRASES = [
    '{"type": "function", "function": {"name": "', '", "description": "', '", "parameters": {"type": "object", "properties": {"', '": {"type": "string"',
    '": {"type": "integer"', '": {"type": "number"', '": {"type": "boolean"', ', "description": "', ', "enum": ["', '}, "required": ["', '}}, "required": ["', '"], "additionalProperties": false}',
    ', "strict": true}', '{"name": "', '", "arguments": {"', '": "', '", "', '": ', '"}}', '"]}}}', '}, "', '"]}', ', "', '"}', '{"', '":"', '","', '":', ',"', '"]', '["', '}}',
    "<tools>", "</tools>", " = ", " + ", " - ", "...",
]
PIECE = r" ?[A-Z]?[a-z]+| ?[A-Z]|\d| ?[^\sA-Za-z\d]|\s"
LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"


def pre_tokenizer():
    phrases = "|".join(re.sub(r'([{}\[\].+|])', r"\\\1", phrase) for phrase in sorted(PHRASES, key=len, reverse=True))
    return pre_tokenizers.Sequence([
        pre_tokenizers.Split(Regex(phrases + "|" + PIECE), "isolated"),
        pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
    ])


def closed_words():
    """The world's own words, with a space before where they follow one. Invented and open-class words stay letters, so that copying is learned."""
    lines = (Path(__file__).parent / "words.txt").read_text(encoding="utf-8").split("\n")
    return [line.replace(" ", "Ġ") for line in lines if line]


def build(path):
    splitter = pre_tokenizer()
    byte_level = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    phrases = [byte_level.pre_tokenize_str(phrase)[0][0] for phrase in PHRASES]
    spaced = ["Ġ" + letter for letter in LETTERS]
    pieces = SPECIAL + VISIBLE + sorted(pre_tokenizers.ByteLevel.alphabet()) + spaced + phrases + closed_words()
    vocabulary = {piece: index for index, piece in enumerate(dict.fromkeys(pieces))}
    tokenizer = Tokenizer(models.BPE(vocab=vocabulary, merges=[("Ġ", letter) for letter in LETTERS], ignore_merges=True))
    tokenizer.pre_tokenizer = splitter
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.add_special_tokens([AddedToken(token, special=True, normalized=False) for token in SPECIAL])
    tokenizer.add_tokens([AddedToken(token, special=False, normalized=False) for token in VISIBLE])
    tokenizer.save(str(path))
    return tokenizer


if __name__ == "__main__":
    tokenizer = build(Path(__file__).parent.parent / "tokenizer.json")
    print(tokenizer.get_vocab_size(), "tokens")
