"""Trains the recogniser on an endless stream of spoken sentences, within a time budget."""

import argparse
import time
from collections import deque
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from tokenizers import Tokenizer
from torch.nn import functional

from clips import PHONEMES, UNKNOWN, EspeakClips
from features import SAMPLE_RATE, log_mel
from model import ModelConfig, WhisperModel
from noise import Noise
from tiny_speech import TinySpeechClips
from windows import NOT_TAUGHT, SAMPLES, WindowMaker

MUON_RATE, ADAM_RATE = 4e-3, 1.5e-3
EMA_DECAY = 0.99
# (layer, head) of the decoder's cross-attention: taught where the word is heard that comes next, and where the word before was heard.
ALIGNED, FOLLOWING = [(1, 0), (1, 1)], [(0, 0), (0, 1)]
ALIGNMENT_WEIGHT = 0.8
# So many of the text tokens that the decoder reads are wrong ones, so that it listens rather than guesses.
WRONG_SHARE = 0.06
LATEST = 64
SHORT_BATCH_SECONDS, POOL, BATCH = 40, 48, 8


def log(text):
    print(text, flush=True)


@dataclass(frozen=True)
class Stage:
    """`short_until`: share of the time with single short clips only; `fall_from`: where the learning rate begins to fall; `tiny_speech`: share of the
    windows that tiny-speech speaks; `drawn`: share of espeak-ng's voices whose timbre is drawn; `peak`: factor on the learning
    rates; `replays`: updates of the decoder from the encoder's latest answers, for each from its present ones."""

    name: str
    minutes: float
    tiny_speech: float
    short_until: float = 0.0
    short_share: float = 0.1
    fall_from: float = 1.0
    phoneme_weight: float = 0.5
    drawn: float = 0.0
    peak: float = 1.0
    replays: int = 4


STAGES = [
    Stage("short windows", 12, tiny_speech=0.3, short_until=1.0),
    Stage("all windows", 25, tiny_speech=0.4, short_share=0.4),
    Stage("slowly to rest", 45, tiny_speech=0.4, short_share=0.3, fall_from=0.0, phoneme_weight=0.4),
    Stage("more voices", 37, tiny_speech=0.3, short_share=0.3, fall_from=0.0, phoneme_weight=0.4, drawn=0.5, peak=0.4, replays=2),
]


def batches(maker, stage, clock):
    """Lists of windows: single clips of similar length at first, then whole windows. `clock` tells the progress from 0 to 1."""
    while True:
        if clock() < stage.short_until or maker.chance(stage.short_share):
            pool = sorted((maker.short() for _ in range(POOL)), key=lambda window: len(window.samples))
            groups, group = [], []
            for window in pool:
                if group and (len(group) + 1) * len(window.samples) > SHORT_BATCH_SECONDS * SAMPLE_RATE:
                    groups.append(group)
                    group = []
                group.append(window)
            groups.append(group)
            maker.random.shuffle(groups)
            for group in groups:
                yield group, -(-max(len(window.samples) for window in group) // 640) * 640
        else:
            for _ in range(4):
                yield [maker.window() for _ in range(BATCH)], SAMPLES


@dataclass(frozen=True)
class Batch:
    """Samples and the positions where they begin; tokens and targets [batch, length]; phonemes of every frame; rows and columns of the targets that are
    heard somewhere, with the first and the last second."""

    audio: torch.Tensor
    first: torch.Tensor
    tokens: torch.Tensor
    targets: torch.Tensor
    phonemes: torch.Tensor
    rows: torch.Tensor
    columns: torch.Tensor
    spans: torch.Tensor


def collate(windows, samples, padding):
    frames, length = samples // 320, max(len(window.tokens) for window in windows)
    audio = torch.zeros(len(windows), samples)
    tokens = torch.full((len(windows), length), padding)
    targets = torch.full((len(windows), length), NOT_TAUGHT)
    rows, columns, spans = [], [], []
    for row, window in enumerate(windows):
        audio[row, : len(window.samples)] = torch.from_numpy(window.samples)
        tokens[row, : len(window.tokens)] = torch.tensor(window.tokens)
        targets[row, : len(window.targets)] = torch.tensor(window.targets)
        heard = [column for column, span in enumerate(window.spans) if span is not None]
        rows += [row] * len(heard)
        columns += heard
        spans += [window.spans[column] for column in heard]
    return Batch(audio, torch.tensor([window.first for window in windows]), tokens, targets, torch.tensor(np.stack([window.phonemes[:frames] for window in windows])),
                 torch.tensor(rows, dtype=torch.long), torch.tensor(columns, dtype=torch.long), torch.tensor(spans).view(-1, 2))


def encode(model, batch):
    features = log_mel(batch.audio)
    with torch.autocast("cpu", torch.bfloat16):
        encoded = model.encoder(features, batch.first)
    return encoded.float()


def decoder_losses(model, encoded, batch, text_tokens):
    """Cross-entropy of the tokens, and how far the aligned heads look beside what they should hear."""
    wrong = (batch.tokens < text_tokens) & (torch.rand(batch.tokens.shape) < WRONG_SHARE)
    tokens = torch.where(wrong, torch.randint(0, text_tokens, batch.tokens.shape), batch.tokens)
    hidden, _, attentions = model.decoder(tokens, None, model.decoder.sources(encoded))
    taught = batch.targets != NOT_TAUGHT
    token_loss = functional.cross_entropy(model.decoder.logits(hidden[taught]), batch.targets[taught])
    seconds = (torch.arange(encoded.shape[1]) + 0.5) * 0.02
    heard = (seconds >= batch.spans[:, :1] - 0.03) & (seconds <= batch.spans[:, 1:] + 0.03)

    def beside(layer, head, columns):
        return -((attentions[layer][batch.rows, head, columns] * heard).sum(-1) + 1e-3).log().sum() / max(1, len(columns))

    looks = [beside(*head, batch.columns) for head in ALIGNED] + [beside(*head, batch.columns + 1) for head in FOLLOWING]
    return token_loss, sum(looks) / len(looks)


def phoneme_loss_of(model, encoded, batch):
    return functional.cross_entropy(model.phoneme_head(encoded).flatten(0, 1), batch.phonemes.flatten(), ignore_index=UNKNOWN)


def optimizers_for(model):
    matrices = [p for name, p in model.named_parameters() if p.ndim == 2 and ".layers." in name]
    chosen = {id(p) for p in matrices}
    rest = [p for p in model.parameters() if p.requires_grad and id(p) not in chosen]
    muon = torch.optim.Muon(matrices, lr=MUON_RATE, weight_decay=0.01, adjust_lr_fn="match_rms_adamw")
    adam = torch.optim.AdamW(rest, lr=ADAM_RATE, betas=(0.9, 0.98), weight_decay=0.0)
    return [(muon, MUON_RATE), (adam, ADAM_RATE)]


def rate_at(progress, step, fall_from):
    return min(1.0, (step + 1) / 30) * (1.0 if progress < fall_from else max(0.01, (1 - progress) / (1 - fall_from)))


def save(path, model, averages, step):
    names = [name for name, _ in model.named_parameters()]
    torch.save({"config": model.config.__dict__, "weights": dict(zip(names, averages)), "step": step}, f"{path}.new")
    Path(f"{path}.new").rename(path)


def load(path):
    checkpoint = torch.load(path)
    model = WhisperModel(ModelConfig(**checkpoint["config"]))
    model.load_state_dict(checkpoint["weights"])
    return model


def train_stage(stage, tokenizer_path, output, minutes, seed=0, threads=1, start=None):
    """One stage; `start` is the checkpoint of the stage before."""
    torch.set_num_threads(threads)
    torch.manual_seed(seed)
    tokenizer = Tokenizer.from_file(str(tokenizer_path))
    model = load(start) if start else WhisperModel(ModelConfig(tokenizer.get_vocab_size(), len(PHONEMES)))
    weights = [parameter.data for parameter in model.parameters()]
    averages = [weight.clone() for weight in weights]
    optimizers = optimizers_for(model)
    log(f"{sum(weight.numel() for weight in weights)} parameters")
    sources = [(1 - stage.tiny_speech, EspeakClips(seed, stretched=True, drawn=stage.drawn))] + ([(stage.tiny_speech, TinySpeechClips(seed + 2))] if stage.tiny_speech else [])
    maker = WindowMaker(sources, tokenizer, Noise(seed, strength=0.6), seed + 1)
    began, saved, step, seconds, recent = time.time(), time.time(), 0, 0.0, []

    text_tokens, latest = maker.special["<|endoftext|>"], deque(maxlen=LATEST)

    def update(loss):
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        for optimizer, _ in optimizers:
            optimizer.step()
            optimizer.zero_grad()

    def progress():
        return (time.time() - began) / (60 * minutes)

    for windows, samples in batches(maker, stage, progress):
        if progress() >= 1:
            break
        for optimizer, rate in optimizers:
            for group in optimizer.param_groups:
                group["lr"] = rate * stage.peak * rate_at(progress(), step, stage.fall_from)
        batch = collate(windows, samples, text_tokens)
        encoded = encode(model, batch)
        phoneme_loss = phoneme_loss_of(model, encoded, batch)
        token_loss, alignment_loss = decoder_losses(model, encoded, batch, text_tokens)
        update(token_loss + stage.phoneme_weight * phoneme_loss + ALIGNMENT_WEIGHT * alignment_loss)
        # The encoder costs most and is the first to be good: the decoder learns from its latest answers as well.
        latest.append((encoded.detach(), batch))
        for again in maker.random.choices(latest, k=stage.replays):
            replayed_token_loss, replayed_alignment_loss = decoder_losses(model, *again, text_tokens)
            update(replayed_token_loss + ALIGNMENT_WEIGHT * replayed_alignment_loss)
        torch._foreach_lerp_(averages, weights, 1 - min(EMA_DECAY, (step + 1) / (step + 10)))
        step, seconds = step + 1, seconds + len(windows) * samples / SAMPLE_RATE
        recent.append((token_loss.item(), phoneme_loss.item(), alignment_loss.item()))
        if step % 50 == 0:
            token, phoneme, alignment = np.mean(recent, 0)
            log(f"step {step} {time.time() - began:.0f}s {seconds / 3600:.2f}h audio, tokens {token:.3f} phonemes {phoneme:.3f} alignment {alignment:.3f}")
            recent = []
        if time.time() - saved > 120:
            save(output, model, averages, step)
            saved = time.time()
    save(output, model, averages, step)
    log(f"done: {step} steps, {seconds / 3600:.1f} hours of audio")


def train(tokenizer_path, output, scale=1.0, seed=0, threads=1, first_stage=0, start=None):
    """All stages, one after the other; `scale` stretches or shortens their times."""
    for index, stage in enumerate(STAGES[first_stage:], first_stage):
        log(f"stage {stage.name}")
        train_stage(stage, tokenizer_path, output, scale * stage.minutes, seed + 1000 * index, threads, start)
        start = output


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("output", type=Path)
    parser.add_argument("--tokenizer", type=Path, default=Path(__file__).parent.parent / "tokenizer.json")
    parser.add_argument("--scale", type=float, default=1.0, help="factor on the time of every stage")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--first-stage", type=int, default=0)
    parser.add_argument("--start", type=Path, help="weights to go on from")
    options = parser.parse_args()
    train(options.tokenizer, options.output, options.scale, options.seed, options.threads, options.first_stage, options.start)
