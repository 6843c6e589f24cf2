"""Trains the detector from scratch on generated scenes, within a time budget."""

import argparse
import math
import random
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch

from loss import loss_of
from model import Detector, ModelConfig, load, save
from scenes import training_scene

MINUTES = 35
RATE, DECAY = 2.5e-3, 0.02
WARM_STEPS = 200
EMA_DECAY = 0.999


# Small batches while there is much to learn, so that a slow machine still takes many steps; then batches of twice the size.
LATE = 0.5
USES = 5


@dataclass(frozen=True)
class Format:
    """A side of the pictures with a batch that takes about the same time as any other format's."""

    side: int
    batch: int
    share: float
    capacity: int


# Mostly small pictures, which show the most shapes in a second; large ones, so that large shapes are seen in pixels too.
FORMATS = [
    Format(256, 8, share=0.35, capacity=4000),
    Format(384, 4, share=0.3, capacity=1500),
    Format(640, 2, share=0.35, capacity=1000),
]


class Pool:
    """Scenes of one format. Painting takes time, so each one serves a few times, turned and mirrored."""

    def __init__(self, form, seed):
        self.form = form
        self.random = random.Random(seed)
        self.scenes, self.painted = [], 0
        for _ in range(4 * form.batch):
            self.paint()

    def paint(self):
        scene = training_scene(self.random.getrandbits(60), self.form.side)
        if len(self.scenes) < self.form.capacity:
            self.scenes.append(scene)
        else:
            self.scenes[self.painted % self.form.capacity] = scene
        self.painted += 1

    def turned(self, scene):
        pixels, boxes, labels = scene
        if self.random.random() < 0.5:
            pixels, boxes = pixels[:, ::-1], np.stack((self.form.side - boxes[:, 2], boxes[:, 1], self.form.side - boxes[:, 0], boxes[:, 3]), 1)
        if self.random.random() < 0.25:
            pixels, boxes = pixels[::-1], np.stack((boxes[:, 0], self.form.side - boxes[:, 3], boxes[:, 2], self.form.side - boxes[:, 1]), 1)
        if self.random.random() < 0.25:
            pixels, boxes = pixels.transpose(1, 0, 2), boxes[:, [1, 0, 3, 2]]
        return pixels, boxes, labels

    def batch(self, count):
        for _ in range(math.floor(count / USES + self.random.random())):
            self.paint()
        return collate([self.turned(scene) for scene in self.random.sample(self.scenes, count)])


def collate(scenes):
    """Images [batch, 3, side, side] from 0 to 1; boxes, labels and which are real, padded to the most shapes."""
    most = max(1, *(len(labels) for _, _, labels in scenes))
    images = torch.from_numpy(np.stack([pixels for pixels, _, _ in scenes])).permute(0, 3, 1, 2).float() / 255
    truth, labels = torch.zeros(len(scenes), most, 4), torch.zeros(len(scenes), most, dtype=torch.long)
    real = torch.zeros(len(scenes), most, dtype=torch.bool)
    for row, (_, boxes, numbers) in enumerate(scenes):
        truth[row, : len(boxes)] = torch.from_numpy(boxes).float()
        labels[row, : len(boxes)] = torch.from_numpy(numbers)
        real[row, : len(boxes)] = True
    return images, truth, labels, real


class Average:
    """The moving average of weights and statistics, which is what is kept."""

    def __init__(self, model):
        self.source = {name: value for name, value in model.state_dict().items() if value.is_floating_point()}
        self.values = {name: value.clone() for name, value in model.state_dict().items()}

    def update(self, step):
        averages = [self.values[name] for name in self.source]
        torch._foreach_lerp_(averages, list(self.source.values()), 1 - min(EMA_DECAY, (step + 1) / (step + 10)))


def optimizer_for(model):
    kernels = [parameter for parameter in model.parameters() if parameter.ndim > 1]
    rest = [parameter for parameter in model.parameters() if parameter.ndim <= 1]
    return torch.optim.AdamW([{"params": kernels, "weight_decay": DECAY}, {"params": rest, "weight_decay": 0.0}], lr=RATE, betas=(0.9, 0.98))


def rate_at(progress, step):
    """Warm up, then fall along a cosine."""
    return RATE * min(1.0, (step + 1) / WARM_STEPS) * (0.01 + 0.99 * (1 + math.cos(math.pi * progress)) / 2)


def train(output, minutes=MINUTES, seed=0, threads=1, log=print, start=None):
    torch.set_num_threads(threads)
    torch.manual_seed(seed)
    model = (load(start) if start else Detector(ModelConfig())).to(memory_format=torch.channels_last).train()
    optimizer, average = optimizer_for(model), Average(model)
    chooser, pools = random.Random(seed), [Pool(form, seed + 1 + index) for index, form in enumerate(FORMATS)]
    log(f"{sum(parameter.numel() for parameter in model.parameters())} parameters")
    began, saved, step, seen, recent = time.time(), time.time(), 0, 0, []
    while (progress := (time.time() - began) / (60 * minutes)) < 1:
        for group in optimizer.param_groups:
            group["lr"] = rate_at(progress, step)
        pool = chooser.choices(pools, [form.share for form in FORMATS])[0]
        images, truth, labels, real = pool.batch(pool.form.batch * (1 if progress < LATE else 2))
        loss, shown = loss_of(model, images.contiguous(memory_format=torch.channels_last), truth, labels, real)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 10.0)
        optimizer.step()
        optimizer.zero_grad()
        average.update(step)
        step, seen = step + 1, seen + len(images)
        recent.append(shown)
        if step % 100 == 0:
            box, shape, color = np.mean(recent, 0)
            log(f"step {step} {time.time() - began:.0f}s {seen} pictures, losses: box {box:.4f} shape {shape:.4f} color {color:.4f}")
            recent = []
        if time.time() - saved > 120:
            save(output, model, average.values, step)
            saved = time.time()
    save(output, model, average.values, step)
    log(f"done: {step} steps, {seen} pictures")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("output", type=Path)
    parser.add_argument("--minutes", type=float, default=MINUTES)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--start", type=Path, help="weights to go on from")
    options = parser.parse_args()
    train(options.output, options.minutes, options.seed, options.threads, lambda text: print(text, flush=True), options.start)
