"""Trains the eyes on drawings and the words on what eyes should see, both made up as it goes."""

import argparse
import math
import random
import time
from pathlib import Path

import neighbours  # noqa: F401
import numpy as np
import torch
from dialogues import BLIND, DESCRIBE, Asker
from layout import MOST
from model import ModelConfig, VisionChat, features, load, save
from muon import Muon
from palette import NAMES, pixel_table
from prompts import PromptMaker
from scenes import Scene, Thing, draw_layout, scene_of
from shapes import SHAPES, Painter
from tokenizers import Tokenizer
from torch.nn import functional

BATCH, DRAWN, POOL = 64, 16, 2048
WARM_STEPS, SAVED_EVERY = 60, 60
PENALTIES = [1.0, 1.1, 1.1, 1.2]
WINDOW = 64
# On one core.
MINUTES = {"eyes": 25, "words": 24}


def recolored(layout, chance):
    """The layout in other colors of things and background than painted first, white the usual background."""
    while True:
        names = chance.sample(range(10), 10)
        if chance.random() < 0.7:
            ground = names.index(8)
            names[ground], names[layout.background] = names[layout.background], 8
        colors, background = [names[color] for color in layout.colors], names[layout.background]
        layout = type(layout)(layout.shapes, np.array(colors, dtype=int), layout.places, background)
        if not scene_of(layout).held_out:
            return layout


class Drawings:
    """Drawings [n, 3, side, side] with their scenes. Each is painted once and colored anew several times."""

    def __init__(self, side, seed):
        self.side, self.painter, self.pixels = side, Painter(), pixel_table()
        self.maker, self.numbers, self.random = PromptMaker(seed), np.random.default_rng(seed), random.Random(seed)
        self.layouts, self.sizes, self.covers, self.next = [], [], torch.zeros(POOL, MOST, side, side, dtype=torch.uint8), 0

    def sides(self):
        if self.random.random() < 0.6:
            return 1.0, 1.0
        ratio = 2 ** self.random.random()
        return (ratio, 1.0) if self.random.random() < 0.5 else (1.0, ratio)

    def draw(self, count):
        sizes = [self.sides() for _ in range(count)]
        layouts = [draw_layout(self.maker, self.numbers, size) for size in sizes]
        shapes, places = torch.zeros(count, MOST), torch.zeros(count, MOST, 4)
        there = torch.zeros(count, MOST, 1, 1)
        for row, layout in enumerate(layouts):
            found = len(layout.shapes)
            shapes[row, :found], places[row, :found], there[row, :found] = torch.from_numpy(layout.shapes).float(), torch.from_numpy(layout.places).float(), 1
        scale = torch.tensor([self.side, self.side, self.side, 1.0])
        middles = (torch.arange(self.side) + 0.5) / self.side - 0.5
        grid = torch.stack(torch.meshgrid(middles, middles, indexing="xy"), -1) * self.side
        points = grid * torch.tensor(sizes)[:, None, None, None]
        covers = self.painter.cover(shapes, places * scale, points) * there
        for row in range(count):
            if len(self.layouts) < POOL:
                self.layouts.append(layouts[row])
                self.sizes.append(sizes[row])
            else:
                self.layouts[self.next], self.sizes[self.next] = layouts[row], sizes[row]
            self.covers[self.next] = (covers[row] * 255).round().to(torch.uint8)
            self.next = (self.next + 1) % POOL

    def batch(self, count):
        self.draw(DRAWN if len(self.layouts) >= 4 * BATCH else 4 * BATCH)
        chosen = self.random.sample(range(len(self.layouts)), count)
        layouts = [recolored(self.layouts[index], self.random) for index in chosen]
        mirrored = torch.rand(count) < 0.5
        cover = self.covers[chosen].float() / 255
        cover = torch.where(mirrored[:, None, None, None], cover.flip(3), cover)
        colors, grounds = torch.zeros(count, MOST, dtype=torch.long), torch.tensor([layout.background for layout in layouts])
        scenes, marks = [], []
        for row, (layout, index) in enumerate(zip(layouts, chosen)):
            colors[row, : len(layout.colors)] = torch.from_numpy(layout.colors)
            sign = -1 if mirrored[row] else 1
            scene = scene_of(layout)
            scenes.append(Scene(tuple(Thing(thing.color, thing.shape, sign * thing.x, thing.y) for thing in scene.things), scene.background))
            width, height = self.sizes[index]
            marks.append([(shape, color, sign * place[0] / width + 0.5, place[1] / height + 0.5) for shape, color, place in zip(layout.shapes, layout.colors, layout.places)])
        shade = lambda *size: 0.05 * torch.randn(*size, 3)
        fills, back = self.pixels[colors] + shade(count, MOST), self.pixels[grounds] + shade(count) * (torch.rand(count, 1) < 0.5)
        image = back[:, :, None, None] * (1 - cover.sum(1, keepdim=True)).clamp(0, 1) + torch.einsum("bnhw,bnc->bchw", cover, fills)
        noise = 0.04 * torch.rand(count, 1, 1, 1) ** 2
        return (image + noise * torch.randn_like(image)).clamp(-1, 1), scenes, marks


class Dialogues:
    """Token rows of dialogues, with what the assistant writes marked."""

    def __init__(self, tokenizer, config, seed):
        self.tokenizer, self.random = tokenizer, random.Random(seed)
        self.asker = Asker(self.random)
        self.image = "<fake_token_around_image><global-img>" + "<image>" * config.image_length + "<fake_token_around_image>"
        self.end = tokenizer.token_to_id("<|im_end|>")

    def text(self, scene, turns):
        """Whether a picture is there, and pieces of text of which every other one is written by the assistant."""
        if self.random.random() < 0.03:
            return False, [f"<|im_start|>user\n{self.random.choice(DESCRIBE)}<|im_end|>\n<|im_start|>assistant\n", BLIND + "<|im_end|>"]
        pieces = []
        system = self.random.choice(["", "", "", "", "You are a helpful assistant."])
        before = f"<|im_start|>system\n{system}<|im_end|>\n" if system else ""
        for turn, (question, answer) in enumerate(self.asker.dialogue(scene, turns)):
            asked = question if turn else self.image + question if self.random.random() < 0.7 else question + self.image
            pieces += [("\n" if turn else before) + f"<|im_start|>user\n{asked}<|im_end|>\n<|im_start|>assistant\n", answer + "<|im_end|>"]
        return True, pieces

    def batch(self, scenes):
        rows, taught, seen, turns = [], [], [], self.random.choice([1, 1, 2, 3])
        for scene in scenes:
            sees, pieces = self.text(scene, turns)
            encodings = self.tokenizer.encode_batch(pieces)
            rows.append([token for encoding in encodings for token in encoding.ids])
            taught.append([bool(turn % 2) for turn, encoding in enumerate(encodings) for _ in encoding.ids])
            seen.append(sees)
        longest = max(map(len, rows))
        ids = torch.tensor([row + [0] * (longest - len(row)) for row in rows])
        mask = torch.tensor([row + [False] * (longest - len(row)) for row in taught])
        return ids, mask, torch.tensor(seen)


def penalized(logits, ids, penalties):
    """Logits [n, length, vocabulary] as a repeat penalty over the last 64 tokens leaves them."""
    hot = functional.one_hot(ids, logits.shape[-1]).to(torch.int16).cumsum(1)
    hot[:, WINDOW:] -= hot[:, :-WINDOW].clone() if hot.shape[1] > WINDOW else 0
    factor = torch.where(hot > 0, penalties[:, None, None], 1.0)
    return torch.where(logits > 0, logits / factor, logits * factor)


def probe_loss(grid, ground, marks, scenes, cells):
    """How wrong the encoder is about middles, shapes, colors and background."""
    near = torch.zeros(len(marks), cells * cells)
    rows, places, shapes, colors = [], [], [], []
    middles = torch.arange(cells) + 0.5
    for row, things in enumerate(marks):
        for shape, color, x, y in things:
            away = (middles[None] - cells * x) ** 2 + (middles[:, None] - cells * y) ** 2
            near[row] = torch.maximum(near[row], torch.exp(-(away - 0.4).clamp(min=0) / 0.7).flatten())
            rows.append(row)
            places.append(min(cells - 1, int(cells * y)) * cells + min(cells - 1, int(cells * x)))
            shapes.append(int(shape))
            colors.append(int(color))
    at = grid[rows, places]
    wrong_shape, wrong_color = functional.cross_entropy(at[:, 1:7], torch.tensor(shapes)), functional.cross_entropy(at[:, 7:], torch.tensor(colors))
    wrong_ground = functional.cross_entropy(ground, torch.tensor([NAMES.index(scene.background) for scene in scenes]))
    missed = functional.binary_cross_entropy_with_logits(grid[..., 0], near)
    return 2 * missed + wrong_shape + wrong_color + 0.3 * wrong_ground, {"middles": missed, "shape": wrong_shape, "color": wrong_color}


def eyes_lesson(model, tokenizer, seed):
    drawings = Drawings(model.config.side, seed)
    model.vision.cells.to(memory_format=torch.channels_last)

    def loss_of():
        pixels, scenes, marks = drawings.batch(BATCH)
        return probe_loss(*model.vision.look(pixels.contiguous(memory_format=torch.channels_last)), marks, scenes, model.config.cells)

    return loss_of


def known_of(scenes):
    """The features that a scene has where nothing is mistaken; places are a little off."""
    count = len(scenes)
    present, color, shape, x, y = torch.zeros(count, MOST), torch.zeros(count, MOST, dtype=torch.long), torch.zeros(count, MOST, dtype=torch.long), torch.zeros(count, MOST), torch.zeros(count, MOST)
    for row, scene in enumerate(scenes):
        for place, thing in enumerate(scene.things):
            present[row, place], x[row, place], y[row, place] = 1, thing.x, thing.y
            color[row, place], shape[row, place] = NAMES.index(thing.color), SHAPES.index(thing.shape)
    return features(present, color, shape, x, y, torch.tensor([NAMES.index(scene.background) for scene in scenes]))


def words_lesson(model, tokenizer, seed):
    maker, numbers, dialogues = PromptMaker(seed), np.random.default_rng(seed), Dialogues(tokenizer, model.config, seed)
    chance = random.Random(seed)

    def loss_of():
        scenes = [scene_of(recolored(draw_layout(maker, numbers, (1.0, 1.0)), chance)) for _ in range(BATCH)]
        ids, taught, seen = dialogues.batch(scenes)
        logits = model.decode(model.embed(ids, model.vision.tokens(known_of(scenes)), seen.nonzero()[:, 0]))
        target = taught[:, 1:]
        penalties = torch.tensor(random.choices(PENALTIES, k=len(ids)))
        told, answers = penalized(logits[:, :-1], ids[:, :-1], penalties)[target], ids[:, 1:][target]
        wrong = torch.zeros_like(target, dtype=torch.float).masked_scatter(target, (told.argmax(-1) != answers).float())
        return functional.cross_entropy(told, answers), {"rows right": 1 - (wrong.sum(1) > 0).float().mean()}

    return loss_of


LESSONS = {"eyes": eyes_lesson, "words": words_lesson}


def parts_of(model, lesson):
    """Matrices inside of transformers, and all other weights."""
    vision = model.vision
    if lesson == "eyes":
        inner, parts = [vision.layers], [vision.cells, vision.layers, vision.probe, vision.ground_probe]
        rest = [vision.positions]
    else:
        inner, parts = [model.blocks], [model.blocks, model.embedding, model.norm, vision.connector]
        rest = [vision.places]
    matrices = [p for part in inner for p in part.parameters() if p.ndim == 2]
    known = {id(p) for p in matrices}
    return matrices, rest + [p for part in parts for p in part.parameters() if id(p) not in known]


def rate_at(progress, step):
    """Warm up, stay, then fall to nothing in the last half."""
    return min(1.0, (step + 1) / WARM_STEPS) * min(1.0, 0.02 + 2 * (1 - progress))


def train(tokenizer_path, checkpoint, lesson, minutes, seed=0, threads=1, log=print, start=None):
    torch.set_num_threads(threads)
    torch.manual_seed(seed)
    random.seed(seed)
    tokenizer = Tokenizer.from_file(str(tokenizer_path))
    config = ModelConfig(vocab_size=tokenizer.get_vocab_size(), image_token=tokenizer.token_to_id("<image>"))
    model = load(start) if start else VisionChat(config)
    model.vision.train(lesson == "eyes")
    matrices, rest = parts_of(model, lesson)
    optimizers = [Muon(matrices, lr=4e-3), torch.optim.AdamW(rest, lr=3e-3, betas=(0.9, 0.98), weight_decay=0.01)]
    rates = [optimizer.param_groups[0]["lr"] for optimizer in optimizers]
    loss_of = LESSONS[lesson](model, tokenizer, seed)
    began, saved, step, recent = time.time(), time.time(), 0, []
    log(f"{lesson}: {sum(p.numel() for p in matrices + rest)} of {sum(p.numel() for p in model.parameters())} parameters")
    while (progress := (time.time() - began) / (60 * minutes)) < 1:
        for optimizer, rate in zip(optimizers, rates):
            optimizer.param_groups[0]["lr"] = rate * rate_at(progress, step)
        loss, shown = loss_of()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(rest, 1.0)
        for optimizer in optimizers:
            optimizer.step()
            optimizer.zero_grad()
        step += 1
        recent.append([loss.item(), *(value.item() for value in shown.values())])
        if step % 25 == 0:
            log(f"{lesson}: step {step} {time.time() - began:.0f}s " + " ".join(f"{key} {value:.4f}" for key, value in zip(["loss", *shown], np.mean(recent, 0))))
            recent = []
        if time.time() - saved > SAVED_EVERY:
            save(model, checkpoint)
            saved = time.time()
    save(model, checkpoint)
    log(f"{lesson}: done, {step} steps")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("checkpoint", type=Path)
    parser.add_argument("lesson", choices=list(LESSONS))
    parser.add_argument("--minutes", type=float)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--start", type=Path, help="weights to go on from")
    options = parser.parse_args()
    path = Path(__file__).resolve().parent.parent / "tokenizer.json"
    train(path, options.checkpoint, options.lesson, options.minutes or MINUTES[options.lesson], options.seed, options.threads, lambda text: print(text, flush=True), options.start)
