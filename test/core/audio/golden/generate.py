"""Writes log-mel.json: what transformers' `WhisperFeatureExtractor` makes of ten clips.

The clips come from formulas that `clips.ts` repeats, so that only the outcome is stored: of each clip every
`frameStep`-th frame, as base64 of little-endian float32, `[frames × melBins]`. The extractor's NumPy path is used, which
transforms in double precision; its PyTorch path, in single precision, differs by up to 6e-5. Made with Python 3.11,
NumPy 2.4 and transformers 5.23; the noise is a linear congruential generator's with seed 1:
`python generate.py > log-mel.json`
"""

import base64
import json
import platform

import numpy as np
import transformers
from transformers.models.whisper import feature_extraction_whisper

feature_extraction_whisper.is_torch_available = lambda: False

RATE = 16_000


def seconds(duration):
    return np.arange(round(duration * RATE)) / RATE


def noise(duration):
    state, values = 1, []
    for _ in range(round(duration * RATE)):
        state = (state * 1664525 + 1013904223) % 2**32
        values.append(state / 2**31 - 1)
    return np.array(values)


def tone(t, hertz):
    return np.sin(2 * np.pi * hertz * t)


def impulses(duration):
    values = np.zeros(round(duration * RATE))
    values[::1234] = 1
    return values


def vowel(t):
    """Harmonics of a pitch that falls from 140 to 100 Hz, under three formants, in syllables."""
    cycles = 140 * t - 10 * t**2
    total = np.zeros_like(t)
    for harmonic in range(1, 25):
        hertz = 120 * harmonic
        level = sum(np.exp(-(((hertz - formant) / 120) ** 2)) for formant in (700, 1220, 2600))
        total += (level + 0.01) * np.sin(2 * np.pi * harmonic * cycles)
    return 0.2 * total * np.sin(np.pi * 2.5 * t) ** 2


def clips():
    yield "silence", 80, 1, 5, np.zeros(RATE)
    yield "tone of 440 Hz", 80, 1, 5, 0.5 * tone(seconds(1), 440)
    yield "tone, cut short", 80, 1, 5, 0.5 * tone(seconds(0.4), 440)
    yield "rising tone", 80, 2, 9, 0.8 * tone(seconds(2) ** 2, 1900)
    yield "noise", 80, 1, 5, 0.3 * noise(1)
    yield "faint noise", 80, 1, 5, 1e-4 * noise(1)
    yield "impulses", 80, 1, 5, impulses(1)
    yield "vowels", 128, 2, 9, vowel(seconds(2))
    yield "vowels in noise, padded to 30 s", 80, 30, 101, vowel(seconds(2)) + 0.01 * noise(2)
    yield "three tones and noise", 128, 1, 5, (
        0.3 * tone(seconds(1), 220) + 0.2 * tone(seconds(1), 1330) + 0.1 * tone(seconds(1), 6100) + 1e-3 * noise(1)
    )


def features(samples, mel_bins, chunk_seconds):
    extractor = transformers.WhisperFeatureExtractor(feature_size=mel_bins, chunk_length=chunk_seconds)
    return extractor(samples.astype(np.float32), sampling_rate=RATE, return_tensors="np").input_features[0]


def entry(name, mel_bins, chunk_seconds, frame_step, samples):
    kept = features(samples, mel_bins, chunk_seconds).T[::frame_step]
    return {
        "name": name,
        "melBins": mel_bins,
        "chunkSeconds": chunk_seconds,
        "frameStep": frame_step,
        "values": base64.b64encode(np.ascontiguousarray(kept, "<f4").tobytes()).decode(),
    }


if __name__ == "__main__":
    versions = {
        "python": platform.python_version(),
        "numpy": np.__version__,
        "transformers": transformers.__version__,
    }
    print(json.dumps({"versions": versions, "clips": [entry(*clip) for clip in clips()]}, indent=1))
