"""Makes the file that llama.cpp takes: every matrix in q4_0, the embedding too, so that all peers read 4 bits a weight.

Usage: python gguf_file.py SOURCE TARGET
"""

import json
import sys

import gguf
from transformers import AutoModelForCausalLM, AutoTokenizer

PARTS = {
    "self_attn.q_proj": "attn_q",
    "self_attn.k_proj": "attn_k",
    "self_attn.v_proj": "attn_v",
    "self_attn.o_proj": "attn_output",
    "mlp.gate_proj": "ffn_gate",
    "mlp.up_proj": "ffn_up",
    "mlp.down_proj": "ffn_down",
    "input_layernorm": "attn_norm",
    "post_attention_layernorm": "ffn_norm",
}
Q4_0 = gguf.GGMLQuantizationType.Q4_0


def add_configuration(writer, config):
    writer.add_context_length(config.max_position_embeddings)
    writer.add_embedding_length(config.hidden_size)
    writer.add_block_count(config.num_hidden_layers)
    writer.add_feed_forward_length(config.intermediate_size)
    writer.add_head_count(config.num_attention_heads)
    writer.add_head_count_kv(config.num_key_value_heads)
    writer.add_layer_norm_rms_eps(config.rms_norm_eps)
    writer.add_rope_dimension_count(config.hidden_size // config.num_attention_heads)
    writer.add_rope_freq_base(config.rope_theta)
    writer.add_vocab_size(config.vocab_size)
    writer.add_file_type(gguf.LlamaFileType.MOSTLY_Q4_0)
    writer.add_bos_token_id(config.bos_token_id)
    writer.add_eos_token_id(config.eos_token_id)


def add_tokenizer(writer, tokenizer):
    state = json.loads(tokenizer.backend_tokenizer.to_str())
    special = {token["id"] for token in state["added_tokens"] if token["special"]}
    vocabulary = sorted(tokenizer.get_vocab().items(), key=lambda entry: entry[1])
    types = [gguf.TokenType.CONTROL if id in special else gguf.TokenType.NORMAL for _, id in vocabulary]
    merges = state["model"]["merges"]
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("gpt-2")
    writer.add_token_list([token for token, _ in vocabulary])
    writer.add_token_types(types)
    writer.add_token_merges([merge if isinstance(merge, str) else " ".join(merge) for merge in merges])
    writer.add_add_bos_token(False)
    writer.add_chat_template(tokenizer.chat_template)


def pair_halves(weight, heads):
    """Moves the two values that are rotated together next to each other, where llama.cpp's Llama expects them."""
    split = weight.reshape(heads, 2, -1, *weight.shape[1:])
    return split.swapaxes(1, 2).reshape(weight.shape)


def add_weights(writer, model):
    config = model.config
    weights = {name: tensor.detach().numpy() for name, tensor in model.state_dict().items()}
    heads = {"attn_q": config.num_attention_heads, "attn_k": config.num_key_value_heads}

    def add(name, values):
        if values.ndim == 1:
            writer.add_tensor(name, values)
        else:
            writer.add_tensor(name, gguf.quants.quantize(values, Q4_0), raw_dtype=Q4_0)

    add("token_embd.weight", weights["model.embed_tokens.weight"])
    add("output_norm.weight", weights["model.norm.weight"])
    for layer in range(config.num_hidden_layers):
        for part, name in PARTS.items():
            for kind in ("weight", "bias"):
                values = weights.get(f"model.layers.{layer}.{part}.{kind}")
                if values is not None:
                    paired = config.model_type == "llama" and name in heads
                    add(f"blk.{layer}.{name}.{kind}", pair_halves(values, heads[name]) if paired else values)


def main(source, target):
    model = AutoModelForCausalLM.from_pretrained(source)
    writer = gguf.GGUFWriter(target, model.config.model_type)
    add_configuration(writer, model.config)
    add_tokenizer(writer, AutoTokenizer.from_pretrained(source))
    add_weights(writer, model)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
