"""Measures the exported model: held-out drawings of tiny-image, descriptions and answers compared with the one right text."""

import argparse
import random
from collections import defaultdict
from itertools import product
from pathlib import Path

import neighbours
import numpy as np
from check import analyse, fits
from dialogues import Asker
from export import session
from generate import Generator
from PIL import Image
from prompts import COLORS, SHAPES, Group, Picture, PromptMaker
from scenes import Scene, Thing, counted, describe
from tokenizers import Tokenizer

SIDE, LENGTH, HEADS, SIZE = 128, 4, 2, 32
MOST, WINDOW = 48, 64


def held_out(seed=2024):
    """Prompts that the training of tiny-image and of this model has not seen, without end, with what they ask for."""
    maker = PromptMaker(seed)
    while True:
        text, picture = maker.draw()
        asked = [part for shape in picture.shapes for part in shape]
        if picture.held_out and None not in asked and "white" not in asked and picture.background not in asked:
            yield text, picture


def alone():
    """Prompts for one shape of each kind, twice."""
    for color, shape in 2 * list(product(COLORS, SHAPES)):
        yield counted(color, shape, 1), Picture((Group(color, shape),))


def drawings(prompts, count, side):
    """Pixels [side, side, 3] of `count` prompts at most, with their scenes, as far as an analysis without any network finds all that was asked for."""
    generator = Generator(neighbours.MODELS / "tiny-image")
    for number, (text, picture) in enumerate(prompts, 1):
        pixels = generator.draw(text, side, side, seed=number)
        ground, found = analyse(pixels)
        if fits(picture, [(thing.color, thing.shape, thing.x, thing.y) for thing in found]) and ground == (picture.background or "white"):
            yield pixels, Scene(tuple(Thing(thing.color, thing.shape, thing.x, thing.y) for thing in found), ground)
            count -= 1
        if not count:
            return


class Seer:
    """Answers questions about a picture with the exported graphs."""

    def __init__(self, folder, threads=1):
        folder = Path(folder)
        self.tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self.vision, self.embed, self.decoder = (session(folder / "onnx" / f"{name}.onnx", threads) for name in ("vision_encoder", "embed_tokens", "decoder_model_merged"))
        self.names = [value.name for value in self.decoder.get_inputs() if value.name.startswith("past_key_values")]
        self.image, self.end = (self.tokenizer.token_to_id(token) for token in ("<image>", "<|im_end|>"))

    def look(self, pixels):
        image = Image.fromarray(pixels).resize((2 * SIDE, 2 * SIDE), Image.Resampling.LANCZOS).resize((SIDE, SIDE), Image.Resampling.LANCZOS)
        values = (np.asarray(image, np.float32).transpose(2, 0, 1) / 255 - 0.5) / 0.5
        return self.vision.run(None, {"pixel_values": values[None, None], "pixel_attention_mask": np.ones((1, 1, SIDE, SIDE), bool)})[0][0]

    def answer(self, features, question, temperature=0.0, penalty=1.1, rng=None):
        picture = "<fake_token_around_image><global-img>" + "<image>" * LENGTH + "<fake_token_around_image>"
        ids = self.tokenizer.encode(f"<|im_start|>user\n{picture}{question}<|im_end|>\n<|im_start|>assistant\n").ids
        past, fed, written = [np.zeros((1, HEADS, 0, SIZE), np.float32) for _ in self.names], list(ids), []
        new = list(ids)
        for _ in range(MOST):
            embeddings = self.embed.run(None, {"input_ids": np.array([new])})[0]
            if len(new) > 1:
                embeddings[0, np.array(new) == self.image] = features
            total = past[0].shape[2] + len(new)
            feeds = {"inputs_embeds": embeddings, "attention_mask": np.ones((1, total), np.int64), "position_ids": np.arange(total - len(new), total)[None], **dict(zip(self.names, past))}
            logits, *past = self.decoder.run(None, feeds)
            token = self.choose(logits[0, -1].astype(np.float64), fed[-WINDOW:], temperature, penalty, rng)
            if token == self.end:
                break
            new = [token]
            fed.append(token)
            written.append(token)
        return self.tokenizer.decode(written)

    @staticmethod
    def choose(logits, seen, temperature, penalty, rng):
        seen = np.unique(seen)
        logits[seen] = np.where(logits[seen] > 0, logits[seen] / penalty, logits[seen] * penalty)
        if temperature == 0:
            return int(logits.argmax())
        shares = np.exp(logits - logits.max())
        logits = np.where(shares >= 0.05, logits, -np.inf) / temperature
        shares = np.exp(logits - logits.max())
        return int(rng.choice(len(shares), p=shares / shares.sum()))


def kind_of(scene):
    return "alone" if len(scene.things) == 1 else "pair" if scene.pair else "count" if len(scene.kinds) == 1 else "list"


def evaluate(folder, drawn, temperature, seed=7, show=0):
    """Shares of right descriptions and of right answers to questions, and both by kind."""
    seer, asker, rng = Seer(folder), Asker(random.Random(seed)), np.random.default_rng(seed)
    described, answered = defaultdict(list), defaultdict(list)
    for pixels, scene in drawn:
        features = seer.look(pixels)
        for (question, wanted), results, kind in ((("What is in this picture?", describe(scene)), described, kind_of(scene)), (asker.question(scene), answered, "question")):
            said = seer.answer(features, question, temperature, rng=rng)
            results[kind].append(said == wanted)
            if said != wanted and show:
                show -= 1
                print(f"  {question!r}: {said!r}, wanted {wanted!r}", flush=True)
    total = lambda results: sum(map(sum, results.values())) / sum(map(len, results.values()))
    return total(described), total(answered), {kind: f"{sum(values)}/{len(values)}" for kind, values in sorted(described.items())}


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folder", type=Path, default=Path(__file__).resolve().parent.parent)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--sides", type=int, nargs="+", default=[256, 512])
    parser.add_argument("--temperatures", type=float, nargs="+", default=[0.0, 0.7])
    parser.add_argument("--show", type=int, default=0, help="wrong answers to print")
    options = parser.parse_args()
    print("| drawings | temperature | described rightly | questions | by kind |\n| --- | --- | --- | --- | --- |", flush=True)
    for prompts, side in product((held_out, alone), options.sides):
        drawn = list(drawings(prompts(), options.count, side))
        for temperature in options.temperatures:
            described, answered, kinds = evaluate(options.folder, drawn, temperature, show=options.show)
            print(f"| {len(drawn)} of {side} × {side} | {temperature} | {100 * described:.1f} % | {100 * answered:.1f} % | {', '.join(f'{kind} {value}' for kind, value in kinds.items())} |", flush=True)
