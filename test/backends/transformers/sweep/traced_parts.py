"""Layers of `transformers` that a trace can't follow, written anew with a cache of inputs and outputs."""

import sys
from types import MethodType

import torch
from torch.nn import functional as F


def unselected(scores, seen, count):
    """Where a score, `[batch, query, key]`, is below the `count` highest ones that are seen; of equal ones the first wins."""
    scores = scores.masked_fill(~seen, -torch.inf)
    key = torch.arange(scores.shape[-1])
    ahead = (scores[..., None, :] > scores[..., None]) | ((scores[..., None, :] == scores[..., None]) & (key[None, :] < key[:, None]))
    return (ahead.sum(-1) >= count) | ~seen


# --- Llama 4 -----------------------------------------------------------------------------------------------------------


def plain_angles(self, x, position_ids):
    angles = position_ids[..., None].float() * self.inv_freq.float()
    return torch.stack((angles.cos(), angles.sin())) * self.attention_scaling


def rotate_pairs(queries, keys, angles):
    cos, sin = (one[:, :, None] for one in angles.unbind(0))

    def rotate(x):
        even, odd = x[..., 0::2], x[..., 1::2]
        return torch.stack((even * cos - odd * sin, even * sin + odd * cos), -1).flatten(-2)

    return rotate(queries), rotate(keys)


# --- GLM with sparse attention -------------------------------------------------------------------------------------------


def glm_attention(self, hidden_states, position_embeddings, attention_mask, past_key_values=None, prev_topk_indices=None, **_):
    """Keys and values of all heads in the cache; the keys of the indexer follow those of attention. Hands on what isn't seen."""
    module = sys.modules[type(self).__module__]
    rows, count = hidden_states.shape[:-1]
    residual = self.q_a_layernorm(self.q_a_proj(hidden_states))
    queries = self.q_b_proj(residual).view(rows, count, -1, self.qk_head_dim).transpose(1, 2)
    plain, rotated = queries.split([self.qk_nope_head_dim, self.qk_rope_head_dim], -1)
    latent, rotated_key = self.kv_a_proj_with_mqa(hidden_states).split([self.kv_lora_rank, self.qk_rope_head_dim], -1)
    rotated, rotated_key = module.apply_rotary_pos_emb_interleave(rotated, rotated_key[:, None], *position_embeddings)
    both = self.kv_b_proj(self.kv_a_layernorm(latent)).view(rows, count, self.num_heads, -1).transpose(1, 2)
    plain_key, values = both.split([self.qk_nope_head_dim, self.v_head_dim], -1)
    keys = torch.cat((plain_key, rotated_key.expand(-1, self.num_heads, -1, -1)), -1)
    if self.indexer is not None:
        asked, found = index_parts(self.indexer, hidden_states, residual, position_embeddings, module)
        keys = torch.cat((keys, found[:, None].expand(-1, self.num_heads, -1, -1)), -1)
    keys, values = past_key_values.update(keys, values, self.layer_idx)
    seen = attention_mask[:, 0] > -1
    hidden = prev_topk_indices
    if self.indexer is not None:
        keys, found = keys[..., : self.qk_head_dim], keys[:, 0, :, self.qk_head_dim :]
        scores = F.relu(asked @ found.transpose(-1, -2)[:, None] * self.indexer.softmax_scale)
        weights = self.indexer.weights_proj(hidden_states) * self.indexer.n_heads**-0.5
        hidden = unselected((weights[..., None, :] @ scores).squeeze(-2), seen, self.indexer.index_topk)
    mask = attention_mask.masked_fill(hidden[:, None], -1e9)
    weights = torch.softmax(torch.cat((plain, rotated), -1) @ keys.transpose(-1, -2) * self.scaling + mask, -1)
    return self.o_proj((weights @ values).transpose(1, 2).reshape(rows, count, -1)), None, hidden


def index_parts(self, hidden_states, residual, position_embeddings, module):
    """Queries `[batch, tokens, heads, size]` and keys `[batch, tokens, size]` of the indexer."""
    rows, count, _ = hidden_states.shape
    queries = self.wq_b(residual).view(rows, count, self.n_heads, self.head_dim)
    keys = self.k_norm(self.wk(hidden_states))[:, :, None]
    sizes = [self.qk_rope_head_dim, self.head_dim - self.qk_rope_head_dim]
    (turned, rest), (turned_key, rest_key) = queries.split(sizes, -1), keys.split(sizes, -1)
    turned, turned_key = module.apply_rotary_pos_emb_interleave(turned, turned_key, *position_embeddings, unsqueeze_dim=2)
    return torch.cat((turned, rest), -1), torch.cat((turned_key, rest_key), -1)[:, :, 0]


# --- DeepSeek V4 ---------------------------------------------------------------------------------------------------------


def windows(self, hidden_states, cache, name, overlaps):
    """The compressed entries of all windows so far, made anew from what was kept of each token, `[batch, windows, size]`.

    A last one that is not whole makes sure that there is one at all: graphs can't fold sizes of nothing.
    """
    module = sys.modules[type(self).__module__]
    kv = cache.join(f"{name}.kv", self.kv_proj(hidden_states), 1)
    gate = cache.join(f"{name}.gate", self.gate_proj(hidden_states), 1)
    rate = self.compress_rate
    count = kv.shape[1] // rate + 1
    kv, gate = (F.pad(one, (0, 0, 0, rate))[:, : count * rate].reshape(one.shape[0], count, rate, one.shape[-1]) for one in (kv, gate))
    gate = gate + self.position_bias
    if overlaps:
        kv, gate = overlap(kv, self.head_dim, 0.0), overlap(gate, self.head_dim, -1e9)
    entries = self.kv_norm((kv * gate.softmax(2)).sum(2))
    positions = (torch.arange(count) * rate)[None]
    cos, sin = self.rotary_emb(entries, position_ids=positions, layer_type=self.rope_layer_type)
    return module.apply_rotary_pos_emb(entries[:, None], cos, sin)[:, 0]


def overlap(windows_of, size, nothing):
    """The first half of the window before, ahead of the second half of each."""
    first, second = windows_of.split(size, -1)
    before = torch.cat((torch.full_like(first[:, :1], nothing), first), 1)[:, :-1]
    return torch.cat((before, second), 2)


def seen_windows(self, entries, position_ids):
    return torch.arange(entries.shape[1]) < ((position_ids + 1) // self.compress_rate)[..., None]


def biased(entries, seen):
    return entries[:, None], torch.where(seen, 0.0, -1e9)[:, None]


def heavy_compressor(self, hidden_states, q_residual, position_ids, past_key_values, layer_idx):
    entries = windows(self, hidden_states, past_key_values, f"compressor.{layer_idx}", overlaps=False)
    return biased(entries, seen_windows(self, entries, position_ids))


def sparse_compressor(self, hidden_states, q_residual, position_ids, past_key_values, layer_idx):
    module, indexer = sys.modules[type(self).__module__], self.indexer
    entries = windows(self, hidden_states, past_key_values, f"compressor.{layer_idx}", overlaps=True)
    keys = windows(indexer, hidden_states, past_key_values, f"indexer.{layer_idx}", overlaps=True)
    rows, count, _ = hidden_states.shape
    queries = indexer.q_b_proj(q_residual).view(rows, count, -1, indexer.head_dim).transpose(1, 2)
    angles = indexer.rotary_emb(hidden_states, position_ids=position_ids, layer_type=indexer.rope_layer_type)
    scores = indexer.scorer(module.apply_rotary_pos_emb(queries, *angles).transpose(1, 2), keys, hidden_states)
    return biased(entries, ~unselected(scores, seen_windows(self, entries, position_ids), indexer.index_topk))


def has(model, functions):
    """Whether the model's module has functions of these names."""
    return all(hasattr(sys.modules[type(model).__module__], name) for name in functions)


class Rewritten:
    """Replaces the `forward` of modules by their class, and functions of the model's module, while in use."""

    def __init__(self, model, mixers, functions):
        self.modules = [(module, mixers[type(module).__name__]) for module in model.modules() if type(module).__name__ in mixers]
        self.file, self.functions = sys.modules[type(model).__module__], functions

    def __enter__(self):
        self.before = {name: getattr(self.file, name) for name in self.functions}
        for name, function in self.functions.items():
            setattr(self.file, name, function)
        for module, forward in self.modules:
            module.forward = MethodType(forward, module)

    def __exit__(self, *_):
        for name, function in self.before.items():
            setattr(self.file, name, function)
        for module, _ in self.modules:
            del module.forward
