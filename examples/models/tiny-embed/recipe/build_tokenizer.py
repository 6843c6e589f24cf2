"""A WordPiece vocabulary of the closed world's words, with letters and pairs of letters for everything else."""

import json
import string
from collections import Counter
from pathlib import Path

from tokenizers import Tokenizer, normalizers, pre_tokenizers, processors
from tokenizers.models import WordPiece

from meanings import MeaningMaker

SPECIAL_TOKENS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
WORD_COUNT, PAIR_COUNT = 720, 400
MAX_LENGTH = 128


def build(folder: Path):
    normalizer = normalizers.BertNormalizer(lowercase=True)
    splitter = pre_tokenizers.BertPreTokenizer()
    words, pairs = Counter(), Counter()
    maker = MeaningMaker(seed=0)
    for _ in range(4000):
        for kind in maker.kinds:
            for word, _ in splitter.pre_tokenize_str(normalizer.normalize_str(maker.word(maker.draw(kind)))):
                words[word] += 1
                pairs.update(word[at : at + 2] for at in range(1, len(word) - 1))
    letters = string.ascii_lowercase + string.digits
    numbers = [str(number) for number in range(100)]
    marks = [mark for mark in string.punctuation]
    entries = [*SPECIAL_TOKENS, *marks, *letters, *("##" + letter for letter in letters), *numbers, "query", "passage"]
    entries += [word for word, _ in _by_count(words)[:WORD_COUNT]]
    entries += ["##" + pair for pair, _ in _by_count(pairs)[:PAIR_COUNT]]
    vocabulary = {entry: index for index, entry in enumerate(dict.fromkeys(entries))}
    tokenizer = Tokenizer(WordPiece(vocabulary, unk_token="[UNK]", max_input_chars_per_word=100))
    tokenizer.add_special_tokens(SPECIAL_TOKENS)
    tokenizer.normalizer = normalizer
    tokenizer.pre_tokenizer = splitter
    ends = [(token, vocabulary[token]) for token in ("[CLS]", "[SEP]")]
    tokenizer.post_processor = processors.TemplateProcessing(single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1", special_tokens=ends)
    tokenizer.save(str(folder / "tokenizer.json"))
    settings = {
        "tokenizer_class": "BertTokenizer", "do_lower_case": True, "model_max_length": MAX_LENGTH, "cls_token": "[CLS]", "mask_token": "[MASK]", "pad_token": "[PAD]",
        "sep_token": "[SEP]", "unk_token": "[UNK]",
    }
    (folder / "tokenizer_config.json").write_text(json.dumps(settings, indent=2) + "\n")


def _by_count(counter):
    return sorted(counter.items(), key=lambda entry: (-entry[1], entry[0]))
