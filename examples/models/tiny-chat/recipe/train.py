"""Trains the model from scratch on an endless stream of generated dialogues, within a time budget."""

import argparse
import random
import time
from dataclasses import dataclass
from pathlib import Path

import torch
from tokenizers import Tokenizer
from torch.nn import functional

from dialogues import DialogueMaker
from model import ChatModel, ModelConfig
from template import Encoder

WINDOW = 64
MAX_LENGTH = 2040
# Small batches, so that a slow machine still takes many steps; larger ones at the end, where the gradient is mostly noise.
TOKENS_PER_BATCH, LATE_TOKENS_PER_BATCH = 2048, 4096
POOL = 256
MUON_RATE = 6e-3
ADAM_RATE = 4e-3
EMA_DECAY = 0.998
# A copy is a repetition, and the default sampling punishes those: the margins have to be learned under the penalty itself.
PENALTIES = [(1.0, 0.25), (1.1, 0.6), (1.2, 0.15)]
OTHER_SHARE, OTHER_WEIGHT = 0.15, 0.1


def log(text):
    print(text, flush=True)


@dataclass(frozen=True)
class Stage:
    """What the dialogues of one stage of the training are like."""

    name: str
    minutes: float
    tool_share: float
    closing_sums: float
    long_share: float
    short_until: float = 0.0
    recall: float = 0.0
    unmatched: float = 0.0
    larger_batches_from: float = 1.0
    fall_from: float = 1.0


# Tools first: copying letter by letter is learned there, and needs the most text. Then all skills in balance, and at last what was still rare.
STAGES = [
    Stage("copying", 12, tool_share=0.55, closing_sums=0.0, long_share=0.03, short_until=0.5),
    Stage("all skills", 11, tool_share=0.38, closing_sums=0.3, long_share=0.015),
    Stage("finish", 32.5, tool_share=0.36, closing_sums=0.35, long_share=0.015, recall=0.4, unmatched=0.05, larger_batches_from=0.75, fall_from=0.15),
    Stage("more tools", 26, tool_share=0.5, closing_sums=0.3, long_share=0.01, recall=0.3, unmatched=0.05, larger_batches_from=0.6, fall_from=0.0),
    Stage("once more, at full rate", 22, tool_share=0.5, closing_sums=0.25, long_share=0.01, recall=0.3, unmatched=0.07, larger_batches_from=0.0),
    Stage("slowly to rest", 95, tool_share=0.48, closing_sums=0.3, long_share=0.012, recall=0.35, unmatched=0.07, larger_batches_from=0.0, fall_from=0.0),
]


class Stream:
    """Batches of dialogues of similar length; `progress` runs from 0 to 1 over the stage."""

    def __init__(self, tokenizer, seed, stage):
        self.maker = DialogueMaker(seed)
        self.random = random.Random(seed + 1)
        self.encoder = Encoder(tokenizer)
        self.stage = stage
        self.progress = 0.0

    def sample(self):
        stage, short = self.stage, self.progress < self.stage.short_until
        exchanges = self.random.choice([1, 1, 2]) if short else self.random.randint(12, 40) if self.random.random() < stage.long_share else None
        messages, tools, chosen = self.maker.dialogue(exchanges, stage.tool_share, 2 if short else 4, stage.closing_sums, stage.recall, stage.unmatched)
        ids, mask = self.encoder.encode(messages, tools)
        while len(ids) > MAX_LENGTH:
            chosen = chosen[: max(1, len(chosen) * MAX_LENGTH // len(ids))]
            messages = [message for message in messages if message["role"] in ("system", "developer")]
            for exchange in chosen:
                messages = messages + exchange.messages
            ids, mask = self.encoder.encode(messages, tools)
        return ids, mask

    def batches(self):
        while True:
            pool = sorted((self.sample() for _ in range(POOL)), key=lambda sample: len(sample[0]))
            batches, batch = [], []
            budget = TOKENS_PER_BATCH if self.progress < self.stage.larger_batches_from else LATE_TOKENS_PER_BATCH
            for sample in pool:
                if batch and (len(batch) + 1) * len(sample[0]) > budget:
                    batches.append(batch)
                    batch = []
                batch.append(sample)
            batches.append(batch)
            self.random.shuffle(batches)
            yield from batches


def collate(batch):
    length = max(len(ids) for ids, _ in batch)
    tokens = torch.zeros(len(batch), length, dtype=torch.long)
    taught = torch.zeros(len(batch), length, dtype=torch.bool)
    real = torch.zeros(len(batch), length, dtype=torch.bool)
    for row, (ids, mask) in enumerate(batch):
        tokens[row, : len(ids)] = torch.tensor(ids)
        taught[row, : len(ids)] = torch.tensor(mask)
        real[row, : len(ids)] = True
    return tokens, taught, real


def penalise(logits, windows, penalty):
    """The sampler's repeat penalty: every token of the window once, `penalty` one value per row."""
    strength = penalty[:, None].expand(windows.shape)
    factors = torch.where(logits.detach().gather(1, windows) > 0, 1 / strength, strength)
    return logits * torch.ones_like(logits).scatter_(1, windows, factors)


def windows_at(tokens, rows, columns):
    """The last tokens up to and with each position, filled up with token 0, which is never written."""
    padded = functional.pad(tokens, (WINDOW - 1, 0))
    return padded.unfold(1, WINDOW, 1)[rows, columns]


def draw_penalties(count):
    values, shares = zip(*PENALTIES)
    return torch.tensor(values)[torch.multinomial(torch.tensor(shares), count, replacement=True)]


def loss_of(model, tokens, taught, real):
    """Loss on the assistant's tokens under a repeat penalty, plus a little on a sample of all others."""
    with torch.autocast("cpu", torch.bfloat16):
        hidden = model.hidden(tokens[:, :-1])
    rows, columns = taught[:, 1:].nonzero(as_tuple=True)
    penalty = draw_penalties(tokens.shape[0])[rows]
    logits = model.logits(hidden[rows, columns].float())
    logits = penalise(logits, windows_at(tokens[:, :-1], rows, columns), penalty)
    loss = functional.cross_entropy(logits, tokens[rows, columns + 1])
    others = real[:, 1:] & ~taught[:, 1:] & (torch.rand(real[:, 1:].shape) < OTHER_SHARE)
    rows, columns = others.nonzero(as_tuple=True)
    rest = functional.cross_entropy(model.logits(hidden[rows, columns].float()), tokens[rows, columns + 1])
    return loss + OTHER_WEIGHT * rest, loss.item()


def optimizers_for(model):
    matrices = [p for name, p in model.named_parameters() if p.ndim == 2 and "embedding" not in name]
    rest = [p for name, p in model.named_parameters() if not (p.ndim == 2 and "embedding" not in name)]
    muon = torch.optim.Muon(matrices, lr=MUON_RATE, weight_decay=0.01, adjust_lr_fn="match_rms_adamw")
    adam = torch.optim.AdamW(rest, lr=ADAM_RATE, betas=(0.9, 0.95), weight_decay=0.0)
    return [(muon, MUON_RATE), (adam, ADAM_RATE)]


def rate_at(progress, step, fall_from):
    """Warm up, hold, then fall to nothing."""
    return min(1.0, (step + 1) / 50) * (1.0 if progress < fall_from else max(0.01, (1 - progress) / (1 - fall_from)))


def save(path, config, parameters, averages, step):
    names = [name for name, _ in parameters]
    torch.save({"config": config.__dict__, "weights": dict(zip(names, averages)), "step": step}, path)


def train_stage(stage, tokenizer_path, output, minutes, seed=0, threads=2, start=None):
    """One stage; `start` is the checkpoint of the stage before."""
    torch.set_num_threads(threads)
    torch.manual_seed(seed)
    tokenizer = Tokenizer.from_file(str(tokenizer_path))
    config = ModelConfig(vocab_size=tokenizer.get_vocab_size())
    model = ChatModel(config)
    if start:
        model.load_state_dict(torch.load(start)["weights"])
    parameters = list(model.named_parameters())
    weights = [parameter.data for _, parameter in parameters]
    averages = [weight.clone() for weight in weights]
    optimizers = optimizers_for(model)
    log(f"{sum(weight.numel() for weight in weights)} parameters, {config.vocab_size} tokens")
    stream = Stream(tokenizer, seed, stage)
    batches, began, saved, step, seen, recent = stream.batches(), time.time(), time.time(), 0, 0, []
    while (progress := (time.time() - began) / (60 * minutes)) < 1:
        stream.progress = progress
        for optimizer, rate in optimizers:
            for group in optimizer.param_groups:
                group["lr"] = rate * rate_at(progress, step, stage.fall_from)
        batch = collate(next(batches))
        loss, shown = loss_of(model, *batch)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        for optimizer, _ in optimizers:
            optimizer.step()
            optimizer.zero_grad()
        torch._foreach_lerp_(averages, weights, 1 - min(EMA_DECAY, (step + 1) / (step + 10)))
        step, seen = step + 1, seen + batch[0].numel()
        recent.append(shown)
        if step % 50 == 0:
            spent = time.time() - began
            log(f"step {step} {spent:.0f}s {seen / 1e6:.2f}M tokens {seen / spent:.0f}/s loss {sum(recent) / len(recent):.4f}")
            recent = []
        if time.time() - saved > 120:
            save(output, config, parameters, averages, step)
            saved = time.time()
    save(output, config, parameters, averages, step)
    log(f"done: {step} steps, {seen} tokens")


def train(tokenizer_path, output, scale=1.0, seed=0, threads=2, first_stage=0, start=None):
    """All stages, one after the other; `scale` stretches or shortens their times."""
    for index, stage in enumerate(STAGES[first_stage:], first_stage):
        log(f"stage {stage.name}")
        train_stage(stage, tokenizer_path, output, scale * stage.minutes, seed + 1000 * index, threads, start)
        start = output


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tokenizer", type=Path, default=Path(__file__).parent.parent / "tokenizer.json")
    parser.add_argument("--output", type=Path, required=True)
    parser.add_argument("--scale", type=float, default=1.0, help="factor on the time of every stage")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--first-stage", type=int, default=0)
    parser.add_argument("--start", type=Path, help="weights to go on from")
    options = parser.parse_args()
    train(options.tokenizer, options.output, options.scale, options.seed, options.threads, options.first_stage, options.start)
