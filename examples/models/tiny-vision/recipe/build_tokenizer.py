"""Builds tokenizer.json: whole words of the questions and answers, letters and bytes for everything else."""

import random
import re
from pathlib import Path

import neighbours  # noqa: F401
import numpy as np
from dialogues import BLIND, Asker
from prompts import PromptMaker
from scenes import draw_layout, scene_of
from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, pre_tokenizers

SPECIAL = ["<|endoftext|>", "<|im_start|>", "<|im_end|>", "<fake_token_around_image>", "<global-img>", "<image>"]
PIECE = r" ?[A-Z]?[a-z]+| ?[A-Z]|\d| ?[^\sA-Za-z\d]|\s"
LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
ALSO = "user assistant system You are a helpful assistant. The an gray grey image photo drawing object objects".split()


def words():
    maker, asker, numbers = PromptMaker(0), Asker(random.Random(0)), np.random.default_rng(0)
    found = {piece for word in ALSO for piece in re.findall(PIECE, f"{word} {word}")} | set(re.findall(PIECE, BLIND))
    for _ in range(3000):
        for pair in asker.dialogue(scene_of(draw_layout(maker, numbers, (1.0, 1.0))), 3):
            found.update(piece for text in pair for piece in re.findall(PIECE, text))
    return sorted(piece.replace(" ", "Ġ") for piece in found if len(piece.strip()) > 1)


def build(path):
    splitter = pre_tokenizers.Sequence([pre_tokenizers.Split(Regex(PIECE), "isolated"), pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)])
    spaced = ["Ġ" + letter for letter in LETTERS]
    pieces = SPECIAL + sorted(pre_tokenizers.ByteLevel.alphabet()) + spaced + words()
    vocabulary = {piece: index for index, piece in enumerate(dict.fromkeys(pieces))}
    tokenizer = Tokenizer(models.BPE(vocab=vocabulary, merges=[("Ġ", letter) for letter in LETTERS], ignore_merges=True))
    tokenizer.pre_tokenizer = splitter
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.add_special_tokens([AddedToken(token, special=True, normalized=False) for token in SPECIAL])
    tokenizer.save(str(path))
    return tokenizer


if __name__ == "__main__":
    print(build(Path(__file__).resolve().parent.parent / "tokenizer.json").get_vocab_size(), "tokens")
