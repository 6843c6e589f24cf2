"""Contrastive training: texts of one meaning come together, those of its neighbours are pushed away.

While training, linear heads read the parts of the meaning from the vector, and from the words of shapes their colors and
sides: otherwise it takes very long until "a red circle above a blue square" is more than a bag of words.
"""

import math
import time

import torch
from tokenizers import Tokenizer
from torch import nn
from torch.nn import functional
from transformers import BertConfig, BertModel

from build_tokenizer import MAX_LENGTH
from meanings import COLORS, SLOTS, MeaningMaker, bindings_of, slots_of

DIMENSIONS = [32, 64, 128]
SCALE = 20.0
# The kinds that are hardest: their neighbors have the same words.
BOUND_KINDS = ["pair", "both", "event"]
PREFIXES = ("query: ", "passage: ")


def create_model(vocabulary_size):
    config = BertConfig(
        vocab_size=vocabulary_size, hidden_size=DIMENSIONS[-1], num_hidden_layers=3, num_attention_heads=4, intermediate_size=384, max_position_embeddings=MAX_LENGTH,
        hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0, initializer_range=0.05, pad_token_id=0, matryoshka_dimensions=DIMENSIONS, attn_implementation="eager",
    )
    return BertModel(config, add_pooling_layer=False)


def embed(model, tokenizer, texts, bindings, rows=32):
    """`[texts × 128]` means of the last layer, not normalized; and the states and labels of the words in `bindings`.

    Texts of like length are padded together.
    """
    encodings = tokenizer.encode_batch(texts)
    order = sorted(range(len(texts)), key=lambda index: len(encodings[index].ids))
    means, states, labels = [], [], []
    for start in range(0, len(order), rows):
        chunk = order[start : start + rows]
        ids = nn.utils.rnn.pad_sequence([torch.tensor(encodings[index].ids) for index in chunk], batch_first=True)
        mask = (ids != 0).long()
        hidden = model(input_ids=ids, attention_mask=mask).last_hidden_state
        weights = mask.unsqueeze(-1).float()
        means.append((hidden * weights).sum(1) / weights.sum(1))
        places = [(row, at, bindings[index][token]) for row, index in enumerate(chunk) for at, token in enumerate(encodings[index].tokens) if token in bindings[index]]
        states.append(hidden[[row for row, _, _ in places], [at for _, at, _ in places]])
        labels += [label for _, _, label in places]
    return torch.cat(means)[torch.tensor(order).argsort()], torch.cat(states), torch.tensor(labels)


class Heads(nn.Module):
    """What a vector says about slots, or a word about its binding; only training needs it."""

    def __init__(self, sizes):
        super().__init__()
        self.sizes = list(sizes)
        self.linear = nn.Linear(DIMENSIONS[-1], sum(self.sizes))

    def loss(self, vectors, labels):
        """`labels`: `[vectors × sizes]`, −1 where there is none."""
        losses = [
            functional.cross_entropy(scores, label, ignore_index=-1)
            for scores, label in zip(self.linear(vectors).split(self.sizes, dim=1), labels.T)
            if (label >= 0).any()
        ]
        return sum(losses) / len(losses) if losses else torch.zeros(())


class BatchMaker:
    """Batches of few kinds, so that a meaning's fellows are its neighbours too."""

    def __init__(self, seed, size):
        self.maker = MeaningMaker(seed)
        self.size = size

    def next(self):
        maker, rng = self.maker, self.maker.random
        kinds = [*rng.sample(maker.kinds, 2), rng.choice(BOUND_KINDS)]
        keys, sides, others = [], ([], []), []
        other_keys = []
        while len(keys) < self.size:
            length = 1 if rng.random() < 0.9 else rng.randint(2, 6)
            key = [maker.draw(rng.choice(kinds)) for _ in range(length)]
            if key in keys:
                # A kind of few meanings is soon used up.
                kinds.append(rng.choice(maker.kinds))
                continue
            changed = list(key)
            at = rng.randrange(length)
            changed[at] = maker.neighbour(key[at])
            keys.append(key)
            other_keys.append(changed)
            prefixed = rng.random() < 0.3
            for side, prefix in zip(sides, PREFIXES):
                side.append((prefix if prefixed else "") + self._word(key))
            others.append((PREFIXES[1] if prefixed else "") + self._word(changed))
        same = torch.tensor([[key == other for other in other_keys] for key in keys])
        meanings = [key[0] if len(key) == 1 else None for key in keys + keys + other_keys]
        return sides[0] + sides[1] + others, same, meanings

    def _word(self, key):
        return " ".join(self.maker.word(meaning) + ("" if len(key) == 1 else ".") for meaning in key)


def loss_of(embeddings, same):
    """InfoNCE in both directions with the neighbours as further negatives, over all sizes of the vector."""
    count = same.shape[0]
    target = torch.arange(count)
    total = 0
    for dimension in DIMENSIONS:
        unit = functional.normalize(embeddings[:, :dimension], dim=-1)
        left, right, other = unit.split(count)
        strange = (SCALE * left @ other.T).masked_fill(same, -1e4)
        mirrored = (SCALE * right @ other.T).masked_fill(same, -1e4)
        scores = SCALE * left @ right.T
        total = total + functional.cross_entropy(torch.cat([scores, strange], 1), target)
        total = total + functional.cross_entropy(torch.cat([scores.T, mirrored], 1), target)
    return total / (2 * len(DIMENSIONS))


def train(folder, steps, seed, threads, report):
    """Trains and gives the model."""
    torch.manual_seed(seed)
    torch.set_num_threads(threads)
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.enable_truncation(MAX_LENGTH)
    model = create_model(tokenizer.get_vocab_size())
    report(f"{sum(weights.numel() for weights in model.parameters()):,} parameters")
    batches = BatchMaker(seed, size=64)
    slot_heads, word_heads = Heads(SLOTS.values()), Heads([len(COLORS), 2])
    weights = [*model.parameters(), *slot_heads.parameters(), *word_heads.parameters()]
    optimizer = torch.optim.AdamW(weights, lr=0.0, weight_decay=0.01, betas=(0.9, 0.98))
    start, average = time.monotonic(), None
    for step in range(1, steps + 1):
        rate = 2e-3 * min(1, step / 100) * (0.5 + 0.5 * math.cos(math.pi * (step - 1) / steps))
        for group in optimizer.param_groups:
            group["lr"] = rate
        texts, same, meanings = batches.next()
        embeddings, states, labels = embed(model, tokenizer, texts, [bindings_of(meaning) if meaning else {} for meaning in meanings])
        contrast = loss_of(embeddings, same)
        slots = slot_heads.loss(embeddings, torch.tensor([slots_of(meaning) if meaning else [-1] * len(SLOTS) for meaning in meanings]))
        words = word_heads.loss(states, labels) if len(labels) else 0
        optimizer.zero_grad(set_to_none=True)
        (contrast + slots + words).backward()
        nn.utils.clip_grad_norm_(weights, 1.0)
        optimizer.step()
        average = contrast.item() if average is None else 0.98 * average + 0.02 * contrast.item()
        if step % 50 == 0:
            report(f"step {step}, {time.monotonic() - start:.0f} s, loss {average:.3f}")
    return model.eval()
