"""Makes whisper.json: what transformers' Whisper does with random logits, matrices and sequences of tokens.

Run with Python 3.11, torch 2.13.0, transformers 5.23.0:  python generate.py
"""

import json
import random
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import torch
import transformers
from transformers.generation.logits_process import WhisperTimeStampLogitsProcessor
from transformers.models.whisper.generation_whisper import WhisperGenerationMixin, _dynamic_time_warping, _median_filter

SEED = 5
END, NO_TIMESTAMPS, VOCABULARY = 12, 16, 30
FIRST = NO_TIMESTAMPS + 1


def rule_cases(rng, count=300):
    """Tokens so far, logits in eighths, and the tokens that may follow."""
    cases = []
    while len(cases) < count:
        limit = rng.choice([None, 0, 4])
        config = SimpleNamespace(no_timestamps_token_id=NO_TIMESTAMPS, eos_token_id=END, bos_token_id=END, max_initial_timestamp_index=limit)
        rules = WhisperTimeStampLogitsProcessor(config, begin_index=2)
        tokens = []
        while len(cases) < count and len(tokens) < 12:
            eighths = [rng.randint(-40, 40) for _ in range(VOCABULARY)]
            scores = torch.tensor([eighths], dtype=torch.float64) / 8
            allowed = torch.isfinite(rules(torch.tensor([[1, 2, *tokens]]), scores)[0]).nonzero().flatten().tolist()
            cases.append({"limit": limit, "tokens": list(tokens), "eighths": eighths, "allowed": allowed})
            following = [token for token in allowed if token != END]
            if not following:
                break
            tokens.append(rng.choice(following))
    return cases


def split_cases(rng, count=60):
    """Decoded tokens, and the segments and the advance that follow from them, in positions."""
    cases = []
    for _ in range(count):
        tokens, time = [], rng.randint(0, 2)
        for _ in range(rng.randint(0, 4)):
            end = time + rng.randint(1, 3)
            tokens += [FIRST + time, *(rng.randrange(END) for _ in range(rng.randint(1, 3))), FIRST + end]
            time = end + rng.choice([0, 0, 1])
        tokens += rng.choice([[], [], [FIRST + time], [FIRST + time, 3, 4]]) if tokens else rng.choice([[5], [FIRST, 5], [FIRST + 2, 5, 6]])
        if len(tokens) > 1 and tokens[-1] >= FIRST and tokens[-2] >= FIRST and tokens[-1] < tokens[-2]:
            continue
        positions = 20
        segments, advance = WhisperGenerationMixin._retrieve_segment(
            seek_sequence=torch.tensor(tokens), seek_outputs=[None], time_offset=torch.tensor([0.0], dtype=torch.float64), timestamp_begin=FIRST,
            seek_num_frames=torch.tensor([2 * positions]), time_precision=1, time_precision_features=0.5, input_stride=2, prev_idx=0, idx=0,
            return_token_timestamps=False, decoder_input_ids=torch.zeros(1, 0),
        )
        cases.append({
            "tokens": tokens,
            "positions": positions,
            "segments": [[int(segment["start"]), int(segment["end"])] for segment in segments],
            "consumed": int(advance) // 2,
        })
    return cases


def warping_cases(generator, count=12):
    cases = []
    for _ in range(count):
        rows, columns = (int(generator.integers(1, 9)), int(generator.integers(1, 15)))
        costs = generator.integers(-9, 10, (rows, columns))
        path = _dynamic_time_warping(costs.astype(np.float64))
        cases.append({"rows": rows, "columns": columns, "costs": costs.flatten().tolist(), "path": [axis.tolist() for axis in path]})
    return cases


def median_cases(generator):
    cases = []
    for width, length in [(1, 4), (3, 1), (3, 6), (5, 9), (7, 3), (7, 4), (7, 20)]:
        values = generator.integers(-50, 50, length)
        filtered = _median_filter(torch.tensor(values, dtype=torch.float32)[None, None], width)[0, 0]
        cases.append({"width": width, "values": values.tolist(), "filtered": filtered.tolist()})
    return cases


def alignment_cases(generator, count=6):
    """Attention of two heads in thousandths, and when each of the tokens from `start` to `end` begins."""
    cases = []
    for _ in range(count):
        rows, columns = int(generator.integers(6, 12)), int(generator.integers(20, 40))
        start, end = 3, rows - 1
        weights = []
        for _ in range(2):
            centers = np.sort(generator.uniform(0, columns, rows))
            looks = np.exp(-0.5 * ((np.arange(columns) - centers[:, None]) / 2) ** 2) + 0.05 * generator.uniform(size=(rows, columns))
            weights.append(np.round(1000 * looks / looks.sum(1, keepdims=True)))
        weights = np.stack(weights)
        used = torch.tensor(weights / weights.sum(2, keepdims=True))
        standard = (used - used.mean(1, keepdim=True)) / used.std(1, keepdim=True, unbiased=False)
        matrix = _median_filter(standard[None], 7)[0].mean(0)[start:end]
        text, time = _dynamic_time_warping(-matrix.numpy())
        jumps = np.pad(np.diff(text), (1, 0), constant_values=1).astype(bool)
        cases.append({
            "rows": rows, "columns": columns, "start": start, "end": end,
            "heads": weights.astype(int).reshape(2, -1).tolist(), "times": time[jumps].tolist(),
        })
    return cases


if __name__ == "__main__":
    rng, generator = random.Random(SEED), np.random.default_rng(SEED)
    result = {
        "generator": f"generate.py, transformers {transformers.__version__}, seed {SEED}",
        "vocabulary": {"endOfText": END, "noTimestamps": NO_TIMESTAMPS, "timestampBegin": FIRST},
        "rules": rule_cases(rng),
        "splits": split_cases(rng),
        "warpings": warping_cases(generator),
        "medians": median_cases(generator),
        "alignments": alignment_cases(generator),
    }
    path = Path(__file__).with_name("whisper.json")
    path.write_text(json.dumps(result, separators=(",", ":")).replace('},{', '},\n{') + "\n")
