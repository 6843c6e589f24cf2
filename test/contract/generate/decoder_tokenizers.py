"""Small tokenizers, each built of the same parts as those of the family that it stands for."""

import json

from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers
from transformers import PreTrainedTokenizerFast

CORPUS = """
A red ball lies left of the blue box, and a green kite hangs above it. Two cats sit on the mat and look at the rain.
What is the weather like in the town today? It is cold, the wind comes from the north, and 17 boats stay in the harbour.
Please count the shapes: one circle, two squares, three triangles. There are 6 shapes, and none of them is yellow!
The old teacher asked the children to draw a house with a door, a window and a tree. They didn't want to go home.
"How far is it to the sea?" she asked. "About 25 miles," he said, "so we'll be there before the evening."
Größe, naïve, façade, señor, smørrebrød: words with marks. 東京は大きい。 Ünder the bridge the water is deep.
"""

LLAMA3_SPLIT = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
QWEN_SPLIT = LLAMA3_SPLIT.replace(r"\p{N}{1,3}", r"\p{N}")


def _train(tokenizer, size, alphabet):
    trainer = trainers.BpeTrainer(vocab_size=size, initial_alphabet=alphabet, show_progress=False)
    tokenizer.train_from_iterator(CORPUS.strip().split("\n"), trainer)
    model = json.loads(tokenizer.to_str())["model"]
    tokens = sorted(model["vocab"], key=model["vocab"].get)
    return tokens, [tuple(pair) for pair in model["merges"]]


def _add(tokenizer, specials, plain=()):
    tokenizer.add_special_tokens([AddedToken(text, normalized=False, special=True) for text in specials])
    tokenizer.add_tokens([AddedToken(text, normalized=False, special=False) for text in plain])


def _byte_level(size, specials, split=None, normalizer=None, plain=(), ignore_merges=False, bos=None):
    """GPT-2, Llama 3, Qwen: bytes as visible characters. Special tokens come last, as in these families."""
    tokenizer = Tokenizer(models.BPE())
    if normalizer:
        tokenizer.normalizer = normalizer
    tokenizer.pre_tokenizer = (
        pre_tokenizers.Sequence(
            [
                pre_tokenizers.Split(Regex(split), "isolated"),
                pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
            ]
        )
        if split
        else pre_tokenizers.ByteLevel(add_prefix_space=False)
    )
    tokens, merges = _train(tokenizer, size, sorted(pre_tokenizers.ByteLevel.alphabet()))
    vocabulary = {token: id for id, token in enumerate(tokens)}
    tokenizer.model = models.BPE(vocabulary, merges, ignore_merges=ignore_merges)
    tokenizer.decoder = decoders.ByteLevel()
    _add(tokenizer, specials, plain)
    if bos:
        tokenizer.post_processor = processors.TemplateProcessing(
            f"{bos} $A", f"{bos} $A {bos}:1 $B:1", [(bos, tokenizer.token_to_id(bos))]
        )
    return tokenizer


def _byte_fallback(size, specials, normalizer, decoder, pre_tokenizer=None, unknown="<unk>", late_specials=()):
    """Llama 2, Mistral, Phi 3, Gemma: SentencePiece's pieces, with single bytes for what it has no piece for."""
    tokenizer = Tokenizer(models.BPE())
    # Pieces of a real model don't run over words.
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    pieces, merges = _train(tokenizer, size, [])
    tokens = [*specials, *(f"<0x{byte:02X}>" for byte in range(256)), *pieces]
    vocabulary = {token: id for id, token in enumerate(tokens)}
    tokenizer = Tokenizer(models.BPE(vocabulary, merges, unk_token=unknown, fuse_unk=True, byte_fallback=True))
    if normalizer:
        tokenizer.normalizer = normalizer
    if pre_tokenizer:
        tokenizer.pre_tokenizer = pre_tokenizer
    tokenizer.decoder = decoder
    _add(tokenizer, [*specials, *late_specials])
    return tokenizer


def gpt2():
    return PreTrainedTokenizerFast(
        tokenizer_object=_byte_level(300, ["<|endoftext|>"]),
        bos_token="<|endoftext|>",
        eos_token="<|endoftext|>",
    )


def neox():
    return PreTrainedTokenizerFast(
        tokenizer_object=_byte_level(
            300, ["<|endoftext|>", "<|padding|>"], normalizer=normalizers.NFC(), plain=["  ", "   "]
        ),
        eos_token="<|endoftext|>",
        pad_token="<|padding|>",
    )


def llama3():
    specials = ["<|begin_of_text|>", "<|end_of_text|>", "<|eom_id|>", "<|eot_id|>"]
    headers = ["<|start_header_id|>", "<|end_header_id|>"]
    return PreTrainedTokenizerFast(
        tokenizer_object=_byte_level(
            310, [*specials, *headers], split=LLAMA3_SPLIT, ignore_merges=True, bos="<|begin_of_text|>"
        ),
        bos_token="<|begin_of_text|>",
        eos_token="<|eot_id|>",
    )


def _chatml(plain=()):
    return PreTrainedTokenizerFast(
        tokenizer_object=_byte_level(
            310,
            ["<|endoftext|>", "<|im_start|>", "<|im_end|>"],
            split=QWEN_SPLIT,
            normalizer=normalizers.NFC(),
            plain=plain,
        ),
        eos_token="<|im_end|>",
        pad_token="<|endoftext|>",
    )


def qwen2():
    return _chatml()


def qwen3():
    return _chatml(["<think>", "</think>"])


def smollm3():
    return PreTrainedTokenizerFast(
        tokenizer_object=_byte_level(
            310,
            ["<|begin_of_text|>", "<|end_of_text|>", "<|im_start|>", "<|im_end|>"],
            split=LLAMA3_SPLIT,
            plain=["<think>", "</think>"],
            ignore_merges=True,
        ),
        bos_token="<|begin_of_text|>",
        eos_token="<|im_end|>",
    )


def _sentencepiece_decoder(*more):
    return decoders.Sequence([decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse(), *more])


def gemma():
    specials = ["<pad>", "<eos>", "<bos>", "<unk>", "<start_of_turn>", "<end_of_turn>"]
    return PreTrainedTokenizerFast(
        tokenizer_object=_byte_fallback(
            90,
            specials,
            normalizers.Replace(" ", "▁"),
            _sentencepiece_decoder(),
            pre_tokenizer=pre_tokenizers.Split(" ", "merged_with_previous"),
        ),
        bos_token="<bos>",
        eos_token="<eos>",
        pad_token="<pad>",
        unk_token="<unk>",
    )


def phi3():
    return PreTrainedTokenizerFast(
        tokenizer_object=_byte_fallback(
            90,
            ["<unk>", "<s>", "</s>"],
            normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")]),
            _sentencepiece_decoder(decoders.Strip(" ", 1, 0)),
            late_specials=["<|endoftext|>", "<|assistant|>", "<|system|>", "<|end|>", "<|user|>"],
        ),
        bos_token="<s>",
        eos_token="<|endoftext|>",
        pad_token="<|endoftext|>",
        unk_token="<unk>",
    )


def mistral():
    return PreTrainedTokenizerFast(
        tokenizer_object=_byte_fallback(
            90,
            ["<unk>", "<s>", "</s>", "[INST]", "[/INST]"],
            None,
            _sentencepiece_decoder(decoders.Strip(" ", 1, 0)),
            pre_tokenizer=pre_tokenizers.Metaspace("▁", prepend_scheme="first", split=False),
        ),
        bos_token="<s>",
        eos_token="</s>",
        unk_token="<unk>",
    )
