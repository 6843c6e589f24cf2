"""Trains the acoustic model on the teacher's lessons, within a time budget."""

import argparse
import math
import pickle
import random
import time
from pathlib import Path

import numpy as np
import torch

from model import Acoustic, ModelConfig, load, save
from phonemes import ALIASES, BORDER, VOCABULARY

MINUTES = 60
RATE, DECAY, WARM_STEPS, EMA_DECAY = 2e-3, 0.01, 200, 0.998
FRAMES_PER_BATCH = 2500
ALIAS_SHARE = 0.05
_REPLACED = {VOCABULARY[symbol]: [VOCABULARY[alias] for alias in aliases] for symbol, aliases in ALIASES.items()}


class Lessons:
    """The lessons in a folder, in batches of like length. Looks for new files at every round, since they may still be in the making."""

    def __init__(self, folder, seed, held_out=1):
        self.folder, self.random, self.held_out = Path(folder), random.Random(seed), held_out
        self.seen, self.lessons = set(), []

    def refresh(self):
        for path in sorted(self.folder.glob("lessons-*.pkl"))[self.held_out :]:
            if path not in self.seen:
                self.seen.add(path)
                self.lessons += pickle.loads(path.read_bytes())

    def round(self):
        self.refresh()
        order = sorted(self.lessons, key=lambda lesson: int(lesson.durations.sum()) * self.random.uniform(0.9, 1.1))
        batches, batch, longest = [], [], 0
        for lesson in order:
            longest = max(longest, int(lesson.durations.sum()))
            if batch and longest * (len(batch) + 1) > FRAMES_PER_BATCH:
                batches.append(batch)
                batch, longest = [], int(lesson.durations.sum())
            batch.append(lesson)
        batches.append(batch)
        self.random.shuffle(batches)
        return (collate(batch, self.random) for batch in batches)


def with_aliases(ids, rng):
    return [rng.choice(_REPLACED[symbol]) if symbol in _REPLACED and rng.random() < ALIAS_SHARE else symbol for symbol in ids.tolist()]


def collate(lessons, rng):
    """Tensors of a batch, padded."""
    count, symbols, frames = len(lessons), max(len(lesson.ids) for lesson in lessons), max(int(lesson.durations.sum()) for lesson in lessons)
    ids, durations = np.full((count, symbols), BORDER), np.zeros((count, symbols), np.int64)
    owner, known = np.zeros((count, frames), np.int64), np.zeros((count, frames, 1), np.float32)
    symbol_known = np.zeros((count, symbols, 1), np.float32)
    envelope, noise = np.zeros((count, 2 * frames, lessons[0].envelope.shape[1]), np.float32), np.zeros((count, 2 * frames, lessons[0].noise.shape[1]), np.float32)
    pitch, voiced = np.zeros((count, 2 * frames), np.float32), np.zeros((count, 2 * frames), np.float32)
    for row, lesson in enumerate(lessons):
        size, length = len(lesson.ids), int(lesson.durations.sum())
        ids[row, :size], durations[row, :size], symbol_known[row, :size] = with_aliases(lesson.ids, rng), lesson.durations, 1
        owner[row, :length], known[row, :length] = np.repeat(np.arange(size), lesson.durations), 1
        envelope[row, : 2 * length], noise[row, : 2 * length] = lesson.envelope, lesson.noise
        pitch[row, : 2 * length], voiced[row, : 2 * length] = lesson.pitch, lesson.voiced
    voice = np.array([lesson.voice for lesson in lessons])
    return [torch.from_numpy(values) for values in (voice, ids, durations, symbol_known, owner, known, envelope, noise, pitch, voiced)]


def loss_of(model, batch):
    """The loss and its parts."""
    voice, ids, durations, symbol_known, owner, known, envelope, noise, pitch, voiced = batch
    style = model.voices(voice)
    encodings, said = model.encode(ids, style, symbol_known)
    begins = torch.cumsum(durations, 1) - durations
    envelope_said, noise_said, pitch_said = (tracks.float() for tracks in model.decode(encodings, owner, begins, durations, style, known))
    symbol_mask, half_mask = symbol_known[..., 0], known[..., 0].repeat_interleave(2, 1)
    wanted = durations.float()
    parts = {"duration": (((said.float() + 1).log() - (wanted + 1).log()).abs() * symbol_mask).sum() / symbol_mask.sum()}
    # Loud parts count more: nobody hears the floor.
    weight = half_mask[..., None] * (0.25 + torch.sigmoid((envelope + 12) / 2))
    weight = weight / weight.sum()
    parts["envelope"] = ((envelope_said - envelope).abs() * weight).sum()
    steps = (envelope_said.diff(dim=1) - envelope.diff(dim=1)).abs()
    parts["change"] = (steps * weight[:, 1:]).sum()
    voiced = voiced * half_mask
    loud = half_mask * (0.1 + voiced)
    parts["noise"] = ((noise_said - noise).abs() * loud[..., None]).sum() / loud.sum() / noise.shape[-1]
    parts["pitch"] = ((pitch_said - pitch).abs() * voiced).sum() / voiced.sum()
    total = parts["envelope"] + 0.5 * parts["change"] + 2 * parts["noise"] + 5 * parts["pitch"] + 2 * parts["duration"]
    return total, {name: float(part.detach()) for name, part in parts.items()}


class Average:
    """A running mean of the weights, which is what gets shipped."""

    def __init__(self, model):
        self.values = {name: value.detach().clone() for name, value in model.state_dict().items()}

    def update(self, model, step):
        decay = min(EMA_DECAY, (1 + step) / (10 + step))
        for name, value in model.state_dict().items():
            self.values[name].lerp_(value, 1 - decay)


def held_out_loss(model, folder):
    lessons = pickle.loads(sorted(Path(folder).glob("lessons-*.pkl"))[0].read_bytes())
    rng, sums = random.Random(0), {}
    with torch.no_grad():
        for begin in range(0, len(lessons), 20):
            for name, value in loss_of(model, collate(lessons[begin : begin + 20], rng))[1].items():
                sums[name] = sums.get(name, 0) + value
    return {name: value / math.ceil(len(lessons) / 20) for name, value in sums.items()}


def train(output, folder, minutes, seed, threads, log, start=None, rate=RATE):
    torch.set_num_threads(threads)
    torch.manual_seed(seed)
    model = load(start).train() if start else Acoustic(ModelConfig())
    log(f"{sum(value.numel() for value in model.parameters()):,} parameters")
    plain = [value for value in model.parameters() if value.ndim < 2]
    matrices = [value for value in model.parameters() if value.ndim >= 2]
    optimizer = torch.optim.AdamW([{"params": matrices, "weight_decay": DECAY}, {"params": plain, "weight_decay": 0}], lr=rate, betas=(0.9, 0.98))
    average, lessons = Average(model), Lessons(folder, seed)
    begun, step, saved, means = time.time(), 0, time.time(), {}
    while True:
        for batch in lessons.round():
            passed = (time.time() - begun) / 60 / minutes
            if passed >= 1:
                save(output, model, average.values, step)
                return
            for group in optimizer.param_groups:
                group["lr"] = rate * min(1, (step + 1) / WARM_STEPS) * (0.02 + 0.98 * (0.5 + 0.5 * math.cos(math.pi * passed)))
            with torch.autocast("cpu", torch.bfloat16):
                loss, parts = loss_of(model, batch)
            optimizer.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            step += 1
            average.update(model, step)
            for name, value in parts.items():
                means[name] = 0.98 * means.get(name, value) + 0.02 * value
            if step % 50 == 0:
                log(f"{(time.time() - begun) / 60:5.1f} min, step {step}, {len(lessons.lessons)} lessons: " + ", ".join(f"{name} {value:.4f}" for name, value in means.items()))
            if time.time() - saved > 120:
                save(output, model, average.values, step)
                saved = time.time()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("output", type=Path)
    parser.add_argument("lessons", type=Path)
    parser.add_argument("--minutes", type=float, default=MINUTES)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--rate", type=float, default=RATE)
    parser.add_argument("--start", type=Path, help="weights to go on from")
    options = parser.parse_args()
    train(options.output, options.lessons, options.minutes, options.seed, options.threads, lambda text: print(text, flush=True), options.start, options.rate)
    print(held_out_loss(load(options.output), options.lessons))
