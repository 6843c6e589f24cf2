"""Builds tokenizer.json: whole words of the closed world, JSON boilerplate in one piece, bytes for everything else."""

import re
from collections import Counter

from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, pre_tokenizers

from dialogues import DialogueMaker
from template import render

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


def frequent_words(splitter, dialogues, least):
    """Words of the world itself; invented and listed open-class ones stay letters, so that copying is learned."""
    maker, counts = DialogueMaker(1), Counter()
    for _ in range(dialogues):
        messages, tools, _ = maker.dialogue()
        counts.update(piece for piece, _ in splitter.pre_tokenize_str(render(messages, tools)))
    invented = {part for word in maker.invented for part in re.findall(r"[A-Z]?[a-z]+", word)}
    source_words = set()
    import dialogues as dialogues_module, scenes, tools as tools_module, world

    for module in (dialogues_module, scenes, tools_module, world):
        source_words |= {word.lower() for word in re.findall(r"[A-Za-z]+", open(module.__file__, encoding="utf-8").read())}
    open_class = {part for word in world.HELD_OUT_CITIES + world.HELD_OUT_NAMES + world.CITIES + world.NAMES for part in re.findall(r"[A-Za-z]+", word)}
    words = []
    for piece, count in counts.most_common():
        word = piece.replace("Ġ", "")
        known = word.lower() in source_words and word not in open_class
        if count >= least and re.fullmatch(r"[A-Za-z]{2,}", word) and known and not (word in invented and count < 4 * least):
            words.append(piece)
    return words


def build(path, dialogues=20000, least=25):
    splitter = pre_tokenizer()
    words = frequent_words(splitter, dialogues, least)
    byte_level = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    phrases = [byte_level.pre_tokenize_str(phrase)[0][0] for phrase in PHRASES]
    spaced = ["Ġ" + letter for letter in LETTERS]
    pieces = SPECIAL + VISIBLE + sorted(pre_tokenizers.ByteLevel.alphabet()) + spaced + phrases + sorted(words)
    vocabulary = {piece: index for index, piece in enumerate(dict.fromkeys(pieces))}
    tokenizer = Tokenizer(models.BPE(vocab=vocabulary, merges=[("Ġ", letter) for letter in LETTERS], ignore_merges=True))
    tokenizer.pre_tokenizer = splitter
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.add_special_tokens([AddedToken(token, special=True, normalized=False) for token in SPECIAL])
    tokenizer.add_tokens([AddedToken(token, special=False, normalized=False) for token in VISIBLE])
    tokenizer.save(str(path))
    return tokenizer


if __name__ == "__main__":
    from pathlib import Path

    tokenizer = build(Path(__file__).parent.parent / "tokenizer.json")
    print(tokenizer.get_vocab_size(), "tokens")
