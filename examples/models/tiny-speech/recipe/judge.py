"""A proxy for intelligibility on any English words: a phoneme classifier that learned from espeak-ng's speech judges the model's, frame by frame."""

import argparse
import pickle
import random
from pathlib import Path

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

from model import load
from phonemes import ALIASES, QUOTES, SYMBOLS, VOCABULARY
from train import collate

CONTEXT = 6
STEPS, BATCH = 3000, 512
_PLAIN = {VOCABULARY[alias]: VOCABULARY[symbol] for symbol, aliases in ALIASES.items() for alias in aliases}
_SILENT = {VOCABULARY[symbol] for symbol in " ˈˌ" + QUOTES + ".,;:!?—…"} | {0}


def frames_of(envelopes, owners):
    """Envelopes of each frame with its surroundings [frames, …], and the symbols [frames]; silence and pauses left out."""
    inputs, labels = [], []
    for envelope, symbols in zip(envelopes, owners):
        padded = np.pad(envelope.astype(np.float32), ((CONTEXT, CONTEXT), (0, 0)), mode="edge")
        windows = np.stack([padded[shift : shift + len(envelope)] for shift in range(2 * CONTEXT + 1)], 1)[::2].reshape(len(symbols), -1)
        heard = ~np.isin(symbols, list(_SILENT))
        inputs.append(windows[heard])
        labels.append(np.array([_PLAIN.get(symbol, symbol) for symbol in symbols[heard]]))
    return torch.from_numpy(np.concatenate(inputs) / 4 + 2), torch.from_numpy(np.concatenate(labels))


def symbols_of(lesson):
    return np.repeat(lesson.ids.astype(int), lesson.durations)


def learn(lessons, seed=0):
    torch.manual_seed(seed)
    inputs, labels = frames_of([lesson.envelope for lesson in lessons], [symbols_of(lesson) for lesson in lessons])
    judge = nn.Sequential(nn.Linear(inputs.shape[1], 256), nn.GELU(), nn.Dropout(0.1), nn.Linear(256, 256), nn.GELU(), nn.Linear(256, SYMBOLS))
    optimizer = torch.optim.AdamW(judge.parameters(), 1e-3)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, STEPS)
    for _ in range(STEPS):
        picked = torch.randint(len(labels), (BATCH,))
        loss = F.cross_entropy(judge(inputs[picked]), labels[picked])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        schedule.step()
    return judge.eval()


def share_right(judge, envelopes, owners):
    inputs, labels = frames_of(envelopes, owners)
    with torch.no_grad():
        return float((judge(inputs).argmax(1) == labels).float().mean())


def judge_model(weights, folder):
    """Shares of frames recognised: of espeak-ng's own speech, and of the model's with the same durations, on lessons that neither has seen."""
    files = sorted(Path(folder).glob("lessons-*.pkl"))
    judge = learn([lesson for path in files[1:4] for lesson in pickle.loads(path.read_bytes())])
    model, unseen, spoken = load(weights), pickle.loads(files[0].read_bytes()), []
    for lesson in unseen:
        voice, ids, durations, known, owner, half_known, *_ = collate([lesson], random.Random(0))
        style = model.voices(voice)
        with torch.no_grad():
            encodings, _ = model.encode(ids, style, known)
            spoken.append(model.decode(encodings, owner, torch.cumsum(durations, 1) - durations, durations, style, half_known)[0][0].numpy())
    owners = [symbols_of(lesson) for lesson in unseen]
    return share_right(judge, [lesson.envelope for lesson in unseen], owners), share_right(judge, spoken, owners)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("weights", type=Path)
    parser.add_argument("lessons", type=Path)
    options = parser.parse_args()
    torch.set_num_threads(1)
    print("frames recognised: teacher {:.1%}, model {:.1%}".format(*judge_model(options.weights, options.lessons)))
