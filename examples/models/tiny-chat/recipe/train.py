"""Trains the model from scratch on an endless stream of generated dialogues, within a time budget."""

import argparse
import random
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from tokenizers import Tokenizer
from torch import distributed, multiprocessing, nn
from torch.nn import functional

from bundles import Bundler
from dialogues import TALK, DialogueMaker
from exercises import Exercises
from model import LONG, ChatModel, ModelConfig

sys.path.append(str(Path(__file__).resolve().parents[2] / "tiny-rerank" / "recipe"))

from muon import Muon  # noqa: E402

MAX_LENGTH = 2040
SHORT_ROW = 200
# Processors without instructions for bfloat16 are faster in float32.
DTYPE = torch.bfloat16 if torch.ops.mkldnn._is_mkldnn_bf16_supported() else torch.float32
# Small batches, so that a slow machine still takes many steps; larger ones at the end, where the gradient is mostly noise.
TOKENS_PER_BATCH, LATE_TOKENS_PER_BATCH = 2048, 4096
POOL = 128
# Several processes train on rows of their own and average their weights after so many steps.
AVERAGE_EVERY = 16
MUON_RATE = 6e-3
ADAM_RATE = 4e-3
EMA_DECAY = 0.985
# A copy is a repetition, and the default sampling punishes those: the margins have to be learned under the penalty itself.
PENALTIES = [(1.0, 0.25), (1.1, 0.6), (1.2, 0.15)]
OTHER_SHARE, OTHER_WEIGHT = 0.15, 0.1
# Which heads (layer, heads) are led to look where, see `Bundler`. In a tool: from its noun and its parameters to the beginning of its name. In a request: from its noun to that of the tool,
# from the words for an argument to its parameter; from a value to its words or back, as from a shape to its color. In an answer: to both of the request, to the name that was just written,
# to the tool's name and parameters, to the values, and to the shape whose color is told.
LED_HEADS = {
    "anchor": (2, [2, 3]), "bind": (2, [4, 5]), "match": (3, [2, 3]), "mention": (3, [2, 3]), "noun": (4, [2, 3]), "said": (4, [2, 3]),
    "called": (4, [4, 5]), "owner": (4, [4, 5]), "tool": (5, [4, 5]), "copy": (5, [4, 5]),
    "parameter": (5, [4, 5]), "value": (5, [4, 5]), "object": (5, [1, 2]),
}
LED_WEIGHT = 0.1
# After which layer a state has to tell the tool or the parameter: its place among the others, and how its name begins.
TOLD_AFTER = {"begin": 1, "key": 1, "anchor": 2, "match": 3, "mention": 3, "noun": 4, "called": 4, "owner": 4, "parameter": 4}
TOLD_WEIGHT = 0.1
MOST_PLACES = 4
# Their own names begin with the answer.
BEGINNINGS = ("begin", "key")


def log(text):
    print(text, flush=True)


@dataclass(frozen=True)
class Stage:
    """The rows of one stage of the training, and its learning rate."""

    name: str
    minutes: float
    # Shares: of rows with tools, of dialogues that end in a sum, of rows as long as the context.
    tool_share: float
    closing_sums: float
    long_share: float
    # How often a told name is asked for, and how often something is wanted that no tool offers.
    recall: float = 0.0
    unmatched: float = 0.0
    # Parts of the stage: up to where tools are few and rows short, from where batches are larger and the learning rate falls.
    short_until: float = 0.0
    larger_batches_from: float = 1.0
    fall_from: float = 1.0
    # A factor on the learning rates.
    rate: float = 1.0
    # How often a dialogue has one, two, three, four to six exchanges.
    exchanges: tuple = (68, 18, 9, 5)
    # How often each kind of talk without tools comes, see `DialogueMaker.without_tools`.
    talk: tuple = TALK
    # Whether most tools have unusual names and several parameters.
    hard_tools: bool = False
    # How often the colors and shapes of given scenes are any words.
    strange: float = 0.05
    # The share of dialogues that stand as far from their tools as if much had been said before.
    apart: float = 0.0
    # The share of rows that are exercises of recall.
    exercises: float = 0.0


HARD_TOOLS = (4, 4, 4, 28, 22), (22, 44, 34), 0.68
# Copying letter by letter needs the most text and comes first. Then recall, which hardly begins without exercises. Then all skills, and at last slowly to rest.
STAGES = [
    Stage("copying", 15, tool_share=0.6, closing_sums=0.0, long_share=0.01, short_until=0.5),
    Stage("recall", 16, tool_share=0.4, closing_sums=0.1, long_share=0.0, exercises=0.6, talk=(8, 9, 60, 4, 14, 6, 3), strange=0.15, rate=0.6, apart=0.1),
    Stage("all skills", 100, tool_share=0.6, closing_sums=0.2, long_share=0.006, recall=0.3, unmatched=0.05, talk=(9, 11, 44, 4, 18, 8, 3), strange=0.12, exercises=0.15, hard_tools=True,
          rate=0.7, apart=0.3),
    Stage("slowly to rest", 60, tool_share=0.72, closing_sums=0.12, long_share=0.015, recall=0.2, unmatched=0.02, talk=(9, 11, 44, 4, 18, 7, 3), strange=0.12, exercises=0.15, hard_tools=True,
          rate=0.7, apart=0.3, exchanges=(58, 20, 12, 10), fall_from=0.0, larger_batches_from=0.5),
]


class Stream:
    """Batches of rows of similar length; `progress` runs from 0 to 1 over the stage."""

    def __init__(self, tokenizer, seed, stage):
        self.maker = DialogueMaker(seed)
        self.maker.talk, self.maker.strange = stage.talk, stage.strange
        if stage.hard_tools:
            self.maker.kinds_of_tools, self.maker.more_parameters, self.maker.optional = HARD_TOOLS
        self.random = random.Random(seed + 1)
        self.bundler, self.exercises = Bundler(tokenizer), Exercises(tokenizer, seed + 2)
        self.stage = stage
        self.progress = 0.0

    def sample(self):
        stage, short, rng = self.stage, self.progress < self.stage.short_until, self.random
        long = not short and rng.random() < stage.long_share
        if rng.random() < stage.exercises:
            return self.exercises.row(SHORT_ROW)
        tools = []
        if rng.random() < stage.tool_share:
            tools = self.maker.tools(rng.choices([1, 2, 3, 4], [18, 32, 30, 20])[0] if not short else rng.choice([1, 2]))
        prompt = self.maker.prompt_messages()
        conversations = []
        for _ in range(1 if long else 14 if tools else 24):
            exchanges = rng.randint(12, 40) if long else rng.choices([1, 2, 3, rng.randint(4, 6)], stage.exchanges)[0]
            conversations.append(self.maker.conversation(tools, exchanges, stage.closing_sums, stage.recall, stage.unmatched))
        gaps = [rng.randint(0, 1400) if tools and not long and rng.random() < stage.apart else 0 for _ in conversations]
        return self.bundler.row(prompt, tools, conversations, MAX_LENGTH if long else rng.randint(400, 640) if tools else SHORT_ROW, gaps)

    def batches(self):
        while True:
            pool = sorted((self.sample() for _ in range(POOL)), key=lambda row: len(row.ids))
            batches, batch = [], []
            budget = TOKENS_PER_BATCH if self.progress < self.stage.larger_batches_from else LATE_TOKENS_PER_BATCH
            for sample in pool:
                if batch and ((len(batch) + 1) * len(sample.ids) > budget or len(batch[-1].ids) <= LONG < len(sample.ids)):
                    batches.append(batch)
                    batch = []
                batch.append(sample)
            batches.append(batch)
            self.random.shuffle(batches)
            yield from batches


@dataclass
class Batch:
    tokens: torch.Tensor
    positions: torch.Tensor
    branch: torch.Tensor
    taught: torch.Tensor
    windows: torch.Tensor
    hints: dict


def collate(rows):
    length = max(len(row.ids) for row in rows)
    tokens, positions = torch.zeros(len(rows), length, dtype=torch.long), torch.zeros(len(rows), length, dtype=torch.long)
    branch, taught = torch.full((len(rows), length), -1), torch.zeros(len(rows), length, dtype=torch.bool)
    hints = {kind: [] for kind in [*LED_HEADS, *TOLD_AFTER]}
    for index, row in enumerate(rows):
        tokens[index, : len(row.ids)] = torch.tensor(row.ids)
        positions[index, : len(row.ids)] = torch.tensor(row.positions)
        branch[index, : len(row.ids)] = torch.tensor(row.branch)
        taught[index, : len(row.ids)] = torch.tensor(row.taught)
        for hint in row.hints:
            hints[hint.kind].append((index, hint.query, hint.target, hint.first, hint.order))
    windows = torch.from_numpy(np.stack([window for row in rows for window in row.windows]))
    return Batch(tokens, positions, branch, taught, windows, {kind: torch.tensor(list) for kind, list in hints.items() if list})


def attention_bias(branch, heads, dtype):
    """Every token sees the shared part and its own branch, up to itself."""
    length = branch.shape[1]
    seen = (branch[:, None, :] == 0) | (branch[:, None, :] == branch[:, :, None])
    seen = seen & torch.ones(length, length, dtype=torch.bool).tril()
    bias = torch.zeros(seen.shape, dtype=dtype).masked_fill_(~seen, -1e9)
    return bias.repeat_interleave(heads, 0)


def penalise(logits, windows, penalty):
    """The sampler's repeat penalty: every token of the window once, `penalty` one value per row."""
    strength = penalty[:, None].expand(windows.shape)
    factors = torch.where(logits.detach().gather(1, windows) > 0, 1 / strength, strength)
    return logits * torch.ones_like(logits).scatter_(1, windows, factors)


def draw_penalties(count):
    values, shares = zip(*PENALTIES)
    return torch.tensor(values)[torch.multinomial(torch.tensor(shares), count, replacement=True)]


def led_loss(model, hints):
    """How little the chosen heads look at what they should, each kind on the average."""
    losses = {}
    for layer, block in enumerate(model.blocks):
        kinds = [kind for kind, (place, _) in LED_HEADS.items() if place == layer and kind in hints]
        if block.kept_weights is None or not kinds:
            continue
        # One look for all kinds, since each costs a gradient as large as the attention.
        rows, queries, targets, _, _ = torch.cat([hints[kind] for kind in kinds]).unbind(1)
        for kind, seen in zip(kinds, block.kept_weights[rows, :, queries, targets].float().split([len(hints[kind]) for kind in kinds])):
            losses[kind] = -(seen[:, LED_HEADS[kind][1]].mean(1) + 1e-4).log().mean()
    return losses


class Probes(nn.Module):
    """Read from inner states which tool or parameter is meant, so that the layers learn to hand that on. Thrown away after the training."""

    def __init__(self, size):
        super().__init__()
        self.first = nn.ModuleDict({kind: nn.Linear(size, size, bias=False) for kind in TOLD_AFTER})
        self.order = nn.ModuleDict({kind: nn.Linear(size, MOST_PLACES, bias=False) for kind in TOLD_AFTER})

    def forward(self, model, hints):
        losses = {}
        for kind, layer in TOLD_AFTER.items():
            if kind not in hints:
                continue
            rows, queries, _, first, order = hints[kind].unbind(1)
            state = model.kept_states[layer][rows, queries].float()
            state = functional.rms_norm(state, state.shape[-1:])
            losses[f"{kind}_order"] = functional.cross_entropy(self.order[kind](state), order)
            if kind not in BEGINNINGS:
                losses[f"{kind}_first"] = functional.cross_entropy(self.first[kind](state) @ model.embedding.weight.detach().T, first)
        return losses


def loss_of(model, probes, batch):
    """Loss on the assistant's tokens under a repeat penalty, plus a little on a sample of all others and on where it looks."""
    length = batch.tokens.shape[1]
    branched = length <= LONG
    bias = attention_bias(batch.branch, model.config.heads, DTYPE) if branched else None
    with torch.autocast("cpu", DTYPE, enabled=DTYPE == torch.bfloat16), torch.compiler.set_stance("default" if branched else "force_eager"):
        hidden = model.hidden(batch.tokens, batch.positions, bias)
    rows, columns = batch.taught.nonzero(as_tuple=True)
    penalty = draw_penalties(batch.tokens.shape[0])[rows]
    logits = penalise(model.logits(hidden[rows, columns - 1].float()), batch.windows, penalty)
    loss = functional.cross_entropy(logits, batch.tokens[rows, columns])
    follows = (batch.branch[:, 1:] == batch.branch[:, :-1]) & (batch.branch[:, 1:] >= 0)
    others = follows & ~batch.taught[:, 1:] & (torch.rand(follows.shape) < OTHER_SHARE)
    rows, columns = others.nonzero(as_tuple=True)
    rest = functional.cross_entropy(model.logits(hidden[rows, columns].float()), batch.tokens[rows, columns + 1])
    led, told = led_loss(model, batch.hints), probes(model, batch.hints)
    total = loss + OTHER_WEIGHT * rest + LED_WEIGHT * sum(led.values()) + TOLD_WEIGHT * sum(told.values())
    return total, {kind: value.item() for kind, value in {"loss": loss, **led, **told}.items()}


def optimizers_for(model, probes):
    matrices = [p for name, p in model.named_parameters() if p.ndim == 2 and "embedding" not in name]
    rest = [p for name, p in model.named_parameters() if not (p.ndim == 2 and "embedding" not in name)] + list(probes.parameters())
    muon = Muon(matrices, lr=MUON_RATE)
    adam = torch.optim.AdamW(rest, lr=ADAM_RATE, betas=(0.9, 0.95), weight_decay=0.0)
    return [(muon, MUON_RATE), (adam, ADAM_RATE)]


def rate_at(progress, step, fall_from):
    """Warm up, hold, then fall to nothing."""
    return min(1.0, (step + 1) / 50) * (1.0 if progress < fall_from else max(0.01, (1 - progress) / (1 - fall_from)))


def save(path, config, parameters, averages, step):
    names = [name for name, _ in parameters]
    torch.save({"config": config.__dict__, "weights": dict(zip(names, averages)), "step": step}, path)


def average(weights, progress):
    """Averages the weights over all processes, and gives all of them the same clock."""
    if not distributed.is_initialized():
        return progress
    flat = torch.cat([weight.flatten() for weight in weights] + [torch.tensor([progress])])
    distributed.all_reduce(flat)
    flat /= distributed.get_world_size()
    for weight, part in zip(weights, flat[:-1].split([weight.numel() for weight in weights])):
        weight.copy_(part.view_as(weight))
    return flat[-1].item()


def train_stage(stage, tokenizer_path, output, minutes, seed=0, rank=0, start=None):
    """One stage, in the process `rank`; `start` is the checkpoint of the stage before."""
    torch.set_num_threads(1)
    torch.manual_seed(seed)
    tokenizer = Tokenizer.from_file(str(tokenizer_path))
    config = ModelConfig(vocab_size=tokenizer.get_vocab_size())
    model = ChatModel(config)
    if start:
        model.load_state_dict(torch.load(start)["weights"])
    for block in model.blocks:
        block.compile(dynamic=True)
    parameters = list(model.named_parameters())
    weights = [parameter.data for _, parameter in parameters]
    averages = [weight.clone() for weight in weights]
    probes = Probes(config.hidden_size)
    optimizers = optimizers_for(model, probes)
    log(f"{sum(weight.numel() for weight in weights)} parameters, {config.vocab_size} tokens")
    seed += 500 * rank
    torch.manual_seed(seed)
    stream = Stream(tokenizer, seed, stage)
    batches, began, saved, step, seen, recent = stream.batches(), time.time(), time.time(), 0, 0, []
    while True:
        if step % AVERAGE_EVERY == 0:
            stream.progress = progress = average(weights, (time.time() - began) / (60 * minutes))
            if progress >= 1:
                break
        for optimizer, rate in optimizers:
            for group in optimizer.param_groups:
                group["lr"] = rate * stage.rate * rate_at(progress, step, stage.fall_from)
        batch = collate(next(batches))
        loss, shown = loss_of(model, probes, batch)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        for optimizer, _ in optimizers:
            optimizer.step()
            optimizer.zero_grad()
        torch._foreach_lerp_(averages, weights, 1 - min(EMA_DECAY, (step + 1) / (step + 10)))
        step, seen = step + 1, seen + batch.tokens.numel()
        recent.append(shown)
        if step % 50 == 0 and rank == 0:
            spent = time.time() - began
            means = [f"{kind} {np.mean([shown[kind] for shown in recent if kind in shown]):.4f}" for kind in dict.fromkeys(kind for shown in recent for kind in shown)]
            log(f"step {step} {spent:.0f}s {seen / 1e6:.2f}M tokens {seen / spent:.0f}/s {' '.join(means)}")
            recent = []
        if time.time() - saved > 90 and rank == 0:
            save(output, config, parameters, averages, step)
            saved = time.time()
    average(averages, progress)
    if rank == 0:
        save(output, config, parameters, averages, step)
    log(f"done: {step} steps, {seen} tokens")


def train_process(rank, processes, meeting, stages, seed, *arguments):
    """All stages in one of several processes, which meet at a file."""
    tokenizer_path, output, scale, start = arguments
    if processes > 1:
        distributed.init_process_group("gloo", init_method=f"file://{meeting}", rank=rank, world_size=processes)
    for index, stage in stages:
        if rank == 0:
            log(f"stage {stage.name}")
        train_stage(stage, tokenizer_path, output, scale * stage.minutes, seed + 1000 * index, rank, start)
        start = output


def train(tokenizer_path, output, scale=1.0, seed=0, processes=2, first_stage=0, start=None):
    """All stages, one after the other; `scale` stretches or shortens their times."""
    stages = list(enumerate(STAGES))[first_stage:]
    with tempfile.TemporaryDirectory() as folder:
        multiprocessing.spawn(train_process, (processes, Path(folder) / "meeting", stages, seed, tokenizer_path, output, scale, start), processes)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tokenizer", type=Path, default=Path(__file__).parent.parent / "tokenizer.json")
    parser.add_argument("--output", type=Path, required=True)
    parser.add_argument("--scale", type=float, default=1.0, help="factor on the time of every stage")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--processes", type=int, default=2, help="one processor each")
    parser.add_argument("--first-stage", type=int, default=0)
    parser.add_argument("--start", type=Path, help="weights to go on from")
    options = parser.parse_args()
    train(options.tokenizer, options.output, options.scale, options.seed, options.processes, options.first_stage, options.start)
