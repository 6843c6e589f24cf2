"""Makes the miniature decoders of ../models whose layers keep a state of fixed size, and those with experts.

The exporters of `decoders.py` have no graphs for these families. Here a whole model of `transformers` is traced, with a cache
whose tensors are inputs and outputs of the graph, named as the hub's exports name them: `past_key_values.*`, `past_conv.*`,
`past_ssm.*`, `past_recurrent.*`. Layers that a trace can't follow are written anew: convolutions that begin with a state,
the scan of Mamba 2 as sums over all pairs of tokens, the delta rule as a loop of the graph, experts that all compute.
Goldens come from the models as they were before, without a cache, see `decoders.py`.

Usage:
    pip install torch==2.13.0 transformers==5.23.0 tokenizers==0.23.3 onnx==1.23.2 onnxruntime==1.31.1 onnxruntime-genai==0.18.0
    python hybrids.py [family …]
"""

import sys
from types import MethodType

import decoder_templates as templates
import decoder_tokenizers as tokenizers
import decoders
import onnx
import torch
import transformers as hf
from decoders import QWEN_END, Family, build, common, save, several
from torch.nn import functional as F

decoders.VERSIONS = ["transformers", "torch", "tokenizers", "onnxruntime-genai", "onnx", "onnxruntime"]


# --- a cache of inputs and outputs -----------------------------------------------------------------------------------


class TracedCache:
    def __init__(self, past):
        self.past, self.present = past, {}

    def update(self, key, value, layer, *_, **__):
        return self.join(f"key_values.{layer}.key", key, 2), self.join(f"key_values.{layer}.value", value, 2)

    def join(self, name, new, axis, keep=None):
        """Past and new along an axis; the last ones of a fixed number are kept where it is given."""
        joined = torch.cat((self.past[f"past_{name}"], new), axis)
        self.put(name, joined if keep is None else joined[..., -keep:])
        return joined

    def get(self, name):
        return self.past[f"past_{name}"]

    def put(self, name, value):
        self.present[f"present_{name}".replace("present_key_values", "present")] = value

    def get_seq_length(self, *_):
        return 0


class Step(torch.nn.Module):
    """A step of a decoder: tokens and what is kept of those before → logits and what is kept now."""

    def __init__(self, model, names, masked):
        super().__init__()
        self.model, self.names, self.masked = model, names, masked

    def forward(self, input_ids, attention_mask, position_ids, *past):
        cache = TracedCache(dict(zip(self.names, past)))
        length, width = input_ids.shape[1], attention_mask.shape[1]
        seen = torch.arange(width)[None, :] <= torch.arange(length)[:, None] + (width - length)
        seen = seen[None, None] & (attention_mask[:, None, None, :] > 0)
        mask = torch.where(seen, 0.0, -1e9)
        padding = attention_mask[:, -length:] if self.masked else None
        if any(name.startswith("past_conv") for name in self.names):
            mask = {"full_attention": mask, "linear_attention": padding, "conv": padding}
        hidden = self.model.base_model(input_ids, attention_mask=mask, position_ids=position_ids, past_key_values=cache, use_cache=True)
        logits = self.model.lm_head(hidden.last_hidden_state)
        logits = logits / getattr(self.model.config, "logits_scaling", 1) * getattr(self.model.config, "lm_head_multiplier", 1)
        return (logits, *(cache.present[present_of(name)] for name in self.names))


def present_of(past):
    return past.replace("past_key_values", "present").replace("past_", "present_")


def traced(shapes_of, mixers=None, masked=False):
    """An exporter: `shapes_of(config, layer)` gives the cache of a layer, `mixers` are written anew by their class."""

    def export(model, folder):
        config = model.config
        shapes = {}
        for layer in range(config.num_hidden_layers):
            shapes |= {name.replace("#", str(layer)): shape for name, shape in shapes_of(config, layer).items()}
        names = [f"past_{name}" for name in shapes]
        past = [torch.randn(2, *(5 if size is None else size for size in shape)) for shape in shapes.values()]
        for module in model.modules():
            forward = (mixers or {}).get(type(module).__name__)
            if forward:
                module.plain_forward, module.forward = module.forward, MethodType(forward, module)
        axes = {"input_ids": {0: "batch_size", 1: "sequence_length"}, "attention_mask": {0: "batch_size", 1: "total_sequence_length"}}
        axes |= {"position_ids": axes["input_ids"], "logits": axes["input_ids"]}
        for name, shape in zip(names, shapes.values()):
            grows = {} if None not in shape else {1 + shape.index(None): "sequence_length"}
            axes[name] = {0: "batch_size"} | {axis: f"past_{size}" for axis, size in grows.items()}
            axes[present_of(name)] = {0: "batch_size"} | {axis: f"total_{size}" for axis, size in grows.items()}
        sample = (torch.randint(0, 50, (2, 3)), torch.ones(2, 8, dtype=torch.long), torch.arange(5, 8)[None].repeat(2, 1))
        path = folder / "traced.onnx"
        with torch.no_grad():
            torch.onnx.export(
                Step(model, names, masked).eval(),
                (*sample, *past),
                str(path),
                input_names=["input_ids", "attention_mask", "position_ids", *names],
                output_names=["logits", *(present_of(name) for name in names)],
                dynamic_axes=axes,
                opset_version=17,
                dynamo=False,
            )
        for module in model.modules():
            if hasattr(module, "plain_forward"):
                module.forward = module.plain_forward
        save(onnx.load(path), folder / "onnx" / "model.onnx")
        return {"fp32": "model.onnx"}

    return export


def genai(precision, name, *options):
    """The builder of onnxruntime-genai: `past.0.conv`, and operators of its own for convolutions and experts."""

    def export(model, folder):
        from onnxruntime_genai.models.builder import create_model, parse_extra_options

        source, target = folder / "source", folder / f"built-{precision}"
        model.save_pretrained(source)
        folder.tokenizer.save_pretrained(source)
        arguments = (None, str(source), str(target), precision, "cpu", str(folder / "cache"))
        create_model(*arguments, **parse_extra_options(*arguments, list(options)))
        save(onnx.load(target / "model.onnx"), folder / "onnx" / name)
        dtype = name.removesuffix(".onnx").removeprefix("model").removeprefix("_") or "fp32"
        return {dtype: name}

    return export


def keys_and_values(config):
    size = getattr(config, "head_dim", None) or config.hidden_size // config.num_attention_heads
    return {f"key_values.#.{kind}": (config.num_key_value_heads, None, size) for kind in ("key", "value")}


def kept(hidden, attention_mask):
    return hidden if attention_mask is None else hidden * attention_mask[:, :, None]


def convolve(cache, layer, new, conv):
    """[batch, channels, tokens]; as many columns are kept as the kernel is wide, of which the first is never read."""
    joined = cache.join(f"conv.{layer}", new, 2, keep=conv.kernel_size[0])
    return F.conv1d(joined, conv.weight, conv.bias, groups=conv.groups)[..., 1:]


# --- LFM2 ------------------------------------------------------------------------------------------------------------


def lfm2_shapes(config, layer):
    if config.layer_types[layer] == "conv":
        return {"conv.#": (config.hidden_size, config.conv_L_cache)}
    return keys_and_values(config)


def short_conv(self, hidden_states, past_key_values, attention_mask=None, **_):
    gate, after, x = self.in_proj(kept(hidden_states, attention_mask)).transpose(-1, -2).chunk(3, dim=-2)
    mixed = after * convolve(past_key_values, self.layer_idx, gate * x, self.conv)
    return self.out_proj(mixed.transpose(-1, -2))


# --- Granite 4, Falcon-H1, Nemotron-H -------------------------------------------------------------------------------------------------------


def granite_shapes(config, layer):
    if config.layer_types[layer] != "linear_attention":
        return keys_and_values(config)
    heads, size, state = config.mamba_n_heads, config.mamba_d_head, config.mamba_d_state
    channels = heads * size + 2 * config.mamba_n_groups * state
    return {"conv.#": (channels, config.mamba_d_conv), "ssm.#": (heads, size, state)}


def falcon_shapes(config, layer):
    heads, size, state = config.mamba_n_heads, config.mamba_d_head, config.mamba_d_state
    channels = heads * size + 2 * config.mamba_n_groups * state
    return {**keys_and_values(config), "conv.#": (channels, config.mamba_d_conv), "ssm.#": (heads, size, state)}


def nemotron_shapes(config, layer):
    heads, size, state = config.mamba_num_heads, config.mamba_head_dim, config.ssm_state_size
    states = {"conv.#": (heads * size + 2 * config.n_groups * state, config.conv_kernel), "ssm.#": (heads, size, state)}
    return {"linear_attention": states, "full_attention": keys_and_values(config)}.get(config.layer_types[layer], {})


def mamba2(self, hidden_states, cache_params, attention_mask=None, **_):
    rows, count, _ = hidden_states.shape
    groups = self.n_groups * self.ssm_state_size
    projected = self.in_proj(kept(hidden_states, attention_mask) * getattr(self, "ssm_in_multiplier", 1)) * getattr(self, "mup_vector", 1)
    gate, mixed, dt = projected.split([self.intermediate_size, self.conv_dim, self.num_heads], dim=-1)
    mixed = self.act(convolve(cache_params, self.layer_idx, mixed.transpose(1, 2), self.conv1d)).transpose(1, 2)
    x, b, c = kept(mixed, attention_mask).split([self.intermediate_size, groups, groups], dim=-1)

    def heads_of(one, each):  # [batch, heads, tokens, size]
        return one.reshape(rows, count, -1, each).transpose(1, 2)

    x = heads_of(x, self.head_dim)
    b, c = (heads_of(one, self.ssm_state_size).repeat_interleave(self.num_heads // self.n_groups, 1) for one in (b, c))
    dt = F.softplus(dt + self.dt_bias).clamp(*self.time_step_limit).transpose(1, 2)
    # How much is left at one token of what came in at another: exp of the sum of decays between them.
    total = torch.cumsum(dt * -torch.exp(self.A_log)[:, None], 2)
    between = total[..., :, None] - total[..., None, :]
    later = torch.arange(count)[None, :] > torch.arange(count)[:, None]
    left = torch.exp(between.masked_fill(later, -torch.inf))
    before = cache_params.get(f"ssm.{self.layer_idx}")
    dx = x * dt[..., None]
    y = (c @ b.transpose(-1, -2) * left) @ dx + torch.exp(total)[..., None] * (c @ before.transpose(-1, -2))
    at_end = torch.exp(total[..., -1:] - total)[..., None]
    after = torch.exp(total[..., -1])[..., None, None] * before + (dx * at_end).transpose(-1, -2) @ b
    cache_params.put(f"ssm.{self.layer_idx}", after)
    y = (y + self.D[:, None, None] * x).transpose(1, 2).reshape(rows, count, -1)
    return self.out_proj(self.norm(y, gate) if getattr(self, "mamba_rms_norm", True) else y * F.silu(gate))


# --- Qwen 3.5, Qwen3-Next, OLMo Hybrid --------------------------------------------------------------------------------------


def qwen3_5_shapes(config, layer):
    if config.layer_types[layer] != "linear_attention":
        return keys_and_values(config)
    keys = config.linear_num_key_heads * config.linear_key_head_dim
    values = config.linear_num_value_heads * config.linear_value_head_dim
    state = (config.linear_num_value_heads, config.linear_key_head_dim, config.linear_value_head_dim)
    return {"conv.#": (2 * keys + values, config.linear_conv_kernel_dim), "recurrent.#": state}


def olmo_shapes(config, layer):
    shapes = qwen3_5_shapes(config, layer)
    if "conv.#" not in shapes:
        return shapes
    keys = config.linear_num_key_heads * config.linear_key_head_dim
    values = config.linear_num_value_heads * config.linear_value_head_dim
    sizes = {"query": keys, "key": keys, "value": values}
    convolutions = {f"conv.#.{kind}": (size, config.linear_conv_kernel_dim) for kind, size in sizes.items()}
    return {**convolutions, "recurrent.#": shapes["recurrent.#"]}


@torch.jit.script
def delta_rule(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, decay: torch.Tensor, beta: torch.Tensor, state: torch.Tensor):
    outputs = torch.zeros_like(v[:, :, :0])
    for at in range(v.shape[2]):
        key = k[:, :, at].unsqueeze(-1)
        state = state * decay[:, :, at].unsqueeze(-1).unsqueeze(-1)
        delta = (v[:, :, at] - (state * key).sum(dim=-2)) * beta[:, :, at].unsqueeze(-1)
        state = state + key * delta.unsqueeze(-2)
        output = (state * q[:, :, at].unsqueeze(-1)).sum(dim=-2)
        outputs = torch.cat((outputs, output.unsqueeze(2)), 2)
    return outputs, state


def gated_delta(self, hidden_states, cache_params, attention_mask=None, **_):
    rows, count, _ = hidden_states.shape
    hidden_states = kept(hidden_states, attention_mask)
    if hasattr(self, "in_proj_qkv"):
        mixed, z, b, a = (each(hidden_states) for each in (self.in_proj_qkv, self.in_proj_z, self.in_proj_b, self.in_proj_a))
    elif hasattr(self, "in_proj_qkvz"):
        *parts, z, b, a = self.fix_query_key_value_ordering(self.in_proj_qkvz(hidden_states), self.in_proj_ba(hidden_states))
        mixed = torch.cat([part.reshape(rows, count, -1) for part in parts], -1)
    else:
        mixed = torch.cat([each(hidden_states) for each in (self.q_proj, self.k_proj, self.v_proj)], -1)
        z, b, a = (each(hidden_states) for each in (self.g_proj, self.b_proj, self.a_proj))
    convolved = convolve_apart if hasattr(self, "q_proj") else convolve
    mixed = F.silu(convolved(cache_params, self.layer_idx, mixed.transpose(1, 2), self.conv1d))
    q, k, v = mixed.transpose(1, 2).split([self.key_dim, self.key_dim, self.value_dim], dim=-1)
    q, k = (one.reshape(rows, count, -1, self.head_k_dim).transpose(1, 2) for one in (q, k))
    v = v.reshape(rows, count, -1, self.head_v_dim).transpose(1, 2)
    q, k = (one * torch.rsqrt((one * one).sum(-1, keepdim=True) + 1e-6) for one in (q, k))
    q, k = (one.repeat_interleave(self.num_v_heads // self.num_k_heads, 1) for one in (q / self.head_k_dim**0.5, k))
    decay = torch.exp(-torch.exp(self.A_log) * F.softplus(a + self.dt_bias)).transpose(1, 2)
    beta = b.sigmoid().transpose(1, 2) * (2 if getattr(self, "allow_neg_eigval", False) else 1)
    y, state = delta_rule(q, k, v, decay, beta, cache_params.get(f"recurrent.{self.layer_idx}"))
    cache_params.put(f"recurrent.{self.layer_idx}", state)
    norm, project = (self.norm, self.out_proj) if hasattr(self, "norm") else (self.o_norm, self.o_proj)
    y = norm(y.transpose(1, 2).reshape(-1, self.head_v_dim), z.reshape(-1, self.head_v_dim))
    return project(y.reshape(rows, count, -1))


def convolve_apart(cache, layer, new, conv):
    """With a state each for queries, keys and values."""
    kinds = [f"conv.{layer}.{kind}" for kind in ("query", "key", "value")]
    sizes = [cache.get(kind).shape[1] for kind in kinds]
    joined = torch.cat([cache.join(kind, part, 2, keep=conv.kernel_size[0]) for kind, part in zip(kinds, new.split(sizes, 1))], 1)
    return F.conv1d(joined, conv.weight, conv.bias, groups=conv.groups)[..., 1:]


# --- experts ---------------------------------------------------------------------------------------------------------


def all_experts(self, hidden_states, top_k_index, top_k_weights):
    """Every expert computes every token; those that weren't chosen count nothing."""
    weights = torch.zeros(hidden_states.shape[0], self.num_experts).scatter(1, top_k_index, top_k_weights)
    gate, up = torch.einsum("th,eih->tei", hidden_states, self.gate_up_proj).chunk(2, -1)
    return torch.einsum("tei,ehi,te->th", self.act_fn(gate) * up, self.down_proj, weights)


# --- families --------------------------------------------------------------------------------------------------------

lfm2_config = lambda size: hf.Lfm2Config(
    vocab_size=size,
    layer_types=["conv", "full_attention", "conv"],
    block_auto_adjust_ff_dim=False,
    **{**common(), "num_hidden_layers": 3, "num_attention_heads": 2, "num_key_value_heads": 1},
)
lfm2_moe_config = lambda size: hf.Lfm2MoeConfig(
    vocab_size=size,
    layer_types=["conv", "full_attention", "conv"],
    num_dense_layers=1,
    num_experts=4,
    num_experts_per_tok=2,
    moe_intermediate_size=32,
    norm_topk_prob=True,
    use_expert_bias=True,
    **{**common(), "num_hidden_layers": 3, "num_attention_heads": 2, "num_key_value_heads": 1},
)
granite_config = lambda size: hf.GraniteMoeHybridConfig(
    vocab_size=size,
    layer_types=["linear_attention", "full_attention", "linear_attention"],
    mamba_n_heads=4,
    mamba_d_head=16,
    mamba_d_state=8,
    mamba_n_groups=1,
    mamba_chunk_size=8,
    num_local_experts=0,
    shared_intermediate_size=48,
    embedding_multiplier=2.0,
    residual_multiplier=0.8,
    attention_multiplier=0.3,
    logits_scaling=1.5,
    tie_word_embeddings=True,
    **{**common(), "num_hidden_layers": 3},
)
falcon_config = lambda size: hf.FalconH1Config(
    vocab_size=size,
    mamba_d_ssm=64,
    mamba_n_heads=4,
    mamba_d_head=16,
    mamba_d_state=8,
    mamba_n_groups=2,
    mamba_chunk_size=8,
    mamba_rms_norm=False,
    embedding_multiplier=1.5,
    lm_head_multiplier=0.7,
    ssm_in_multiplier=0.9,
    attention_out_multiplier=0.8,
    **common(),
)
nemotron_config = lambda size: hf.NemotronHConfig(
    vocab_size=size,
    layers_block_type=["mamba", "attention", "mlp", "mamba"],
    mamba_num_heads=4,
    mamba_head_dim=16,
    ssm_state_size=8,
    n_groups=2,
    conv_kernel=4,
    chunk_size=8,
    head_dim=8,
    **{**common(), "num_hidden_layers": 4},
)
qwen3_5_config = lambda size: hf.Qwen3_5TextConfig(
    vocab_size=size,
    layer_types=["linear_attention", "full_attention"],
    head_dim=16,
    linear_num_key_heads=2,
    linear_num_value_heads=4,
    linear_key_head_dim=8,
    linear_value_head_dim=8,
    rope_parameters={"rope_type": "default", "rope_theta": 10000.0, "partial_rotary_factor": 0.5, "mrope_section": [2, 1, 1], "mrope_interleaved": True},
    **common(),
)
qwen3_next_config = lambda size: hf.Qwen3NextConfig(
    vocab_size=size,
    layer_types=["linear_attention", "full_attention"],
    head_dim=16,
    linear_num_key_heads=2,
    linear_num_value_heads=4,
    linear_key_head_dim=8,
    linear_value_head_dim=8,
    num_experts=4,
    num_experts_per_tok=2,
    moe_intermediate_size=24,
    shared_expert_intermediate_size=24,
    **common(),
)
olmo_config = lambda size: hf.OlmoHybridConfig(
    vocab_size=size,
    layer_types=["linear_attention", "full_attention"],
    linear_num_key_heads=2,
    linear_num_value_heads=2,
    linear_key_head_dim=8,
    linear_value_head_dim=16,
    pad_token_id=None,
    **common(),
)
qwen3_moe_config = lambda size: hf.Qwen3MoeConfig(
    vocab_size=size, head_dim=16, num_experts=4, num_experts_per_tok=2, moe_intermediate_size=24, norm_topk_prob=True, mlp_only_layers=[], **common()
)

FAMILIES = {
    "lfm2": Family(tokenizers.qwen2, templates.CHATML, lfm2_config, QWEN_END, traced(lfm2_shapes, {"Lfm2ShortConv": short_conv}, masked=True)),
    "lfm2-gqa": Family(tokenizers.qwen2, templates.CHATML, lfm2_config, QWEN_END, genai("fp32", "model.onnx")),
    "granite-hybrid": Family(
        tokenizers.qwen2, templates.CHATML, granite_config, QWEN_END, traced(granite_shapes, {"GraniteMoeHybridMambaLayer": mamba2})
    ),
    "falcon-h1": Family(tokenizers.qwen2, templates.CHATML, falcon_config, QWEN_END, traced(falcon_shapes, {"FalconH1Mixer": mamba2})),
    "nemotron-h": Family(tokenizers.qwen2, templates.CHATML, nemotron_config, QWEN_END, traced(nemotron_shapes, {"NemotronHMamba2Mixer": mamba2})),
    "qwen3.5": Family(
        tokenizers.qwen3, templates.CHATML_THINKING, qwen3_5_config, QWEN_END, traced(qwen3_5_shapes, {"Qwen3_5GatedDeltaNet": gated_delta})
    ),
    "qwen3-next": Family(
        tokenizers.qwen3,
        templates.CHATML_THINKING,
        qwen3_next_config,
        QWEN_END,
        traced(qwen3_5_shapes, {"Qwen3NextGatedDeltaNet": gated_delta, "Qwen3NextExperts": all_experts}),
    ),
    "olmo-hybrid": Family(tokenizers.qwen2, templates.CHATML, olmo_config, QWEN_END, traced(olmo_shapes, {"OlmoHybridGatedDeltaNet": gated_delta})),
    "lfm2-moe": Family(
        tokenizers.qwen2, templates.CHATML, lfm2_moe_config, QWEN_END, several(genai("fp32", "model.onnx"), genai("int4", "model_q4.onnx", "int4_block_size=16", "int4_accuracy_level=1"))
    ),
    "qwen3-moe": Family(
        tokenizers.qwen3,
        templates.CHATML_THINKING,
        qwen3_moe_config,
        QWEN_END,
        traced(lambda config, layer: keys_and_values(config), {"Qwen3MoeExperts": all_experts}),
    ),
}

if __name__ == "__main__":
    torch.set_num_threads(1)
    for name in sys.argv[1:] or FAMILIES:
        build(name, FAMILIES[name])
