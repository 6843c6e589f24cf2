"""Measures the exported model: held-out prompts at the API's defaults, judged by `check.py` and by tiny-detect."""

import argparse
import time
from collections import defaultdict
from pathlib import Path

import numpy as np
from PIL import Image

from check import analyse, fits
from export import session
from generate import GUIDANCE, STEPS, Generator
from prompts import COLORS, PromptMaker, SHAPES

DETECTOR_SIDE, CONFIDENCE, OVERLAP, PADDING = 640, 0.25, 0.45, 114
DETECTED = [(color, shape) for color in [*COLORS, "white", "gray"] for shape in SHAPES]


def held_out_prompts(count, seed=2024):
    """Prompts with their pictures; the training has seen no prompt with these shapes together."""
    maker, found = PromptMaker(seed), []
    while len(found) < count:
        text, picture = maker.draw()
        asked = [part for shape in picture.shapes for part in shape]
        if picture.held_out and None not in asked and "white" not in asked and picture.background not in asked:
            found.append((text, picture))
    return found


def kind_of(picture):
    if picture.relation:
        return "relation"
    return "count" if len(picture.groups) == 1 else "list" if len(picture.shapes) == len(picture.groups) else "groups"


class Detector:
    """tiny-detect on one picture: colors, shapes and middles of what it finds."""

    def __init__(self, folder, threads=1):
        self.session = session(Path(folder) / "onnx" / "model.onnx", threads)

    def detect(self, pixels):
        image = Image.fromarray(pixels)
        scale = DETECTOR_SIDE / max(image.size)
        inner = [round(side * scale) for side in image.size]
        canvas = Image.new("RGB", (DETECTOR_SIDE, DETECTOR_SIDE), (PADDING,) * 3)
        canvas.paste(image.resize(inner, Image.Resampling.BILINEAR), ((DETECTOR_SIDE - inner[0]) // 2, (DETECTOR_SIDE - inner[1]) // 2))
        output = self.session.run(None, {"images": np.asarray(canvas, np.float32).transpose(2, 0, 1)[None] / 255})[0][0]
        scores, labels = output[4:].max(0), output[4:].argmax(0)
        found, kept = [], []
        for cell in np.argsort(-scores):
            if scores[cell] < CONFIDENCE:
                break
            x, y, width, height = output[:4, cell]
            box = np.array([x - width / 2, y - height / 2, x + width / 2, y + height / 2])
            if all(overlap(box, other) <= OVERLAP for other in kept):
                kept.append(box)
                found.append((*DETECTED[labels[cell]], x / DETECTOR_SIDE, y / DETECTOR_SIDE))
        return found


def overlap(box, other):
    inner = (np.minimum(box[2:], other[2:]) - np.maximum(box[:2], other[:2])).clip(0).prod()
    return inner / ((box[2:] - box[:2]).prod() + (other[2:] - other[:2]).prod() - inner)


def evaluate(generator, detector, prompts, width, height, steps=STEPS, guidance=GUIDANCE, failures=None):
    """Shares of right pictures: by the analysis, with the background as asked for too, and by tiny-detect; and the first by kind."""
    right, by_kind, began = np.zeros(3), defaultdict(list), time.time()
    for number, (text, picture) in enumerate(prompts):
        pixels = generator.draw(text, width, height, steps=steps, guidance=guidance, seed=number)
        ground, found = analyse(pixels)
        objects = fits(picture, [(thing.color, thing.shape, thing.x, thing.y) for thing in found])
        background = ground == (picture.background or "white")
        seen = fits(picture, detector.detect(pixels))
        right += (objects, objects and background, seen)
        by_kind[kind_of(picture)].append(objects)
        if failures and not (objects and background and seen):
            failures.mkdir(parents=True, exist_ok=True)
            Image.fromarray(pixels).save(failures / f"{width}x{height}-{number}.png")
            print(f"{width}x{height} {number}: {text!r}: on {ground} {[(thing.color, thing.shape) for thing in found]}, tiny-detect {'agrees' if seen else 'does not agree'}", flush=True)
    kinds = {kind: f"{sum(values)}/{len(values)}" for kind, values in sorted(by_kind.items())}
    return right / len(prompts), kinds, (time.time() - began) / len(prompts)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folder", type=Path, default=Path(__file__).resolve().parent.parent)
    parser.add_argument("--detector", type=Path, default=Path(__file__).resolve().parents[2] / "tiny-detect")
    parser.add_argument("--sizes", nargs="+", default=["256x256", "512x512", "1024x1024"])
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--steps", type=int, default=STEPS)
    parser.add_argument("--guidance", type=float, default=GUIDANCE)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--failures", type=Path, help="folder for pictures that are judged wrong")
    options = parser.parse_args()
    generator, detector, prompts = Generator(options.folder, options.threads), Detector(options.detector, options.threads), held_out_prompts(options.count)
    print("| size | analysis: shapes | and background | tiny-detect | by kind | seconds |\n| --- | --- | --- | --- | --- | --- |", flush=True)
    for size in options.sizes:
        shares, kinds, seconds = evaluate(generator, detector, prompts, *map(int, size.split("x")), options.steps, options.guidance, options.failures)
        print(f"| {size} | " + " | ".join(f"{100 * share:.1f} %" for share in shares) + f" | {', '.join(f'{kind} {value}' for kind, value in kinds.items())} | {seconds:.2f} |", flush=True)
