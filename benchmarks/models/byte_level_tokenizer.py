"""Byte-level BPE tokenizers: with exactly as many tokens as a model's embedding has rows, or out of a GGUF file."""

import json
from itertools import product
from pathlib import Path

from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers
from transformers import AutoTokenizer, PreTrainedTokenizerFast

SPECIAL = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"]
LETTERS = "etaoinsrhdlucmfwygpbvkxqjz"

CHATML = (
    "{%- for message in messages %}"
    "{{- '<|im_start|>' + message.role + '\\n' + message.content + '<|im_end|>\\n' }}"
    "{%- endfor %}"
    "{%- if add_generation_prompt %}{{- '<|im_start|>assistant\\n' }}{%- endif %}"
)


def synthesized(size):
    """Makes one without a corpus: merges pairs of letters, then pairs of these pairs, frequent letters first."""
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    tokens = [*SPECIAL, *alphabet]
    first = "Ġ" + LETTERS  # Ġ stands for the space before a word
    pairs = sorted(product(first, LETTERS), key=lambda pair: sum(map(first.index, pair)))
    words = ["".join(pair) for pair in pairs]
    merges = [*pairs, *product(words, (word for word in words if not word.startswith("Ġ")))][: size - len(tokens)]
    tokens += ["".join(pair) for pair in merges]
    if len(tokens) != size or len(set(tokens)) != size:
        raise ValueError(f"expected {size} different tokens, got {len(set(tokens))}")
    tokenizer = Tokenizer(models.BPE({token: id for id, token in enumerate(tokens)}, merges))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.add_special_tokens([AddedToken(text, normalized=False, special=True) for text in SPECIAL])
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        bos_token="<|endoftext|>",
        eos_token="<|im_end|>",
        pad_token="<|im_end|>",
        chat_template=CHATML,
        clean_up_tokenization_spaces=False,
    )


def from_folder(folder, size):
    """Takes the tokenizer of a folder, and fills it up with tokens that no text is split into."""
    tokenizer = AutoTokenizer.from_pretrained(folder)
    tokenizer.chat_template = tokenizer.chat_template or CHATML
    state = json.loads(tokenizer.backend_tokenizer.to_str())
    vocabulary = state["model"]["vocab"]
    taken = set(vocabulary.values()) | {token["id"] for token in state["added_tokens"]}
    if max(taken) >= size:
        raise ValueError(f"{Path(folder).name}: expected at most {size} tokens, got {max(taken) + 1}")
    vocabulary.update({f"<unused-{id}>": id for id in range(size) if id not in taken})
    tokenizer._tokenizer = Tokenizer.from_str(json.dumps(state))
    return tokenizer


CONTROL, USER_DEFINED = 3, 4
# How llama.cpp splits a text before BPE, by `tokenizer.ggml.pre`.
SPLITS = {"smollm": [pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.ByteLevel(add_prefix_space=False)]}


def from_gguf(field):
    """Takes the vocabulary and merges of a GGUF file, since transformers rebuilds them by guesswork.

    `field` gives the value of a key of its metadata.
    """
    tokens, types = field("tokenizer.ggml.tokens"), field("tokenizer.ggml.token_type")
    merges = [tuple(merge.split(" ")) for merge in field("tokenizer.ggml.merges")]
    tokenizer = Tokenizer(models.BPE({token: id for id, token in enumerate(tokens)}, merges))
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(SPLITS[field("tokenizer.ggml.pre")])
    tokenizer.decoder = decoders.ByteLevel()
    of_kind = lambda wanted: [token for token, kind in zip(tokens, types) if kind == wanted]
    tokenizer.add_special_tokens([AddedToken(token, special=True, normalized=False) for token in of_kind(CONTROL)])
    tokenizer.add_tokens([AddedToken(token, normalized=False) for token in of_kind(USER_DEFINED)])
    roles = {"bos": "bos", "eos": "eos", "unk": "unknown", "pad": "padding"}
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        model_max_length=field(f"{field('general.architecture')}.context_length"),
        clean_up_tokenization_spaces=False,
        chat_template=field("tokenizer.chat_template"),
        **{f"{role}_token": tokens[field(f"tokenizer.ggml.{name}_token_id")] for role, name in roles.items()},
    )
