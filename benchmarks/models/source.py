"""Makes a model in PyTorch's form, with random weights. Usage: python source.py SHAPE TARGET [TOKENIZER FOLDER]"""

import sys

import torch
from transformers import (
    GenerationConfig,
    LlamaConfig,
    LlamaForCausalLM,
    Qwen2Config,
    Qwen2ForCausalLM,
    WhisperConfig,
    WhisperForConditionalGeneration,
)

import byte_level_tokenizer

SEED = 1

SHAPES = {
    # SmolLM2-135M-Instruct
    "smollm2-135m": (
        LlamaForCausalLM,
        LlamaConfig(
            vocab_size=49152,
            hidden_size=576,
            intermediate_size=1536,
            num_hidden_layers=30,
            num_attention_heads=9,
            num_key_value_heads=3,
            max_position_embeddings=8192,
            rope_theta=100000.0,
            rms_norm_eps=1e-5,
            tie_word_embeddings=True,
        ),
    ),
    # Qwen2.5-0.5B-Instruct
    "qwen2.5-0.5b": (
        Qwen2ForCausalLM,
        Qwen2Config(
            vocab_size=151936,
            hidden_size=896,
            intermediate_size=4864,
            num_hidden_layers=24,
            num_attention_heads=14,
            num_key_value_heads=2,
            max_position_embeddings=32768,
            rope_theta=1000000.0,
            rms_norm_eps=1e-6,
            tie_word_embeddings=True,
        ),
    ),
    # Whisper base
    "whisper-base": (
        WhisperForConditionalGeneration,
        WhisperConfig(
            vocab_size=51865,
            d_model=512,
            encoder_layers=6,
            decoder_layers=6,
            encoder_attention_heads=8,
            decoder_attention_heads=8,
            encoder_ffn_dim=2048,
            decoder_ffn_dim=2048,
        ),
    ),
}


def randomize(model, special):
    """Weights that let every layer and token matter, with logits as peaked as a real model's."""
    generator = torch.Generator().manual_seed(SEED)
    with torch.no_grad():
        for name, weight in model.named_parameters():
            noise = torch.randn(weight.shape, generator=generator)
            if "embed" in name:
                weight.copy_(3.0 / weight.shape[1] ** 0.5 * noise)
                # Small rows have logits near 0: a greedy choice never ends an answer.
                weight[special] *= 0.1
            elif weight.dim() == 2:
                # Tied weights repeat a token that no layer outweighs.
                gain = 2.0 if "down_proj" in name or "o_proj" in name else 1.0
                weight.copy_(gain / weight.shape[1] ** 0.5 * noise)
            elif "norm" in name:
                weight.copy_(1.0 + 0.1 * noise)
            else:
                weight.copy_(0.1 * noise)


def main(shape, target, tokenizer_folder=None):
    make_model, config = SHAPES[shape]
    if config.is_encoder_decoder:
        model = make_model(config).eval()
        randomize(model, [])
        model.save_pretrained(target)
        return
    tokenizer = (
        byte_level_tokenizer.from_folder(tokenizer_folder, config.vocab_size)
        if tokenizer_folder
        else byte_level_tokenizer.synthesized(config.vocab_size)
    )
    ids = {name: getattr(tokenizer, name) for name in ("bos_token_id", "eos_token_id", "pad_token_id")}
    config.update(ids)
    model = make_model(config).eval()
    randomize(model, tokenizer.all_special_ids)
    model.generation_config = GenerationConfig(**ids)
    model.save_pretrained(target)
    tokenizer.save_pretrained(target)


if __name__ == "__main__":
    main(*sys.argv[1:])
