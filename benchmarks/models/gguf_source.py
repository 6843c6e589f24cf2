"""Turns a GGUF file into PyTorch's form: float32 weights, tokenizer, chat template. Usage: python gguf_source.py FILE.gguf TARGET"""

import sys
from pathlib import Path

import torch
from gguf import GGUFReader
from transformers import AutoModelForCausalLM

import byte_level_tokenizer


def main(file, target):
    fields = GGUFReader(file).fields
    field = lambda name: fields[name].contents()
    model = AutoModelForCausalLM.from_pretrained(file.parent, gguf_file=file.name, dtype=torch.float32)
    ids = {f"{role}_token_id": field(f"tokenizer.ggml.{name}_token_id") for role, name in [("bos", "bos"), ("eos", "eos"), ("pad", "padding")]}
    model.config.update(ids)
    model.generation_config.update(**ids)
    model.save_pretrained(target)
    tokenizer = byte_level_tokenizer.from_gguf(field)
    # The template stands in a file of its own and, for older readers, in the tokenizer's config.
    for has_file in [True, False]:
        tokenizer.save_pretrained(target, save_jinja_files=has_file)


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
