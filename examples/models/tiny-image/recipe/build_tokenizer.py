"""A byte-level BPE in CLIP's form, learnt from the closed world's prompts; any other text becomes letters and bytes."""

import json
from pathlib import Path

from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers

from prompts import PromptMaker

START, END = "<|startoftext|>", "<|endoftext|>"
MAX_LENGTH = 77
MERGES = 700
WORD = r"'s|'t|'re|'ve|'m|'ll|'d|[\p{L}]+|[\p{N}]|[^\s\p{L}\p{N}]+"


def build(folder):
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    tokenizer = Tokenizer(models.BPE(end_of_word_suffix="</w>", continuing_subword_prefix="", unk_token=END))
    tokenizer.normalizer = normalizers.Sequence([normalizers.NFC(), normalizers.Replace(Regex(r"\s+"), " "), normalizers.Lowercase()])
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([pre_tokenizers.Split(Regex(WORD), "removed", invert=True), pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)])
    tokenizer.decoder = decoders.ByteLevel()
    maker = PromptMaker(seed=0)
    letters = sorted(pre_tokenizers.ByteLevel.alphabet())
    trainer = trainers.BpeTrainer(vocab_size=2 * len(letters) + MERGES, min_frequency=2, initial_alphabet=letters, end_of_word_suffix="</w>", continuing_subword_prefix="", show_progress=False)
    tokenizer.train_from_iterator((maker.draw()[0] for _ in range(20000)), trainer)
    learnt = json.loads(tokenizer.to_str())["model"]
    # CLIP's order: bytes, bytes at the end of a word, merges, special tokens.
    merges = [tuple(merge) for merge in learnt["merges"]]
    pieces = letters + [letter + "</w>" for letter in letters] + ["".join(merge) for merge in merges] + [START, END]
    vocabulary = {piece: index for index, piece in enumerate(dict.fromkeys(pieces))}
    tokenizer.model = models.BPE(vocab=vocabulary, merges=merges, end_of_word_suffix="</w>", continuing_subword_prefix="", unk_token=END)
    tokenizer.add_special_tokens([AddedToken(token, special=True, normalized=False) for token in (START, END)])
    start, end = tokenizer.token_to_id(START), tokenizer.token_to_id(END)
    tokenizer.post_processor = processors.TemplateProcessing(single=f"{START} $A {END}", pair=f"{START} $A {END} {END} $B {END}", special_tokens=[(START, start), (END, end)])
    tokenizer.save(str(folder / "tokenizer.json"))
    config = {
        "tokenizer_class": "CLIPTokenizer", "model_max_length": MAX_LENGTH, "bos_token": START, "eos_token": END, "unk_token": END, "pad_token": END,
        "do_lower_case": True, "add_prefix_space": False, "clean_up_tokenization_spaces": False, "errors": "replace",
    }
    (folder / "tokenizer_config.json").write_text(json.dumps(config, indent=2) + "\n", encoding="utf-8")
    (folder / "special_tokens_map.json").write_text(json.dumps({name: config[name] for name in ("bos_token", "eos_token", "unk_token", "pad_token")}, indent=2) + "\n", encoding="utf-8")
    return tokenizer


if __name__ == "__main__":
    print(build(Path(__file__).resolve().parent.parent / "tokenizer").get_vocab_size(), "tokens")
