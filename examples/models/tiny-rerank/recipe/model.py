"""The model: query and document are read apart by tiny-embed's layers, then compared by two more.

All are layers of BERT. In the first three a token attends to those of its own text alone, and each text's places count from
zero, so that what tiny-embed has learned about single texts holds from the first step on.
"""

from pathlib import Path

import onnx
import torch
from onnx import numpy_helper
from torch import nn
from torch.nn import functional

WIDTH, HEADS, INNER, READING_LAYERS, COMPARING_LAYERS, LAYER_NORM_EPS = 128, 4, 384, 3, 2, 1e-12
EMBED = Path(__file__).resolve().parents[2] / "tiny-embed"


class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.query, self.key, self.value, self.output = (nn.Linear(WIDTH, WIDTH) for _ in range(4))
        self.inner, self.outer = nn.Linear(WIDTH, INNER), nn.Linear(INNER, WIDTH)
        self.attention_norm, self.norm = (nn.LayerNorm(WIDTH, LAYER_NORM_EPS) for _ in range(2))

    def forward(self, states, mask):
        """`states` is `[pairs × tokens × width]`, `mask` is added to the scores: `[pairs × 1 × tokens × tokens]`."""
        heads = [part(states).unflatten(-1, (HEADS, -1)).transpose(1, 2) for part in (self.query, self.key, self.value)]
        mixed = functional.scaled_dot_product_attention(*heads, attn_mask=mask).transpose(1, 2).flatten(2)
        states = self.attention_norm(states + self.output(mixed))
        return self.norm(states + self.outer(functional.gelu(self.inner(states))))


class Reranker(nn.Module):
    def __init__(self, vocabulary_size, max_length):
        super().__init__()
        self.words, self.places = nn.Embedding(vocabulary_size, WIDTH), nn.Embedding(max_length, WIDTH)
        self.norm = nn.LayerNorm(WIDTH, LAYER_NORM_EPS)
        self.reading = nn.ModuleList(Layer() for _ in range(READING_LAYERS))
        self.texts = nn.Embedding(2, WIDTH)
        self.comparing = nn.ModuleList(Layer() for _ in range(COMPARING_LAYERS))
        self.pooler, self.classifier = nn.Linear(WIDTH, WIDTH), nn.Linear(WIDTH, 1)
        for module in (self.texts, *(part for layer in self.comparing for part in layer.modules())):
            if isinstance(module, (nn.Linear, nn.Embedding)):
                nn.init.normal_(module.weight, std=0.05)
        for layer in self.comparing:
            # With equal queries and keys, a token attends to the same token in the other text from the first step on.
            layer.query.weight.data.mul_(1.5)
            layer.key.weight.data.copy_(layer.query.weight.data)

    def read(self, input_ids, attention_mask, token_type_ids):
        """States of all tokens, each text read by itself."""
        apart = token_type_ids[:, :, None] == token_type_ids[:, None, :]
        seen = (apart & (attention_mask[:, None, :] > 0))[:, None]
        lengths = ((1 - token_type_ids) * attention_mask).sum(1, keepdim=True)
        counts = torch.arange(input_ids.shape[1])
        places = (counts[None, :] - token_type_ids * (lengths - 1)) * attention_mask
        states = self.norm(self.words(input_ids) + self.places(places))
        mask = (~seen).to(states.dtype) * -1e4
        for layer in self.reading:
            states = layer(states, mask)
        return states

    def compare(self, states, attention_mask, token_type_ids):
        """`[pairs × width]`."""
        mask = (1 - attention_mask[:, None, None, :]).to(states.dtype) * -1e4
        states = states + self.texts(token_type_ids)
        for layer in self.comparing:
            states = layer(states, mask)
        return torch.tanh(self.pooler(states[:, 0]))

    def forward(self, input_ids, attention_mask, token_type_ids):
        """Logits, `[pairs × 1]`."""
        states = self.read(input_ids, attention_mask, token_type_ids)
        return self.classifier(self.compare(states, attention_mask, token_type_ids))


def start_from_embed(model):
    """Takes tiny-embed's weights, which only its graph has: matrices by the names of their nodes, all else by their own."""
    graph = onnx.load(str(EMBED / "onnx" / "model.onnx")).graph
    values = {tensor.name: torch.from_numpy(numpy_helper.to_array(tensor).copy()) for tensor in graph.initializer}
    named = {name: value for name, value in values.items() if name.startswith("bert.")}
    for node in graph.node:
        if node.op_type == "MatMul" and node.input[1] in values:
            named[node.name.removesuffix("/MatMul").strip("/").replace("/", ".") + ".weight"] = values[node.input[1]].T
    names = {"words": "embeddings.word_embeddings", "places": "embeddings.position_embeddings", "norm": "embeddings.LayerNorm"}
    parts = {
        "query": "attention.self.query", "key": "attention.self.key", "value": "attention.self.value", "output": "attention.output.dense",
        "attention_norm": "attention.output.LayerNorm", "inner": "intermediate.dense", "outer": "output.dense", "norm": "output.LayerNorm",
    }
    state = {}
    for ours, theirs in names.items():
        for kind in ("weight", "bias") if ours == "norm" else ("weight",):
            state[f"{ours}.{kind}"] = named[f"bert.{theirs}.{kind}"]
    # To tiny-embed all texts are of the first type.
    state["words.weight"] = state["words.weight"] + named["bert.embeddings.token_type_embeddings.weight"][0]
    for index in range(READING_LAYERS):
        for ours, theirs in parts.items():
            for kind in ("weight", "bias"):
                state[f"reading.{index}.{ours}.{kind}"] = named[f"bert.encoder.layer.{index}.{theirs}.{kind}"]
    missing, _ = model.load_state_dict(state, strict=False)
    assert not [name for name in missing if name.startswith(("words", "places", "norm", "reading"))], missing
