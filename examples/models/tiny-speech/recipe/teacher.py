"""Turns phonemes into what the model has to learn: durations, pitch, spectral envelope and breathiness, from espeak-ng's speech."""

from dataclasses import dataclass

import numpy as np
import pyworld

from bands import FLOOR, band_weights
from espeak import SAMPLE_RATE, Espeak, Speaker
from phonemes import BORDER, PAUSES, STRESS, VOCABULARY, split_sound
from voices import VOICES, write_espeak_data

HOP_MS = 5
FRAME_MS = 10
BANDS, NOISE_BANDS = 80, 8
LEAD_MS, TAIL_MS = 50, 100
_LINKS = (";", "r-")


@dataclass
class Lesson:
    """Symbol numbers [n] and their durations in frames of 10 ms [n]; over half frames: envelope [2t, 80] (natural log of power), noise [2t, 8] (share of the
    power), pitch [2t] (natural log of Hz, bridged where unvoiced) and voiced [2t]."""

    voice: int
    ids: np.ndarray
    durations: np.ndarray
    envelope: np.ndarray
    noise: np.ndarray
    pitch: np.ndarray
    voiced: np.ndarray


class Teacher:
    def __init__(self):
        self.espeak = Espeak(write_espeak_data())

    def speak(self, tokens, voice):
        """Tokens: words (tuples of ARPABET sounds) and punctuation. Samples and (symbol number, begin in samples) without the borders, or None when
        espeak-ng did not speak the sounds one by one."""
        text, expected, symbols = write_mnemonics(tokens)
        samples, events = self.espeak.speak(text, Speaker(VOICES[voice].espeak_name))
        return place(samples, events, expected, symbols)

    def lesson(self, tokens, voice):
        spoken = self.speak(tokens, voice)
        if spoken is None:
            return None
        samples, placed = spoken
        ids = np.array([BORDER, *(symbol for symbol, _ in placed), BORDER])
        lead = SAMPLE_RATE * LEAD_MS // 1000
        begins = np.array([0, *(lead + begin for _, begin in placed), lead + len(samples)])
        samples = np.concatenate((np.zeros(lead), samples, np.zeros(SAMPLE_RATE * TAIL_MS // 1000)))
        edges = np.round(begins * 1000 / SAMPLE_RATE / FRAME_MS).astype(int)
        edges = np.append(edges, edges[-1] + TAIL_MS // FRAME_MS)
        count = edges[-1] * FRAME_MS // HOP_MS
        return Lesson(voice, ids.astype(np.uint8), np.diff(edges).astype(np.int16), *analyse(samples, VOICES[voice], count))


def analyse(samples, voice, count):
    """Envelope, noise, pitch and voiced of `count` half frames."""
    samples = samples + np.random.default_rng(0).normal(0, 1e-5, len(samples))
    low, high = voice.pitch
    pitch, times = pyworld.dio(samples, SAMPLE_RATE, f0_floor=low * 0.6, f0_ceil=high * 1.7, frame_period=HOP_MS)
    pitch = pyworld.stonemask(samples, pitch, times, SAMPLE_RATE)
    power = pyworld.cheaptrick(samples, pitch, times, SAMPLE_RATE, fft_size=1024)
    noise = pyworld.d4c(samples, pitch, times, SAMPLE_RATE, fft_size=1024, threshold=0.5)
    bins = power.shape[1]
    envelope = np.log(power @ band_weights(BANDS, bins).T + FLOOR)
    noise = np.clip(noise, 0, 1) ** 2 @ band_weights(NOISE_BANDS, bins).T
    voiced = pitch > 0
    positions = np.arange(len(pitch))
    bridged = np.interp(positions, positions[voiced], np.log(pitch[voiced])) if voiced.any() else np.full(len(pitch), np.log(low))
    return [fit(values, count) for values in (envelope.astype(np.float16), noise.astype(np.float16), bridged.astype(np.float32), voiced)]


def fit(values, count):
    return values[:count] if len(values) >= count else np.concatenate((values, np.repeat(values[-1:], count - len(values), 0)))


def write_mnemonics(tokens):
    """espeak-ng's text, the mnemonics it should report, and for each of Kokoro's symbols its number and which mnemonic it belongs to: (number, mnemonic,
    share of it), -1 for what has no duration of its own, None for pauses."""
    text, expected, symbols, words = [], [], [], []

    def flush(mark=""):
        if words:
            text.append("[[" + " ".join(words) + "]]" + mark + " ")
            words.clear()

    for token in tokens:
        if isinstance(token, tuple):
            parts = []
            for sound in token:
                _, kokoro, mnemonic, digit = split_sound(sound)
                mark, espeak_mark = STRESS[digit or "0"]
                symbols += [(VOCABULARY[symbol], len(expected), -1) for symbol in mark]
                symbols += [(VOCABULARY[symbol], len(expected), index / len(kokoro)) for index, symbol in enumerate(kokoro)]
                expected.append(mnemonic)
                parts.append(espeak_mark + mnemonic)
            words.append("|".join(parts))
        elif token in PAUSES:
            symbols.append((VOCABULARY[token], len(expected) - 1, None))
            flush(PAUSES[token])
        else:
            symbols.append((VOCABULARY[token], len(expected), -1))
    flush()
    return "".join(text), expected, symbols


def place(samples, events, expected, symbols):
    begins, ends = [], []
    for name, begin in events:
        name = name.lstrip("',%=")
        if name in _LINKS:
            continue
        if name.startswith("_"):
            if len(ends) < len(begins):
                ends.append(begin)
            continue
        if len(begins) < len(expected) and name == "r" and expected[len(begins)] != "r":
            continue
        if len(ends) < len(begins):
            ends.append(begin)
        begins.append(begin)
    if len(begins) != len(expected) or len(ends) != len(begins):
        return None
    finish = min(len(samples), ends[-1] + SAMPLE_RATE * 30 // 1000)
    placed = []
    for symbol, index, share in symbols:
        if share is None:
            begin = ends[index]
        elif index == len(begins):
            begin = finish
        else:
            begin = begins[index] + max(share, 0) * (ends[index] - begins[index])
        placed.append((symbol, min(begin, finish)))
    if any(later < earlier for (_, earlier), (_, later) in zip(placed, placed[1:])):
        return None
    return samples[:finish], placed
