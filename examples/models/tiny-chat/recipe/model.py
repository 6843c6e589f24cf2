"""A Qwen3-style decoder: RMSNorm, rotary positions, grouped queries with normed heads, SwiGLU, tied embeddings."""

from dataclasses import dataclass

import torch
from torch import nn
from torch.nn import functional

# PyTorch's fused attention is slow backwards on a CPU in bfloat16; plain products are several times faster on short texts.
LONG = 800


@dataclass
class ModelConfig:
    vocab_size: int
    hidden_size: int = 160
    intermediate_size: int = 416
    layers: int = 6
    heads: int = 6
    kv_heads: int = 2
    head_dim: int = 32
    max_positions: int = 2048
    rope_theta: float = 10000.0
    norm_epsilon: float = 1e-6


class RMSNorm(nn.Module):
    def __init__(self, size, epsilon):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(size))
        self.epsilon = epsilon

    def forward(self, x):
        if torch.onnx.is_in_onnx_export():
            return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + self.epsilon) * self.weight
        return functional.rms_norm(x, (x.shape[-1],), self.weight.to(x.dtype), self.epsilon)


def rotate(x, cos, sin):
    first, second = x.chunk(2, -1)
    return x * cos + torch.cat((-second, first), -1) * sin


class Block(nn.Module):
    def __init__(self, config):
        super().__init__()
        c = self.config = config
        self.kept_weights = None
        self.attention_norm = RMSNorm(c.hidden_size, c.norm_epsilon)
        self.query = nn.Linear(c.hidden_size, c.heads * c.head_dim, bias=False)
        self.key = nn.Linear(c.hidden_size, c.kv_heads * c.head_dim, bias=False)
        self.value = nn.Linear(c.hidden_size, c.kv_heads * c.head_dim, bias=False)
        self.query_norm = RMSNorm(c.head_dim, c.norm_epsilon)
        self.key_norm = RMSNorm(c.head_dim, c.norm_epsilon)
        self.output = nn.Linear(c.heads * c.head_dim, c.hidden_size, bias=False)
        self.mlp_norm = RMSNorm(c.hidden_size, c.norm_epsilon)
        self.gate = nn.Linear(c.hidden_size, c.intermediate_size, bias=False)
        self.up = nn.Linear(c.hidden_size, c.intermediate_size, bias=False)
        self.down = nn.Linear(c.intermediate_size, c.hidden_size, bias=False)

    def forward(self, x, cos, sin, mask=None, past=None, bias=None):
        """Returns the new hidden states and the keys and values, past ones included. Without a mask it is causal, or as `bias` has it."""
        c = self.config
        batch, length, _ = x.shape
        h = self.attention_norm(x)
        query = self.query_norm(self.query(h).view(batch, length, c.heads, c.head_dim)).transpose(1, 2)
        key = self.key_norm(self.key(h).view(batch, length, c.kv_heads, c.head_dim)).transpose(1, 2)
        value = self.value(h).view(batch, length, c.kv_heads, c.head_dim).transpose(1, 2)
        query, key = rotate(query, cos, sin), rotate(key, cos, sin)
        if past is not None:
            key, value = torch.cat((past[0], key), 2), torch.cat((past[1], value), 2)
        attended = self.attend(query, key, value, mask, bias)
        x = x + self.output(attended.transpose(1, 2).reshape(batch, length, c.heads * c.head_dim))
        h = self.mlp_norm(x)
        return x + self.down(functional.silu(self.gate(h)) * self.up(h)), key, value

    def attend(self, query, key, value, mask, bias):
        c = self.config
        batch, heads, length, size = query.shape
        groups = heads // c.kv_heads
        if mask is not None:
            scores = query.reshape(batch, c.kv_heads, groups, length, size) @ key[:, :, None].transpose(3, 4) * size**-0.5
            weights = torch.softmax(torch.where(mask[:, :, None], scores, torch.tensor(-1e9)), -1)
            return (weights @ value[:, :, None]).reshape(batch, heads, length, size)
        key, value = key.repeat_interleave(groups, 1), value.repeat_interleave(groups, 1)
        if length > LONG:
            return functional.scaled_dot_product_attention(query, key, value, is_causal=True)
        flat = [x.reshape(batch * heads, length, size) for x in (query, key, value)]
        if bias is None:
            bias = torch.full((length, length), -1e9, dtype=query.dtype).triu(1).expand(batch * heads, length, length)
        weights = torch.softmax(torch.baddbmm(bias, flat[0], flat[1].transpose(1, 2), alpha=size**-0.5), -1)
        self.kept_weights = weights.view(batch, heads, length, length)
        return (weights @ flat[2]).view(batch, heads, length, size)


class ChatModel(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.config = config
        self.embedding = nn.Embedding(config.vocab_size, config.hidden_size)
        self.blocks = nn.ModuleList(Block(config) for _ in range(config.layers))
        self.norm = RMSNorm(config.hidden_size, config.norm_epsilon)
        self.kept_states = []
        frequencies = config.rope_theta ** (-torch.arange(0, config.head_dim, 2) / config.head_dim)
        self.register_buffer("frequencies", frequencies, persistent=False)
        self.apply(self.initialise)

    def initialise(self, module):
        if isinstance(module, (nn.Linear, nn.Embedding)):
            nn.init.normal_(module.weight, std=module.weight.shape[1] ** -0.5 * 0.7)
        for block in self.blocks if module is self else []:
            nn.init.zeros_(block.output.weight)
            nn.init.zeros_(block.down.weight)

    def rotations(self, positions):
        angles = positions[..., None].float() * self.frequencies
        angles = torch.cat((angles, angles), -1)
        return angles.cos(), angles.sin()

    def hidden(self, input_ids, positions=None, bias=None):
        """Final hidden states of whole rows, for training. Keeps the state after each block and, if the rows are short, the attention's weights."""
        x = self.embedding(input_ids)
        cos, sin = self.rotations(torch.arange(input_ids.shape[1]) if positions is None else positions[:, None])
        self.kept_states = []
        for block in self.blocks:
            block.kept_weights = None
            x, _, _ = block(x, cos, sin, bias=bias)
            self.kept_states.append(x)
        return self.norm(x)

    def logits(self, hidden):
        return functional.linear(hidden, self.embedding.weight)
