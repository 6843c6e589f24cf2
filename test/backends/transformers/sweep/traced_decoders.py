"""Random miniatures of decoders that no exporter has a graph for, traced from the classes of `transformers`.

The cache is inputs and outputs of the graph under the hub's names, see ../../../contract/generate/hybrids.py. Masks come from the
graph's `attention_mask`, and experts are picked by their weights, since a trace follows no loop over them. References are
the models as they were before, without a cache.
"""

import json
import sys
from unittest.mock import patch

import onnx
import torch
import traced_parts as parts
import transformers as hf
from decoders import randomize, save
from generate import character_tokenizer, chat_template, rounded
from hybrids import TracedCache, gated_delta, keys_and_values, present_of, qwen3_5_shapes

sizes = dict(vocab_size=98, hidden_size=32, num_hidden_layers=2, num_attention_heads=4, num_key_value_heads=2, intermediate_size=32,
             max_position_embeddings=256, bos_token_id=1, eos_token_id=2, pad_token_id=2)
specials = ["<unk>", "<s>", "</s>"]
question = "Where is the ball?"
prompt = f"<s>user: {question}<s>assistant: "
steps = 8


# --- the graph -------------------------------------------------------------------------------------------------------


class Cache(TracedCache):
    """What a layer keeps, as inputs and outputs; without a past it records the shapes of what it is given."""

    is_initialized = True
    seen = 0

    def __init__(self, past=None):
        super().__init__(past or {})
        self.shapes = {} if past is None else None

    def join(self, name, new, axis, keep=None):
        if self.shapes is None:
            return super().join(name, new, axis, keep)
        self.shapes[name] = [None if at == axis else size for at, size in enumerate(new.shape)][1:]
        return new

    def get_seq_length(self, *_):
        return self.seen


class ConvolvedCache(Cache):
    """Zaya's: every other layer of the hub's configuration is a mixture of experts and keeps nothing."""

    def update(self, key, value, layer, *_, **__):
        return super().update(key, value, 2 * layer)

    def get_conv_state(self, layer, **_):
        return self.get(f"key_values.{2 * layer}.conv_state")

    def update_conv_state(self, state, layer):
        self.put(f"key_values.{2 * layer}.conv_state", state)

    def get_recurrent_state(self, layer, **_):
        return self.get(f"key_values.{2 * layer}.shift_state")

    def update_recurrent_state(self, state, layer):
        self.put(f"key_values.{2 * layer}.shift_state", state)


def masks(config, mask, length):
    """By the names of the functions that make them: what a token sees of those before it, `[batch, 1, length, total]`."""
    width = mask.shape[1]
    seen = torch.arange(width)[None, :] <= torch.arange(length)[:, None] + (width - length)
    causal = seen[None] & (mask[:, None, :] > 0)
    places = torch.cumsum(mask, 1) - 1  # slots without a token stand for nothing
    key, query = places[:, None, :], places[:, -length:, None]

    def made(seen):
        return torch.where(seen[:, None], 0.0, -1e9)

    window, chunk = getattr(config, "sliding_window", None), getattr(config, "attention_chunk_size", None)
    found = {"create_causal_mask": made(causal), "create_recurrent_attention_mask": mask[:, -length:]}
    if window:
        found["create_sliding_window_causal_mask"] = made(causal & (key > query - window))
    if chunk:
        found["create_chunked_causal_mask"] = made(causal & (key // chunk == query // chunk))
    return found


class Step(torch.nn.Module):
    """Tokens, or their embeddings, and what is kept of those before → logits and what is kept now."""

    def __init__(self, model, family, names, inputs):
        super().__init__()
        self.model, self.family, self.names, self.inputs = model, family, names, inputs

    def forward(self, *given):
        fed = dict(zip(self.inputs, given))
        cache = self.family.cache(dict(zip(self.names, given[len(self.inputs) :])))
        logits = self.family.run(self.model, fed, cache)
        return (logits, *(cache.present[present_of(name)] for name in self.names))


repeat_interleave = torch.repeat_interleave


def repeated(values, repeats, dim):
    """The exporter's own wants to know the sizes of all axes where the last one repeats."""
    return torch.stack([values] * repeats, -1).flatten(-2) if dim == -1 else repeat_interleave(values, repeats, dim=dim)


def trace(module, sample, path, inputs, outputs, axes):
    operators = [patch.object(torch, "repeat_interleave", repeated), patch.object(torch.Tensor, "repeat_interleave", repeated),
                 patch.object(torch, "expm1", lambda x: torch.exp(x) - 1)]
    with torch.no_grad(), operators[0], operators[1], operators[2]:
        torch.onnx.export(module.eval(), sample, str(path), input_names=inputs, output_names=outputs, dynamic_axes=axes, opset_version=17, dynamo=False)
    save(onnx.load(path), path)


# --- families --------------------------------------------------------------------------------------------------------


class Family:
    """How a miniature of an architecture is made: its configuration and what a trace has to find replaced."""

    def __init__(self, kind=None, mixers=None, functions=None, cache=Cache, shapes=None, change=None, **config):
        self.kind, self.mixers, self.functions, self.cache = kind, mixers or {}, functions or {}, cache
        self.shapes, self.change, self.config = shapes, change or (lambda model: None), config

    def make(self, architecture, seed):
        config = hf.AutoConfig.for_model(architecture, **{**sizes, **self.config})
        kind = getattr(hf, self.kind) if self.kind else hf.AutoModelForCausalLM
        make = kind._from_config if self.kind else kind.from_config
        model = make(config, attn_implementation="eager", experts_implementation="batched_mm").eval()
        randomize(model, seed)
        self.change(model)
        return model

    def text_config(self, model):
        return model.config

    def logits(self, model, fed, cache):
        return model(**fed, past_key_values=cache, use_cache=True).logits

    def run(self, model, fed, cache):
        cache.seen = fed["position_ids"].reshape(-1)[0]
        found = masks(self.text_config(model), fed["attention_mask"], fed["position_ids"].shape[-1])
        file = sys.modules[type(model).__module__]
        functions = {name: lambda *_, name=name, **__: found[name] for name in found if hasattr(file, name)}
        with parts.Rewritten(model, self.mixers, {**functions, **self.functions}):
            return self.logits(model, fed, cache)

    def sample(self, model):
        """Three tokens after five others, two rows."""
        return {"input_ids": torch.randint(3, 90, (2, 3)), "position_ids": torch.arange(5, 8)[None].repeat(2, 1)}

    def cache_shapes(self, model, sample):
        """`past_…` → shape without the batch."""
        if self.shapes:
            config = self.text_config(model)
            shapes = {}
            for layer in range(config.num_hidden_layers):
                shapes |= {name.replace("#", str(layer)): shape for name, shape in self.shapes(config, layer).items()}
        else:
            cache = self.cache()
            with torch.no_grad():
                self.run(model, {**sample, "attention_mask": torch.ones(2, 3, dtype=torch.long)}, cache)
            shapes = cache.shapes
        return {f"past_{name}": shape for name, shape in shapes.items()}

    def write(self, model, folder):
        self.write_decoder(model, folder / "onnx" / "model.onnx")
        model.config.save_pretrained(folder)

    def write_decoder(self, model, path):
        sample = self.sample(model)
        inputs = [*sample, "attention_mask"]
        shapes = self.cache_shapes(model, sample)
        axes = {name: {0: "batch_size", 1: "sequence_length"} for name in ("logits", *sample)} | {"attention_mask": {0: "batch_size", 1: "total_sequence_length"}}
        if sample["position_ids"].dim() == 3:
            axes["position_ids"] = {1: "batch_size", 2: "sequence_length"}
        for name, shape in shapes.items():
            grows = [1 + axis for axis, size in enumerate(shape) if size is None]
            axes[name] = {0: "batch_size"} | {axis: "past_sequence_length" for axis in grows}
            axes[present_of(name)] = {0: "batch_size"} | {axis: "total_sequence_length" for axis in grows}
        past = [torch.randn(2, *(5 if size is None else size for size in shape)) for shape in shapes.values()]
        given = (*sample.values(), torch.ones(2, 8, dtype=torch.long), *past)
        trace(Step(model, self, list(shapes), inputs), given, path, [*inputs, *shapes], ["logits", *map(present_of, shapes)], axes)


class Embedded(Family):
    """A graph for the embeddings of tokens, and one for the rest; the whole model is one with eyes."""

    def __init__(self, whole, planes=1, **rest):
        super().__init__(**rest)
        self.whole, self.planes = whole, planes

    def embed(self, model, ids):
        return {"inputs_embeds": model.get_input_embeddings()(ids)}

    def sample(self, model):
        positions = torch.arange(5, 8)[None].repeat(2, 1)
        with torch.no_grad():
            embedded = self.embed(model, torch.randint(3, 90, (2, 3)))
        return {**embedded, "position_ids": positions if self.planes == 1 else positions[None].repeat(self.planes, 1, 1)}

    def write(self, model, folder):
        self.write_decoder(model, folder / "onnx" / "decoder_model_merged.onnx")
        ids = torch.zeros(2, 3, dtype=torch.long)
        outputs = list(self.embed(model, ids))
        axes = {name: {0: "batch_size", 1: "sequence_length"} for name in ("input_ids", *outputs)}
        trace(Embedder(model, self), (ids,), folder / "onnx" / "embed_tokens.onnx", ["input_ids"], outputs, axes)
        text = json.loads(model.config.to_json_string(use_diff=False))
        kind, name = self.whole
        config = {"architectures": [name], "model_type": kind, "text_config": text, "eos_token_id": 2}
        (folder / "config.json").write_text(json.dumps(config))


class Embedder(torch.nn.Module):
    def __init__(self, model, family):
        super().__init__()
        self.model, self.family = model, family

    def forward(self, ids):
        return tuple(self.family.embed(self.model, ids).values())


class PerLayer(Embedded):
    """Every layer has embeddings of its own."""

    def embed(self, model, ids):
        text = model.model
        return {"inputs_embeds": text.embed_tokens(ids), "per_layer_inputs": text.get_per_layer_inputs(ids)}


class Sighted(Embedded):
    """The class of the whole model alone has a head."""

    def make(self, architecture, seed):
        text = {**sizes, **self.config}
        self.config = dict(text_config=text, vision_config=dict(depth=1, hidden_size=16, num_heads=2, intermediate_size=16, out_hidden_size=32, patch_size=4, deepstack_visual_indexes=[0]))
        try:
            return super().make(architecture, seed)
        finally:
            self.config = text

    def text_config(self, model):
        return model.config.text_config

    def logits(self, model, fed, cache):
        return model.lm_head(model.model.language_model(**fed, past_key_values=cache, use_cache=True).last_hidden_state)

    def write(self, model, folder):
        super().write(model, folder)
        model.config.save_pretrained(folder)


mixture = dict(num_experts=4, num_local_experts=4, n_routed_experts=4, num_experts_per_tok=2, moe_intermediate_size=16, head_dim=8)
latent = dict(q_lora_rank=16, kv_lora_rank=8, qk_rope_head_dim=4, qk_nope_head_dim=8, v_head_dim=6, num_key_value_heads=4)
alternating = dict(layer_types=["sliding_attention", "full_attention"], sliding_window=12)
stretched = {"rope_type": "yarn", "rope_theta": 10000.0, "factor": 16.0, "original_max_position_embeddings": 16, "beta_fast": 32.0, "beta_slow": 1.0, "mscale": 1.0, "mscale_all_dim": 1.0,
             "llama_4_scaling_beta": 0.1}
hybrid = dict(layer_types=["linear_attention", "full_attention"], linear_num_key_heads=2, linear_num_value_heads=4, linear_key_head_dim=8, linear_value_head_dim=8,
              shared_expert_intermediate_size=16)
gemma = dict(head_dim=8, hidden_size_per_layer_input=4, vocab_size_per_layer_input=98, num_hidden_layers=4, num_kv_shared_layers=2, sliding_window=12,
             layer_types=["sliding_attention", "full_attention"] * 2)


def mix_tables(model):
    """Draws the experts of tokens, and the scales that are set to nothing."""
    for name, buffer in model.named_buffers():
        if name.endswith("tid2eid"):
            buffer.copy_(torch.stack([torch.randperm(4)[:2] for _ in range(len(buffer))]))


def zaya_shapes(config, layer):
    size = config.head_dim
    channels = (config.num_attention_heads + config.num_key_value_heads) * size
    shapes = {**keys_and_values(config), "key_values.#.conv_state": (channels, 2), "key_values.#.shift_state": (config.num_key_value_heads * size // 2,)}
    return {name.replace("#", str(2 * layer)): shape for name, shape in shapes.items()}


class Zaya(Family):
    def write(self, model, folder):
        super().write(model, folder)
        path = folder / "config.json"
        config = json.loads(path.read_text())
        path.write_text(json.dumps({**config, "num_hidden_layers": 2 * config["num_hidden_layers"]}))


families = {
    "afmoe": Family(**mixture, **alternating, num_shared_experts=1, num_dense_layers=1),
    "apertus": Family(rope_parameters={"rope_type": "default", "rope_theta": 10000.0}),
    "cohere2": Family(**alternating, head_dim=8),
    "deepseek_v4": Family(
        mixers={"DeepseekV4HCACompressor": parts.heavy_compressor, "DeepseekV4CSACompressor": parts.sparse_compressor},
        change=mix_tables, **mixture, num_key_value_heads=1, q_lora_rank=16, o_groups=2, o_lora_rank=8, n_shared_experts=1, hc_mult=2, hc_sinkhorn_iters=4, sliding_window=12,
        partial_rotary_factor=0.5, index_n_heads=16, index_head_dim=8, index_topk=2, num_hidden_layers=3, mlp_layer_types=["hash_moe", "moe", "moe"],
        layer_types=["sliding_attention", "compressed_sparse_attention", "heavily_compressed_attention"],
        compress_rates={"compressed_sparse_attention": 4, "heavily_compressed_attention": 8},
    ),
    "gemma3n": PerLayer(("gemma3n", "Gemma3nForConditionalGeneration"), kind="Gemma3nForCausalLM", **gemma, laurel_rank=8, activation_sparsity_pattern=[0.0] * 4),
    "gemma4": PerLayer(("gemma4", "Gemma4ForConditionalGeneration"), kind="Gemma4ForCausalLM", **gemma, per_layer_config={}),
    "glm_moe_dsa": Family(
        mixers={"GlmMoeDsaAttention": parts.glm_attention}, **mixture, **latent, n_shared_experts=1, index_topk=8, index_head_dim=8, index_n_heads=16, num_hidden_layers=3,
        mlp_layer_types=["dense", "sparse", "sparse"], indexer_types=["full", "shared", "full"],
    ),
    "hrm_text": Family(num_hidden_layers=4, num_layers_per_stack=1, H_cycles=1, L_cycles=3, head_dim=8, num_key_value_heads=4, prefix_lm=False),
    "llama4_text": Family(
        mixers={"Llama4TextRotaryEmbedding": parts.plain_angles}, functions={"apply_rotary_emb": parts.rotate_pairs},
        num_local_experts=4, num_experts_per_tok=1, head_dim=8, intermediate_size_mlp=32, attention_chunk_size=16, no_rope_layers=[1, 0], moe_layers=[1],
        layer_types=["chunked_attention", "full_attention"], floor_scale=16,
    ),
    "ministral3": Family(head_dim=8, rope_parameters=stretched),
    "mistral4": Family(kind="Mistral4ForCausalLM", **{**mixture, **latent}, n_shared_experts=1, rope_parameters=stretched),
    "modernbert-decoder": Family(layer_types=["full_attention", "sliding_attention"], local_attention=24, cls_token_id=1, sep_token_id=2),
    "nanochat": Family(),
    "qwen3_5_moe": Embedded(("qwen3_5_moe", "Qwen3_5MoeForConditionalGeneration"), planes=3, kind="Qwen3_5MoeForCausalLM", mixers={"Qwen3_5MoeGatedDeltaNet": gated_delta}, shapes=qwen3_5_shapes,
                            rope_parameters={"rope_type": "default", "rope_theta": 10000.0, "partial_rotary_factor": 0.5, "mrope_section": [2, 1, 1], "mrope_interleaved": True}, **{**mixture, **hybrid, "head_dim": 16}),
    "qwen3_vl_moe": Sighted(("qwen3_vl_moe", "Qwen3VLMoeForConditionalGeneration"), planes=3, kind="Qwen3VLMoeForConditionalGeneration",
                            rope_parameters={"rope_type": "default", "rope_theta": 10000.0, "mrope_section": [1, 1, 2]}, tie_word_embeddings=False, **mixture),
    "solar_open": Family(**mixture, n_shared_experts=1),
    "youtu": Family(**latent),
    "zaya": Zaya(cache=ConvolvedCache, shapes=zaya_shapes, **{**mixture, "num_experts_per_tok": 1}, router_hidden_size=16),
}
texts = {"gemma3n": "gemma3n_text", "gemma4": "gemma4_text", "qwen3_5_moe": "qwen3_5_moe_text"}


def answer(model):
    """The most likely tokens, without a cache; `None` where these weights make no good test."""
    ids = character_tokenizer(specials).encode(prompt).ids
    tokens, logprobs = [], []
    with torch.no_grad():
        for _ in range(steps):
            last = model(input_ids=torch.tensor([[*ids, *tokens]]), use_cache=False).logits[0, -1].log_softmax(-1)
            best, second = last.topk(2).values
            if last.argmax() < 3 or best - second < 0.02:
                return None
            tokens.append(int(last.argmax()))
            logprobs.append(best)
    return {"content": question, "prompt": ids, "tokens": tokens, "logprobs": rounded(logprobs)} if len(set(tokens)) > 3 else None


def make_decoder(architecture, folder, family=None):
    family = family or families[architecture]
    for seed in range(1, 400):
        torch.manual_seed(seed)
        model = family.make(texts.get(architecture, architecture), seed)
        golden = answer(model)
        if golden:
            break
    else:
        raise RuntimeError("no seed fits")
    (folder / "onnx").mkdir(exist_ok=True)
    family.write(model, folder)
    return golden, character_tokenizer(specials), {"tokenizer_config.json": {"eos_token": "</s>", "chat_template": chat_template}}


def make_small_gemma4(folder):
    """Without a sliding window, so that its attention can be rewritten, and with weights that take little room."""

    def coarse(model):
        with torch.no_grad():
            for weight in model.parameters():
                weight.copy_(torch.round(weight * 8) / 8)

    config = {**gemma, "head_dim": 16, "hidden_size": 16, "intermediate_size": 16, "num_hidden_layers": 3, "num_kv_shared_layers": 1, "num_attention_heads": 2, "num_key_value_heads": 1}
    whole = ("gemma4", "Gemma4ForConditionalGeneration")
    family = PerLayer(whole, kind="Gemma4ForCausalLM", change=coarse, **{**config, "layer_types": ["full_attention"] * 3, "per_layer_config": {}})
    return make_decoder("gemma4", folder, family)
