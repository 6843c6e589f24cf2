"""Trains the four parts of the model, each within its own time, on pictures that are made up as it goes."""

import argparse
import math
import random
import time
from pathlib import Path

import numpy as np
import torch
from tokenizers import Tokenizer
from torch.nn import functional

from build_tokenizer import END
from layout import MOST, NUMBERS, lay_out
from model import FAINTNESS, SCALE, Model, ModelConfig, load, save_part
from prompts import PromptMaker, Strangeness
from schedule import MOST_NOISE
from shapes import SHAPES, Painter, pixel_middles

# On one free core.
MINUTES = {"planner": 12, "outline": 3, "clearer": 8, "decoder": 8}
RATES = {"planner": 2e-3, "outline": 4e-3, "clearer": 2e-3, "decoder": 3e-3}
BATCHES = {"planner": 192, "outline": 4096, "clearer": 16, "decoder": 24}
BUCKETS = 6
WARM_STEPS = 60
# For this share of the time numbers are short, which is faster.
ROUGH = 0.7
SAVED_EVERY = 120


class Plans:
    """Prompts with the plans of their pictures."""

    def __init__(self, tokenizer, seed):
        self.maker, self.strangeness, self.tokenizer, self.numbers = PromptMaker(seed), Strangeness(seed), tokenizer, np.random.default_rng(seed)
        self.end, self.waiting = tokenizer.token_to_id(END), []

    def sides(self):
        """Width and height over the shorter of them, as legal sizes have them."""
        rng = self.maker.random
        if rng.random() < 0.4:
            return 1.0, 1.0
        longest = rng.choice([2, 2, 8])
        short = rng.randint(4, 32)
        long = min(32, rng.randint(short, short * longest)) / short
        return (long, 1.0) if rng.random() < 0.5 else (1.0, long)

    def prompts(self, count):
        """Token ids [count, length] and pictures; of prompts of much the same length, since padding costs time."""
        if not self.waiting:
            texts, pictures = zip(*(self.maker.pair() for _ in range(BUCKETS * count)))
            encodings = self.tokenizer.encode_batch([self.strangeness.added_to(*pair) for pair in zip(texts, pictures)])
            drawn = sorted(zip(encodings, pictures), key=lambda pair: len(pair[0].ids))
            self.waiting = [drawn[start : start + count] for start in range(0, len(drawn), count)]
            self.maker.random.shuffle(self.waiting)
        encodings, pictures = zip(*self.waiting.pop())
        longest = max(len(encoding.ids) for encoding in encodings)
        return torch.tensor([encoding.ids + [self.end] * (longest - len(encoding.ids)) for encoding in encodings]), pictures

    def batch(self, count):
        ids, pictures = self.prompts(count)
        numbers = self.numbers.standard_normal((count, NUMBERS)).astype(np.float32)
        sides = [self.sides() for _ in range(count)]
        present, shapes, colors, places = torch.zeros(count, MOST), torch.zeros(count, MOST, dtype=torch.long), torch.zeros(count, MOST + 1, dtype=torch.long), torch.zeros(count, MOST, 4)
        for row, (picture, own, side) in enumerate(zip(pictures, numbers, sides)):
            layout = lay_out(picture, own, *side)
            there = len(layout.shapes)
            present[row, :there] = 1
            shapes[row, :there] = torch.from_numpy(layout.shapes)
            colors[row, :there], colors[row, MOST] = torch.from_numpy(layout.colors), layout.background
            places[row, :there] = torch.from_numpy(layout.places).float()
        return ids, torch.from_numpy(numbers), torch.tensor(sides), (present, shapes, colors, places)


def planner_lesson(model, tokenizer, seed):
    plans = Plans(tokenizer, seed)
    weights = torch.tensor([6.0, 6.0, 6.0, 3.0])

    def loss_of(batch):
        ids, numbers, sides, (present, shapes, colors, places) = plans.batch(batch)
        presence, shape, color, place = model.unet.planner(model.text_encoder(ids), numbers, sides)
        there = present > 0
        seen = torch.cat((there, torch.ones(batch, 1, dtype=torch.bool)), 1)
        wrong = functional.binary_cross_entropy_with_logits(presence, present)
        wrong_shape, wrong_color = functional.cross_entropy(shape[there], shapes[there]), functional.cross_entropy(color[seen], colors[seen])
        off = ((place[there] - places[there]).abs() * weights).mean()
        right = ((shape.argmax(-1) == shapes) | ~there).all(1) & ((color.argmax(-1) == colors) | ~seen).all(1) & ((presence > 0) == there).all(1)
        return wrong + wrong_shape + wrong_color + off, {"presence": wrong, "shape": wrong_shape, "color": wrong_color, "place": off, "right": right.float().mean()}

    return loss_of


def outline_lesson(model, tokenizer, seed):
    painter = Painter()

    def loss_of(batch):
        reach = torch.where(torch.rand(batch, 1) < 0.75, 1.4, 3.0)
        points, shapes = (2 * torch.rand(batch, 2) - 1) * reach, torch.randint(len(SHAPES), (batch,))
        truth = painter.distances(shapes.float(), points)
        off = (model.unet.outline(points, functional.one_hot(shapes, len(SHAPES)).float()) - truth).abs()
        near = truth.abs() < 0.1
        return (off * torch.where(near, 6.0, 1.0)).mean(), {"near": off[near].mean(), "far": off[~near].mean()}

    return loss_of


class Windows:
    """Looks at parts of pictures: two shapes, of which the window shows an edge, a corner, all or nothing."""

    def __init__(self, cells, smallest, largest):
        self.painter, self.cells, self.bounds = Painter(), cells, (math.log(smallest), math.log(largest))

    def batch(self, count):
        """Latent images [batch, 4, cells, cells], and what paints the same windows as pixels."""
        low, high = self.bounds
        size = torch.exp(low + (high - low) * torch.rand(count, 1) ** 1.5)
        sizes = torch.cat((size, size * (0.75 + 0.6 * torch.rand(count, 1))), 1)
        angle, other = 2 * math.pi * torch.rand(2, count, 1)
        away = 0.7 * size * torch.rand(count, 1)
        first = self.cells / 2 + away * torch.cat((angle.cos(), angle.sin()), 1) + torch.randn(count, 2)
        apart = 0.58 * sizes.sum(1, keepdim=True) + 1.5 + size * 0.6 * torch.rand(count, 1) ** 2
        second = first + apart * torch.cat((other.cos(), other.sin()), 1)
        places = torch.cat((torch.stack((first, second), 1), sizes[..., None], 0.28 * torch.rand(count, 2, 1) - 0.14), 2)
        shapes = torch.randint(len(SHAPES), (count, 2))
        shapes[:, 1] = torch.where(torch.rand(count) < 0.4, shapes[:, 0], shapes[:, 1])
        names = len(self.painter.codes)
        backgrounds = torch.where(torch.rand(count) < 0.5, names - 2, torch.randint(names, (count,)))
        colors = (backgrounds[:, None] + torch.randint(1, names, (count, 2))) % names
        cover = self.painter.cover(shapes, places, pixel_middles(self.cells, self.cells))
        return self.painter.paint(self.painter.codes, cover, colors, backgrounds), (shapes, places, colors, backgrounds)

    def pixels(self, scene):
        """The pixels [batch, 3, 8 cells, 8 cells]; the mask that chooses between the two colors of a cell; and whether the cell has two."""
        shapes, places, colors, backgrounds = scene
        side, codes = self.cells * SCALE, self.painter.codes
        cover = self.painter.cover(shapes, places * torch.tensor([SCALE, SCALE, SCALE, 1.0]), pixel_middles(side, side))
        # Which of two colors is the front one is read off their bits, since an edge alone doesn't tell shape from background.
        rank = codes @ torch.tensor([8.0, 4.0, 2.0, 1.0])
        shares = functional.avg_pool2d(cover, SCALE)
        front = (rank[colors] > rank[backgrounds][:, None])[..., None, None].expand_as(shares).gather(1, shares.argmax(1, keepdim=True))
        covered, edge = cover.sum(1, keepdim=True).clamp(0, 1), (shares.sum(1, keepdim=True) > 0.001) & (shares.sum(1, keepdim=True) < 0.999)
        mask = torch.where(functional.interpolate(front.float(), scale_factor=SCALE) > 0.5, covered, 1 - covered)
        return self.painter.paint(self.painter.pixels, cover, colors, backgrounds), mask, functional.interpolate(edge.float(), scale_factor=SCALE) > 0.5


def guided(latent):
    """As guidance leaves a faint plan: stronger or fainter than it should be, clipped; sometimes with the negative of another picture."""
    kind, number = torch.rand(2, len(latent), 1, 1, 1)
    scale = torch.where(kind < 0.4, 1 / FAINTNESS - 5 * number, 30**number)
    other = torch.where(kind < 0.9, 0.0, 1.0) * latent.roll(1, 0)
    return FAINTNESS * (other + scale * (latent - other)).clamp(-1 / FAINTNESS, 1 / FAINTNESS)


def clearer_lesson(model, tokenizer, seed):
    windows = Windows(32, 5, 160)

    def loss_of(batch):
        latent, _ = windows.batch(batch)
        given = torch.where(torch.rand(batch, 1, 1, 1) < 0.6, guided(latent), latent)
        kind, number = torch.rand(batch), torch.rand(batch)
        sigma = torch.where(kind < 0.7, MOST_NOISE, 0.4) * number
        alpha = (1 - sigma**2).sqrt()
        sample = alpha[:, None, None, None] * given + sigma[:, None, None, None] * torch.randn_like(latent)
        off = (model.unet.clearer(sample, alpha, sigma) - latent).abs().mean((1, 2, 3))
        low = sigma < MOST_NOISE
        return off.mean(), {"usual noise": off[low].mean(), "more": off[~low].mean()}

    return loss_of


def decoder_lesson(model, tokenizer, seed):
    windows = Windows(16, 5, 160)

    def loss_of(batch):
        latent, scene = windows.batch(batch)
        pixels, truth, edge = windows.pixels(scene)
        noise = 0.12 * torch.rand(batch, 1, 1, 1) ** 3
        drawn, mask = model.decoder.draw((latent + noise * torch.randn_like(latent)).clamp(-1, 1))
        off = (drawn - pixels).abs().mean()
        # Without this, both colors of a cell become the same blend, and the mask learns nothing.
        wrong = functional.binary_cross_entropy_with_logits(mask[edge], truth[edge])
        return off + 0.3 * wrong, {"pixels": off, "mask": wrong}

    return loss_of


LESSONS = {"planner": planner_lesson, "outline": outline_lesson, "clearer": clearer_lesson, "decoder": decoder_lesson}


def rate_at(progress, step):
    """Warm up, then fall along a cosine."""
    return min(1.0, (step + 1) / WARM_STEPS) * (0.01 + 0.99 * (1 + math.cos(math.pi * progress)) / 2)


def train_part(name, folder, tokenizer_path, minutes, seed=0, threads=1, log=print, start=None):
    torch.set_num_threads(threads)
    torch.manual_seed(seed)
    random.seed(seed)
    tokenizer = Tokenizer.from_file(str(tokenizer_path))
    config = ModelConfig(vocab_size=tokenizer.get_vocab_size(), end_token=tokenizer.token_to_id(END))
    model = load(start) if start else Model(config)
    part = model.parts[name].train()
    kernels, rest = [p for p in part.parameters() if p.ndim > 1], [p for p in part.parameters() if p.ndim <= 1]
    optimizer = torch.optim.AdamW([{"params": kernels, "weight_decay": 0.01}, {"params": rest, "weight_decay": 0.0}], lr=RATES[name], betas=(0.9, 0.98))
    loss_of, began, saved, step, recent = LESSONS[name](model, tokenizer, seed), time.time(), time.time(), 0, []
    log(f"{name}: {sum(p.numel() for p in part.parameters())} parameters")
    while (progress := (time.time() - began) / (60 * minutes)) < 1:
        for group in optimizer.param_groups:
            group["lr"] = RATES[name] * rate_at(progress, step)
        with torch.autocast("cpu", torch.bfloat16, enabled=progress < ROUGH):
            loss, shown = loss_of(BATCHES[name])
        loss.backward()
        torch.nn.utils.clip_grad_norm_(part.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad()
        step += 1
        recent.append([value.item() for value in shown.values()])
        if step % 50 == 0:
            log(f"{name}: step {step} {time.time() - began:.0f}s " + " ".join(f"{key} {value:.4f}" for key, value in zip(shown, np.nanmean(recent, 0))))
            recent = []
        if time.time() - saved > SAVED_EVERY:
            save_part(folder, model, name)
            saved = time.time()
    save_part(folder, model, name)
    log(f"{name}: done, {step} steps")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("output", type=Path, help="folder for the weights")
    parser.add_argument("--parts", nargs="+", default=list(LESSONS), choices=list(LESSONS))
    parser.add_argument("--minutes", type=float, help="for each part")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--start", type=Path, help="folder of weights to go on from")
    options = parser.parse_args()
    options.output.mkdir(parents=True, exist_ok=True)
    for part in options.parts:
        tokenizer_path = Path(__file__).resolve().parent.parent / "tokenizer" / "tokenizer.json"
        train_part(part, options.output, tokenizer_path, options.minutes or MINUTES[part], options.seed, options.threads, lambda text: print(text, flush=True), options.start)
