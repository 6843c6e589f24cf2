"""Training of the cross-encoder on lists: the document that answers comes first, and the score says by itself whether one answers.

The comparing layers learn first, upon what tiny-embed has learned; then all layers learn. A linear head also reads which parts
of the query the document has, since one bit a document teaches slowly. Only training needs it.
"""

import math
import time
from dataclasses import dataclass

import torch
from tokenizers import Tokenizer
from torch import nn
from torch.nn import functional

from model import EMBED, WIDTH, Reranker, start_from_embed
from muon import Muon
from queries import MAX_LENGTH, QueryMaker, agreement

PARTS = 5
# The kinds that are hardest: their negatives have the same words.
HARD_KINDS = ["pair", "both", "event"]
# The share of the steps in which tiny-embed's layers stay as they are.
FROZEN_SHARE = 0.3


@dataclass
class Pair:
    """`parts`: whether the document has each part of the query, −1 where that is unknown."""

    owner: int
    texts: tuple
    answers: float
    parts: list


class ListMaker:
    """Batches of lists: a query and 2 to 10 documents each."""

    def __init__(self, seed, lists):
        self.maker = QueryMaker(seed)
        self.lists = lists

    def next(self):
        maker, rng = self.maker, self.maker.random
        pairs = []
        for owner in range(self.lists):
            meaning = maker.draw(maker.pick(HARD_KINDS if rng.random() < 0.4 else maker.kinds))
            query, text = maker.query(meaning)
            right = rng.choices([0, 1, 2], [5, 85, 10])[0]
            for at in range(max(rng.randint(2, 10), right + 1)):
                stated = meaning if at < right else maker.other(query, meaning)
                row = agreement(query, stated) or {}
                pairs.append(Pair(owner, (text, maker.document(query, stated)), float(at < right), [float(row.get(index, -1)) for index in range(PARTS)]))
        return pairs


def pool(model, tokenizer, pairs, frozen, rows=48):
    """`[pairs × width]`. Pairs of like length are padded together."""
    encodings = tokenizer.encode_batch([pair.texts for pair in pairs])
    order = sorted(range(len(pairs)), key=lambda index: len(encodings[index].ids))
    columns = {"input_ids": "ids", "token_type_ids": "type_ids", "attention_mask": "attention_mask"}
    pooled = []
    for start in range(0, len(order), rows):
        chunk = [encodings[index] for index in order[start : start + rows]]
        inputs = {name: nn.utils.rnn.pad_sequence([torch.tensor(getattr(encoding, column)) for encoding in chunk], batch_first=True) for name, column in columns.items()}
        with torch.set_grad_enabled(not frozen):
            states = model.read(**inputs)
        del inputs["input_ids"]
        pooled.append(model.compare(states, **inputs))
    return torch.cat(pooled)[torch.tensor(order).argsort()]


def list_loss(logits, answers, owners):
    """Cross-entropy of each list's softmax with the right documents, over the lists that have any."""
    losses = []
    for owner in owners.unique():
        inside = owners == owner
        right = inside & (answers > 0)
        if right.any():
            losses.append(logits[inside].logsumexp(0) - logits[right].logsumexp(0))
    return sum(losses) / len(losses)


def part_loss(scores, parts):
    told = parts >= 0
    return functional.binary_cross_entropy_with_logits(scores[told], parts[told])


def train(steps, seed, threads, report):
    """Returns the trained model."""
    torch.manual_seed(seed)
    torch.set_num_threads(threads)
    tokenizer = Tokenizer.from_file(str(EMBED / "tokenizer.json"))
    tokenizer.enable_truncation(MAX_LENGTH, strategy="only_second")
    model = Reranker(tokenizer.get_vocab_size(), MAX_LENGTH)
    start_from_embed(model)
    report(f"{sum(weights.numel() for weights in model.parameters()):,} parameters")
    batches, head = ListMaker(seed, lists=24), nn.Linear(WIDTH, PARTS)
    optimizers = []
    # What tiny-embed has learned changes more slowly.
    for share, parts in [(0.3, [model.words, model.places, model.norm, model.reading]), (1, [model.texts, model.comparing, model.pooler, model.classifier, head])]:
        weights = [weight for part in parts for weight in part.parameters()]
        matrices = {id(weight): weight for part in parts if isinstance(part, nn.ModuleList) for weight in part.parameters() if weight.ndim == 2}
        optimizers.append((3e-3 * share, Muon(list(matrices.values()), lr=0.0)))
        optimizers.append((1.5e-3 * share, torch.optim.AdamW([weight for weight in weights if id(weight) not in matrices], lr=0.0, weight_decay=0.01, betas=(0.9, 0.98))))
    weights = [weight for _, optimizer in optimizers for group in optimizer.param_groups for weight in group["params"]]
    averages = {}
    for step in range(1, steps + 1):
        pairs = batches.next()
        pooled = pool(model, tokenizer, pairs, frozen=step < FROZEN_SHARE * steps)
        logits, answers = model.classifier(pooled).squeeze(1), torch.tensor([pair.answers for pair in pairs])
        losses = {
            "lists": list_loss(logits, answers, torch.tensor([pair.owner for pair in pairs])),
            "pairs": functional.binary_cross_entropy_with_logits(logits, answers),
            "parts": part_loss(head(pooled), torch.tensor([pair.parts for pair in pairs])),
        }
        sum(losses.values()).backward()
        nn.utils.clip_grad_norm_(weights, 1.0)
        for rate, optimizer in optimizers:
            for group in optimizer.param_groups:
                group["lr"] = rate * min(1, step / 100) * (0.5 + 0.5 * math.cos(math.pi * (step - 1) / steps))
            optimizer.step()
            optimizer.zero_grad(set_to_none=True)
        for name, loss in losses.items():
            averages[name] = 0.98 * averages.get(name, loss.item()) + 0.02 * loss.item()
        if step % 50 == 0:
            report(f"step {step}, {time.process_time():.0f} s, losses of " + ", ".join(f"{name} {value:.3f}" for name, value in averages.items()))
    return model.eval()
