"""Whisper's long-form transcription by timestamps, greedy, through the exported graphs."""

import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from tokenizers import Tokenizer

from build_tokenizer import CHUNK_SECONDS, END, LANGUAGE, NO_TIMESTAMPS, PREVIOUS, SILENCE, START, TASK, TIMESTAMP_SECONDS, TIMESTAMPS
from export import Runner
from features import SAMPLE_RATE, log_mel

SAMPLES = CHUNK_SECONDS * SAMPLE_RATE
MOST_PROMPT = 90


@dataclass(frozen=True)
class Segment:
    start: float
    end: float
    text: str


def best_path(cost):
    """Dynamic time warping of a cost [tokens, frames]: the frame at which every token begins."""
    rows, columns = cost.shape
    total, step = np.full((rows + 1, columns + 1), np.inf), np.zeros((rows + 1, columns + 1), np.int8)
    total[0, 0] = 0
    for column in range(1, columns + 1):
        for row in range(1, rows + 1):
            options = (total[row - 1, column - 1], total[row - 1, column], total[row, column - 1])
            step[row, column] = np.argmin(options)
            total[row, column] = cost[row - 1, column - 1] + min(options)
    begins, row, column = np.zeros(rows, int), rows, columns
    while row > 0 and column > 0:
        begins[row - 1] = column - 1
        move = step[row, column]
        row, column = row - (move != 2), column - (move != 1)
    return begins


class Recogniser:
    def __init__(self, folder):
        folder = Path(folder)
        self.runner = Runner(folder)
        self.tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self.alignment_heads = json.loads((folder / "generation_config.json").read_text())["alignment_heads"]
        self.end, self.start, self.language, self.task, self.previous, self.silence, self.no_timestamps = (
            self.tokenizer.token_to_id(name) for name in (END, START, LANGUAGE, TASK, PREVIOUS, SILENCE, NO_TIMESTAMPS))
        self.first_timestamp = self.tokenizer.token_to_id(TIMESTAMPS[0])

    def encode(self, samples):
        padded = np.zeros(SAMPLES, np.float32)
        padded[: len(samples)] = samples[:SAMPLES]
        return self.runner.encode(log_mel(torch.from_numpy(padded)[None]).numpy())

    def allowed(self, logits, tokens, timed):
        """Masks what the rules of timestamps forbid after `tokens`."""
        first = self.first_timestamp
        logits[self.start : first] = -np.inf
        if not timed:
            logits[first:] = -np.inf
            return logits
        if not tokens:
            logits[:first] = -np.inf
            return logits
        stamps = [token for token in tokens if token >= first]
        last_is_stamp = tokens[-1] >= first
        if last_is_stamp:
            if len(tokens) < 2 or tokens[-2] >= first:
                logits[first:] = -np.inf
            else:
                logits[: self.end] = -np.inf
        if stamps:
            lowest = stamps[-1] if last_is_stamp and not (len(tokens) < 2 or tokens[-2] >= first) else stamps[-1] + 1
            logits[first:lowest] = -np.inf
        shifted = np.exp(logits - logits.max())
        if shifted[first:].sum() > shifted[:first].max():
            logits[:first] = -np.inf
        return logits

    def window(self, encoded, prompt=(), timed=True, most=100):
        """Tokens of one window, their mean log-probability, and the probability of silence."""
        before = [self.previous, *prompt[-MOST_PROMPT:]] if len(prompt) else []
        feed = [*before, self.start, self.language, self.task] + ([] if timed else [self.no_timestamps])
        logits, past, _ = self.runner.step(np.array([feed]), encoded)
        at_start = logits[0, len(before)]
        silent = float(np.exp(at_start[self.silence] - at_start.max()) / np.exp(at_start - at_start.max()).sum())
        tokens, scores = [], []
        while len(tokens) < most:
            scored = self.allowed(logits[0, -1].copy(), tokens, timed)
            scores.append(-float(np.log(np.exp(scored - scored.max()).sum())))
            token = int(scored.argmax())
            if token == self.end:
                break
            tokens.append(token)
            logits, past, _ = self.runner.step(np.array([[token]]), encoded, past)
        return tokens, float(np.mean(scores)), silent

    def transcribe(self, samples, condition=False):
        """Segments of a recording of any length at 16 kHz."""
        seek, segments, history = 0.0, [], []
        seconds = len(samples) / SAMPLE_RATE
        while seek < seconds:
            begin = round(seek * SAMPLE_RATE)
            tokens, score, silent = self.window(self.encode(samples[begin : begin + SAMPLES]), history if condition else ())
            if silent > 0.6 and (score < -1.0 or not any(token < self.end for token in tokens)):
                seek += CHUNK_SECONDS
                continue
            stamp = [token >= self.first_timestamp for token in tokens]
            cuts = [index for index in range(1, len(tokens)) if stamp[index] and stamp[index - 1]]
            single = len(stamp) > 1 and stamp[-1] and not stamp[-2]
            advance = float(CHUNK_SECONDS)
            if cuts:
                pieces = [tokens[a:b] for a, b in zip([0, *cuts], cuts + ([len(tokens)] if single else []))]
                if not single:
                    advance = (tokens[cuts[-1] - 1] - self.first_timestamp) * TIMESTAMP_SECONDS
            else:
                pieces = [tokens] if any(token < self.end for token in tokens) else []
            for piece in pieces:
                times = [(token - self.first_timestamp) * TIMESTAMP_SECONDS for token in piece if token >= self.first_timestamp]
                text = self.tokenizer.decode([token for token in piece if token < self.end])
                if text.strip():
                    end = times[-1] if len(times) > 1 else min(float(CHUNK_SECONDS), seconds - seek)
                    segments.append(Segment(seek + times[0], min(seconds, seek + end), text))
                    history += [token for token in piece if token < self.end]
            seek += advance if advance > 0 else CHUNK_SECONDS
        return segments

    def word_times(self, encoded, ids):
        """(token, start in seconds) for the ids of a text, by the cross-attention of the alignment heads."""
        feed = [self.start, self.language, self.task, self.no_timestamps, *ids, self.end]
        _, _, attentions = self.runner.step(np.array([feed]), encoded)
        weights = np.stack([attentions[layer][0, head] for layer, head in self.alignment_heads])[:, 3:-1]
        weights = (weights - weights.mean(1, keepdims=True)) / (weights.std(1, keepdims=True) + 1e-9)
        begins = best_path(-weights.mean(0))
        return [(token, begin * TIMESTAMP_SECONDS) for token, begin in zip(ids, begins)]
