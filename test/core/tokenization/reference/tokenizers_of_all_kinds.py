"""Trains tokenizers built like those of well-known models, of a size of one's choice."""

import base64
import collections
import json
import os
import tempfile
import unicodedata

from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers

CL100K = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
O200K = "|".join(
    [
        r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
        r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
        r"\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+",
    ]
)
POSSESSIVE = r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++$|\s*[\r\n]|\s+(?!\S)|\s"
DEEPSEEK = r"[!\"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+| ?[\p{P}\p{S}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"


def special(content, **options):
    return AddedToken(content, special=True, normalized=False, **options)


def train_bpe(tokenizer, texts, size, specials, byte_level=True, **options):
    alphabet = pre_tokenizers.ByteLevel.alphabet() if byte_level else []
    trainer = trainers.BpeTrainer(vocab_size=size, special_tokens=specials, initial_alphabet=alphabet, show_progress=False, **options)
    tokenizer.train_from_iterator(texts, trainer)
    return tokenizer


def byte_level(texts, size, specials, pre, normalizer=None, ignore_merges=False, **options):
    tokenizer = Tokenizer(models.BPE(ignore_merges=ignore_merges, **options))
    if normalizer:
        tokenizer.normalizer = normalizer
    tokenizer.pre_tokenizer = pre
    tokenizer.decoder = decoders.ByteLevel()
    return train_bpe(tokenizer, texts, size, specials)


def split(pattern, behavior="isolated", invert=False):
    return pre_tokenizers.Split(Regex(pattern), behavior=behavior, invert=invert)


def raw_bytes():
    return pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)


def gpt2(texts, size):
    tokenizer = byte_level(texts, size, [special("<|endoftext|>")], pre_tokenizers.ByteLevel(add_prefix_space=False))
    tokenizer.post_processor = processors.ByteLevel(trim_offsets=True)
    return tokenizer


def llama3(texts, size):
    specials = [special(t) for t in ["<|begin_of_text|>", "<|end_of_text|>", "<|im_end|>"]]
    pre = pre_tokenizers.Sequence([split(CL100K), raw_bytes()])
    tokenizer = byte_level(texts, size, specials, pre, ignore_merges=True)
    tokenizer.add_tokens([AddedToken("masked", single_word=True, normalized=True), "the of"])
    template = processors.TemplateProcessing(single="<|begin_of_text|> $A", pair="<|begin_of_text|> $A <|begin_of_text|>:1 $B:1", special_tokens=[("<|begin_of_text|>", 0)])
    tokenizer.post_processor = processors.Sequence([processors.ByteLevel(trim_offsets=False), template])
    return tokenizer


def qwen(texts, size):
    pre = pre_tokenizers.Sequence([split(CL100K.replace("{1,3}", "")), raw_bytes()])
    tokenizer = byte_level(texts, size, [special("<|endoftext|>"), special("<|im_start|>"), special("<|im_end|>")], pre, normalizers.NFC())
    tokenizer.add_tokens([AddedToken("<think>", normalized=False), AddedToken("</think>", normalized=False)])
    tokenizer.post_processor = processors.ByteLevel(trim_offsets=False)
    return tokenizer


def roberta(texts, size):
    specials = [special("<s>"), special("<pad>"), special("</s>"), special("<unk>"), special("<mask>", lstrip=True)]
    tokenizer = byte_level(texts, size, specials, pre_tokenizers.ByteLevel(add_prefix_space=True))
    tokenizer.post_processor = processors.RobertaProcessing(("</s>", 2), ("<s>", 0), trim_offsets=True, add_prefix_space=True)
    return tokenizer


def whisper(texts, size):
    specials = [special(t) for t in ["<|endoftext|>", "<|startoftranscript|>", "<|en|>", "<|transcribe|>", "<|notimestamps|>"]]
    tokenizer = byte_level(texts, size, specials, pre_tokenizers.ByteLevel(add_prefix_space=False))
    single = "<|startoftranscript|> <|notimestamps|> $A <|endoftext|>"
    tokens = [("<|startoftranscript|>", 1), ("<|notimestamps|>", 4), ("<|endoftext|>", 0)]
    tokenizer.post_processor = processors.TemplateProcessing(single=single, pair=f"{single} $B <|endoftext|>", special_tokens=tokens)
    return tokenizer


def o200k(texts, size):
    return byte_level(texts, size, [special("<|endoftext|>")], pre_tokenizers.Sequence([split(O200K), raw_bytes()]))


def possessive(texts, size):
    return byte_level(texts, size, [special("<|endoftext|>")], pre_tokenizers.Sequence([split(POSSESSIVE), raw_bytes()]))


def deepseek(texts, size):
    pre = pre_tokenizers.Sequence([split(r"\p{N}{1,3}"), split("[一-龥぀-ゟ゠-ヿ]+"), split(DEEPSEEK), raw_bytes()])
    return byte_level(texts, size, [special("<｜begin▁of▁sentence｜>")], pre, normalizers.Sequence([]))


def byte_normalizer(texts, size):
    tokenizer = Tokenizer(models.BPE())
    tokenizer.normalizer = normalizers.Sequence([normalizers.NFKC(), normalizers.ByteLevel()])
    tokenizer.pre_tokenizer = split("Ġ", "merged_with_next")
    tokenizer.decoder = decoders.ByteLevel()
    train_bpe(tokenizer, texts, size, [special("<|endoftext|>")])
    tokenizer.add_tokens([AddedToken("étéx", normalized=True), AddedToken("of the", normalized=True)])
    return tokenizer


def clip(texts, size):
    tokenizer = Tokenizer(models.BPE(unk_token="<|endoftext|>", end_of_word_suffix="</w>", continuing_subword_prefix=""))
    tokenizer.normalizer = normalizers.Sequence([normalizers.NFC(), normalizers.Replace(Regex(r"\s+"), " "), normalizers.Lowercase()])
    words = r"<\|startoftext\|>|<\|endoftext\|>|'s|'t|'re|'ve|'m|'ll|'d|[\p{L}]+|[\p{N}]|[^\s\p{L}\p{N}]+"
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([split(words, "removed", invert=True), pre_tokenizers.ByteLevel(add_prefix_space=False)])
    tokenizer.decoder = decoders.ByteLevel()
    specials = [special("<|startoftext|>"), special("<|endoftext|>")]
    train_bpe(tokenizer, texts, size, specials, end_of_word_suffix="</w>")
    # Every character may end a word.
    definition = json.loads(tokenizer.to_str())
    vocabulary = definition["model"]["vocab"]
    for character in sorted(pre_tokenizers.ByteLevel.alphabet()):
        vocabulary.setdefault(f"{character}</w>", len(vocabulary))
    tokenizer = Tokenizer.from_str(json.dumps(definition))
    tokenizer.post_processor = processors.RobertaProcessing(("<|endoftext|>", 1), ("<|startoftext|>", 0), trim_offsets=False, add_prefix_space=False)
    return tokenizer


def word_piece(texts, size, normalizer, template):
    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tokenizer.normalizer = normalizer
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.decoder = decoders.WordPiece()
    specials = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    trainer = trainers.WordPieceTrainer(vocab_size=size, special_tokens=[special(t) for t in specials], show_progress=False, limit_alphabet=size // 3)
    tokenizer.train_from_iterator(texts, trainer)
    tokenizer.post_processor = template
    return tokenizer


def bert(texts, size):
    template = processors.TemplateProcessing(single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1", special_tokens=[("[CLS]", 2), ("[SEP]", 3)])
    return word_piece(texts, size, normalizers.BertNormalizer(), template)


def bert_cased(texts, size):
    normalizer = normalizers.BertNormalizer(clean_text=True, handle_chinese_chars=True, strip_accents=False, lowercase=False)
    tokenizer = word_piece(texts, size, normalizer, processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2)))
    tokenizer.add_tokens([AddedToken("Été", normalized=True, single_word=True), AddedToken("[DAY]", normalized=False, lstrip=True, rstrip=True)])
    return tokenizer


def charsmap(rules=None):
    """The rules for normalization of a SentencePiece model, base64: `nmt_nfkc`, or others."""
    import sentencepiece

    with tempfile.TemporaryDirectory() as folder:
        corpus = os.path.join(folder, "corpus.txt")
        open(corpus, "w", encoding="utf-8").write("\n".join(["a b c d e f g h"] * 20))
        options = {"normalization_rule_name": "nmt_nfkc"}
        if rules:
            path = os.path.join(folder, "rules.tsv")
            lines = [f"{' '.join(f'{ord(c):X}' for c in source)}\t{' '.join(f'{ord(c):X}' for c in target)}" for source, target in rules]
            open(path, "w").write("\n".join(lines) + "\n")
            options = {"normalization_rule_tsv": path}
        prefix = os.path.join(folder, "model")
        sentencepiece.SentencePieceTrainer.train(input=corpus, model_prefix=prefix, vocab_size=14, hard_vocab_limit=False, minloglevel=2, **options)
        from sentencepiece import sentencepiece_model_pb2

        model = sentencepiece_model_pb2.ModelProto()
        model.ParseFromString(open(f"{prefix}.model", "rb").read())
        return base64.b64encode(model.normalizer_spec.precompiled_charsmap).decode()


def few_rules():
    """A part of NFKC with what is special about `nmt_nfkc`, small enough for a repository."""
    rules = [(c, " ") for c in "\t\n\r\u00a0\u3000\u200b\u2028\ufeff"] + [(c, "") for c in "\u0001\u0008\u007f\u00ad"]
    rules += [(c, unicodedata.normalize("NFKC", c)) for c in "ﬁﬂ①②½™㎏ＡＢＣａｂｃ１２３ﾊｶﷺǆ豈車⁵…"]
    for base in "aeiouAEIOUnc":
        for mark in "\u0300\u0301\u0302\u0303\u0308\u0327":
            composed = unicodedata.normalize("NFKC", base + mark)
            if len(composed) == 1:
                rules.append((base + mark, composed))
    return sorted({rule for rule in rules if rule[0] != rule[1]})


def unigram(texts, size, normalizer, pre, unk="<unk>", specials=("<s>", "<pad>", "</s>", "<unk>", "<mask>")):
    tokenizer = Tokenizer(models.Unigram())
    tokenizer.normalizer = normalizer
    tokenizer.pre_tokenizer = pre
    added = [special(t, lstrip=t == "<mask>") for t in specials]
    trainer = trainers.UnigramTrainer(vocab_size=size, special_tokens=added, unk_token=unk, show_progress=False, max_piece_length=12)
    frequent = {c for c, _ in collections.Counter("".join(texts)).most_common(size // 2)}
    tokenizer.train_from_iterator(["".join(c for c in text if c in frequent) for text in texts], trainer)
    tokenizer.decoder = decoders.Metaspace()
    return tokenizer


def without_rare_characters(tokenizer):
    """Leaves out the worst half of the single characters, so that there is something unknown."""
    definition = json.loads(tokenizer.to_str())
    vocabulary = definition["model"]["vocab"]
    singles = sorted((score, token) for token, score in vocabulary[8:] if len(token) == 1)
    rare = {token for _, token in singles[: len(singles) // 2]}
    definition["model"]["vocab"] = [entry for entry in vocabulary if entry[0] not in rare]
    return definition


def precompiled(rules):
    return normalizers.Precompiled(base64.b64decode(charsmap(rules)))


def xlm_roberta(texts, size, rules=None):
    tokenizer = unigram(texts, size, precompiled(rules), pre_tokenizers.Metaspace())
    tokenizer = Tokenizer.from_str(json.dumps(without_rare_characters(tokenizer)))
    tokenizer.post_processor = processors.TemplateProcessing(single="<s> $A </s>", pair="<s> $A </s> </s> $B </s>", special_tokens=[("<s>", 0), ("</s>", 2)])
    return tokenizer


def t5(texts, size, rules=None):
    pre = pre_tokenizers.Sequence([pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Metaspace()])
    specials = ["<pad>", "</s>", "<unk>"] + [f"<extra_id_{i}>" for i in range(12)]
    tokenizer = unigram(texts, size, normalizers.Sequence([precompiled(rules), normalizers.Replace(Regex(" {2,}"), " ")]), pre, specials=specials)
    tokenizer = Tokenizer.from_str(json.dumps(without_rare_characters(tokenizer)))
    tokenizer.post_processor = processors.TemplateProcessing(single="$A </s>", pair="$A </s> $B </s>", special_tokens=[("</s>", 1)])
    return tokenizer


def albert(texts, size):
    """Unigram with byte fallback, on whole texts."""
    steps = [normalizers.Nmt(), normalizers.NFKD(), normalizers.StripAccents(), normalizers.Lowercase(), normalizers.Strip()]
    tokenizer = unigram(texts, size, normalizers.Sequence(steps), pre_tokenizers.Metaspace(prepend_scheme="first", split=False))
    definition = without_rare_characters(tokenizer)
    definition["model"]["byte_fallback"] = True
    definition["model"]["vocab"] += [[f"<0x{byte:02X}>", -30.0] for byte in range(256)]
    tokenizer = Tokenizer.from_str(json.dumps(definition))
    tokenizer.decoder = decoders.Sequence([decoders.ByteFallback(), decoders.Metaspace(prepend_scheme="first", split=False)])
    return tokenizer


def with_byte_tokens(texts, size, pre, normalizer, train_pre, fuse_unk=True):
    """SentencePiece-like BPE: trained on words, used on whole texts."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.normalizer = normalizer
    tokenizer.pre_tokenizer = train_pre
    specials = [special(t) for t in ["<unk>", "<s>", "</s>", "<bos>", "<start_of_turn>"]]
    train_bpe(tokenizer, texts, size, specials, byte_level=False, limit_alphabet=size // 4)
    definition = json.loads(tokenizer.to_str())
    vocabulary = definition["model"]["vocab"]
    for byte in range(256):
        vocabulary.setdefault(f"<0x{byte:02X}>", len(vocabulary))
    for length in range(2, 9):
        # Runs of white space, as Gemma and Llama have them.
        vocabulary.setdefault("▁" * length, len(vocabulary))
        definition["model"]["merges"].insert(0, ["▁" * (length // 2), "▁" * (length - length // 2)])
    definition["model"].update(unk_token="<unk>", byte_fallback=True, fuse_unk=fuse_unk)
    tokenizer = Tokenizer.from_str(json.dumps(definition))
    tokenizer.pre_tokenizer = pre
    tokenizer.decoder = decoders.Sequence([decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse(), decoders.Strip(" ", 1, 0)])
    tokenizer.post_processor = processors.TemplateProcessing(single="<s> $A", pair="<s> $A <s>:1 $B:1", special_tokens=[("<s>", 1)])
    return tokenizer


def llama2(texts, size):
    normalizer = normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")])
    return with_byte_tokens(texts, size, None, normalizer, pre_tokenizers.Metaspace())


def mistral(texts, size):
    return with_byte_tokens(texts, size, pre_tokenizers.Metaspace(prepend_scheme="first", split=False), None, pre_tokenizers.Metaspace())


def gemma(texts, size):
    tokenizer = with_byte_tokens(texts, size, pre_tokenizers.Split(" ", "merged_with_previous"), normalizers.Replace(" ", "▁"), pre_tokenizers.Metaspace())
    tokenizer.decoder = decoders.Sequence([decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse()])
    return tokenizer


def fairseq(texts, size):
    """BPE on characters with a prefix for continuations, and all that cuts."""
    tokenizer = Tokenizer(models.BPE(unk_token="<unk>", continuing_subword_prefix="##", fuse_unk=False))
    tokenizer.normalizer = normalizers.Sequence([normalizers.NFD(), normalizers.Strip(right=False)])
    steps = [pre_tokenizers.Punctuation("merged_with_previous"), pre_tokenizers.Digits(individual_digits=False), pre_tokenizers.UnicodeScripts(), pre_tokenizers.CharDelimiterSplit("-"), pre_tokenizers.FixedLength(length=7)]
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(steps)
    return train_bpe(tokenizer, texts, size, [special("<unk>"), special("<pad>")], byte_level=False, continuing_subword_prefix="##", limit_alphabet=size // 4)


def original_bpe(texts, size):
    tokenizer = Tokenizer(models.BPE(unk_token="<unk>", end_of_word_suffix="</w>", fuse_unk=True))
    tokenizer.normalizer = normalizers.Lowercase()
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([pre_tokenizers.Whitespace(), pre_tokenizers.Digits(individual_digits=True)])
    tokenizer.decoder = decoders.BPEDecoder(suffix="</w>")
    return train_bpe(tokenizer, texts, size, [special("<unk>"), special("<pad>")], byte_level=False, end_of_word_suffix="</w>", limit_alphabet=size // 4)


def word_level(texts, size):
    tokenizer = Tokenizer(models.WordLevel(unk_token="<unk>"))
    tokenizer.normalizer = normalizers.Sequence([normalizers.NFKC(), normalizers.Lowercase()])
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    trainer = trainers.WordLevelTrainer(vocab_size=size, special_tokens=[special("<unk>"), special("<s>"), special("</s>")], show_progress=False)
    tokenizer.train_from_iterator(texts, trainer)
    tokenizer.post_processor = processors.TemplateProcessing(single="<s> $A </s>", pair="<s> $A </s> $B:1 </s>:1", special_tokens=[("<s>", 1), ("</s>", 2)])
    return tokenizer


def speech(texts, size):
    characters = sorted({c for text in texts for c in text.upper() if c.isascii() and c.isalpha()})
    vocabulary = {token: index for index, token in enumerate(["<pad>", "<s>", "</s>", "<unk>", "|", "'"] + characters)}
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token="<unk>"))
    tokenizer.normalizer = normalizers.Replace(" ", "|")
    tokenizer.pre_tokenizer = pre_tokenizers.Split("", "isolated")
    tokenizer.decoder = decoders.CTC()
    return tokenizer


KINDS = [gpt2, llama3, qwen, roberta, whisper, o200k, possessive, deepseek, byte_normalizer, clip, bert, bert_cased, xlm_roberta, t5, albert]
KINDS += [llama2, mistral, gemma, fairseq, original_bpe, word_level, speech]
