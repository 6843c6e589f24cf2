"""Builds tokenizer.json: the closed world's words in one piece, digits and bytes for everything else, and Whisper's special tokens."""

from collections import Counter
from pathlib import Path

from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, pre_tokenizers

from sentences import LETTERS, SALAD, SentenceMaker, capital

CHUNK_SECONDS = 10
TIMESTAMP_SECONDS = 0.02
END, START, LANGUAGE, TASK, PREVIOUS, SILENCE, NO_TIMESTAMPS = SPECIAL = [
    "<|endoftext|>", "<|startoftranscript|>", "<|en|>", "<|transcribe|>", "<|startofprev|>", "<|nospeech|>", "<|notimestamps|>",
]
TIMESTAMPS = [f"<|{index * TIMESTAMP_SECONDS:.2f}|>" for index in range(round(CHUNK_SECONDS / TIMESTAMP_SECONDS) + 1)]
PIECE = r" ?[A-Za-z]+(?:'[a-z]+)?| ?\d| ?[^\sA-Za-z\d]|\s"


def pre_tokenizer():
    return pre_tokenizers.Sequence([pre_tokenizers.Split(Regex(PIECE), "isolated"), pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)])


def closed_words(samples=60000):
    """Every piece of the generated sentences, which begin with a space as in Whisper's own transcripts, most frequent first."""
    splitter, maker, counts = pre_tokenizer(), SentenceMaker(0), Counter()
    for _ in range(samples):
        counts.update(piece for piece, _ in splitter.pre_tokenize_str(" " + maker.sentence()))
    counts.update(form for word in SALAD for form in ("Ġ" + word, "Ġ" + capital(word)))
    return [piece for piece, _ in sorted(counts.items(), key=lambda item: (-item[1], item[0]))]


def build(path):
    letters = LETTERS + LETTERS.lower()
    pieces = sorted(pre_tokenizers.ByteLevel.alphabet()) + ["Ġ" + letter for letter in letters] + closed_words()
    vocabulary = {piece: index for index, piece in enumerate(dict.fromkeys(pieces))}
    tokenizer = Tokenizer(models.BPE(vocab=vocabulary, merges=[("Ġ", letter) for letter in letters], ignore_merges=True))
    tokenizer.pre_tokenizer = pre_tokenizer()
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.add_special_tokens([AddedToken(token, special=True, normalized=False) for token in SPECIAL])
    tokenizer.add_tokens([AddedToken(token, special=False, normalized=False) for token in TIMESTAMPS])
    tokenizer.save(str(path))
    return tokenizer


if __name__ == "__main__":
    tokenizer = build(Path(__file__).parent.parent / "tokenizer.json")
    print(tokenizer.get_vocab_size(), "tokens,", tokenizer.token_to_id(END), "of them text")
