"""Whisper, with the names of its published weights, plus a phoneme classifier on the encoder that only training uses."""

import math
from dataclasses import dataclass

import torch
from torch import nn
from torch.nn import functional


@dataclass(frozen=True)
class ModelConfig:
    vocab_size: int
    phonemes: int
    width: int = 128
    heads: int = 4
    encoder_layers: int = 3
    decoder_layers: int = 2
    feed_forward: int = 512
    mel_bins: int = 80
    source_positions: int = 500
    target_positions: int = 192


def sinusoids(length, channels):
    """The fixed positions of Whisper's encoder: [length, channels]."""
    scale = math.log(10000) / (channels // 2 - 1)
    time = torch.arange(length)[:, None] * torch.exp(-scale * torch.arange(channels // 2))[None]
    return torch.cat([time.sin(), time.cos()], dim=1)


class Attention(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.k_proj = nn.Linear(width, width, bias=False)
        self.v_proj = nn.Linear(width, width)
        self.q_proj = nn.Linear(width, width)
        self.out_proj = nn.Linear(width, width)

    def split(self, x):
        return x.unflatten(-1, (self.heads, -1)).transpose(1, 2)

    def keys_and_values(self, x):
        return self.split(self.k_proj(x)), self.split(self.v_proj(x))

    def forward(self, x, key, value, mask=None):
        y = functional.scaled_dot_product_attention(self.split(self.q_proj(x)), key, value, attn_mask=mask)
        return self.out_proj(y.transpose(1, 2).flatten(2))

    def with_weights(self, x, key, value):
        """The same without a mask, and the weights [batch, heads, queries, keys]."""
        query = self.split(self.q_proj(x)) * (key.shape[-1] ** -0.5)
        weights = (query @ key.transpose(-1, -2)).softmax(-1)
        return self.out_proj((weights @ value).transpose(1, 2).flatten(2)), weights


class EncoderLayer(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.self_attn = Attention(c.width, c.heads)
        self.self_attn_layer_norm = nn.LayerNorm(c.width)
        self.fc1 = nn.Linear(c.width, c.feed_forward)
        self.fc2 = nn.Linear(c.feed_forward, c.width)
        self.final_layer_norm = nn.LayerNorm(c.width)

    def forward(self, x):
        h = self.self_attn_layer_norm(x)
        x = x + self.self_attn(h, *self.self_attn.keys_and_values(h))
        return x + self.fc2(functional.gelu(self.fc1(self.final_layer_norm(x))))


class DecoderLayer(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.self_attn = Attention(c.width, c.heads)
        self.self_attn_layer_norm = nn.LayerNorm(c.width)
        self.encoder_attn = Attention(c.width, c.heads)
        self.encoder_attn_layer_norm = nn.LayerNorm(c.width)
        self.fc1 = nn.Linear(c.width, c.feed_forward)
        self.fc2 = nn.Linear(c.feed_forward, c.width)
        self.final_layer_norm = nn.LayerNorm(c.width)

    def forward(self, x, mask, past, source):
        """`past` and `source` are keys and values of this layer; returns x, the longer keys and values, and the cross-attention."""
        h = self.self_attn_layer_norm(x)
        key, value = self.self_attn.keys_and_values(h)
        if past is not None:
            key, value = torch.cat([past[0], key], 2), torch.cat([past[1], value], 2)
        x = x + self.self_attn(h, key, value, mask)
        y, weights = self.encoder_attn.with_weights(self.encoder_attn_layer_norm(x), *source)
        x = x + y
        return x + self.fc2(functional.gelu(self.fc1(self.final_layer_norm(x)))), (key, value), weights


class Encoder(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.conv1 = nn.Conv1d(c.mel_bins, c.width, 3, padding=1)
        self.conv2 = nn.Conv1d(c.width, c.width, 3, stride=2, padding=1)
        self.embed_positions = nn.Embedding(c.source_positions, c.width)
        self.embed_positions.weight.requires_grad = False
        self.embed_positions.weight.data = sinusoids(c.source_positions, c.width)
        self.layers = nn.ModuleList(EncoderLayer(c) for _ in range(c.encoder_layers))
        self.layer_norm = nn.LayerNorm(c.width)

    def forward(self, features, first=None):
        """[batch, mel bins, frames] to [batch, frames / 2, width]; `first` [batch] are the positions at which shorter windows begin."""
        x = functional.gelu(self.conv2(functional.gelu(self.conv1(features)))).transpose(1, 2)
        positions = torch.arange(x.shape[1])
        if first is not None:
            positions = (first[:, None] + positions).clamp(max=len(self.embed_positions.weight) - 1)
        x = x + self.embed_positions.weight[positions]
        for layer in self.layers:
            x = layer(x)
        return self.layer_norm(x)


class Decoder(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.embed_tokens = nn.Embedding(c.vocab_size, c.width)
        self.embed_positions = nn.Embedding(c.target_positions, c.width)
        nn.init.normal_(self.embed_tokens.weight, std=0.05)
        nn.init.normal_(self.embed_positions.weight, std=0.02)
        self.layers = nn.ModuleList(DecoderLayer(c) for _ in range(c.decoder_layers))
        self.layer_norm = nn.LayerNorm(c.width)

    def sources(self, encoded):
        return [layer.encoder_attn.keys_and_values(encoded) for layer in self.layers]

    def forward(self, tokens, past, sources):
        """Hidden states, keys and values of every layer, and cross-attentions; `past` is None at the beginning."""
        before = 0 if past is None else past[0][0].shape[2]
        length = tokens.shape[1]
        x = self.embed_tokens(tokens) + self.embed_positions.weight[before : before + length]
        mask = torch.arange(before + length)[None, :] <= torch.arange(length)[:, None] + before
        present, attentions = [], []
        for index, layer in enumerate(self.layers):
            x, kept, weights = layer(x, mask, None if past is None else past[index], sources[index])
            present.append(kept)
            attentions.append(weights)
        return self.layer_norm(x), present, attentions

    def logits(self, x):
        return functional.linear(x, self.embed_tokens.weight)


class Inner(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.encoder = Encoder(c)
        self.decoder = Decoder(c)


class WhisperModel(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.config = config
        self.model = Inner(config)
        self.phoneme_head = nn.Linear(config.width, config.phonemes)

    @property
    def encoder(self):
        return self.model.encoder

    @property
    def decoder(self):
        return self.model.decoder
