"""Spoken sentences with the times of their words and phonemes."""

from dataclasses import dataclass

import numpy as np

from espeak import Manner, Speaker
from features import SAMPLE_RATE
from sentences import SentenceMaker, spoken_words
from timbres import drawn_timbre

ACCENTS = ["gmw/en-US", "gmw/en-US", "gmw/en-US", "gmw/en", "gmw/en", "gmw/en-GB-x-rp", "gmw/en-GB-scotland", "gmw/en-US-nyc", "gmw/en-GB-x-gbclan"]
TIMBRES = (
    ["", "", ""] + "m1 m2 m3 m4 m5 m7 m8 f1 f2 f4 f5 m1 m2 m3 m4 m5 m7 f1 f2 f4 f5".split()
    + "Alex Alicia Andy Annie Gene Lee Michael Mike adam anika announcer belinda benjamin boris david ed linda max paul pedro quincy rob robert shelby travis victor zac klatt klatt2".split()
)
# Heard in the last stage only.
LATER_TIMBRES = "AnxiousAndy Denis Diogo Gene2 Jacky Mario Nguyen Reed Storm antonio aunty gustave grandma ian iven kaukovalta marcelo michel pablo".split()
HELD_OUT_TIMBRES = "m6 f3 steph john Andrea edward Marco norbert".split()

# Speeds at which a recording's spectrum has a length that is quick to transform.
TAPES = [10240 / length for length in (8704, 9216, 9728, 10752, 11264, 11776)]

SILENCE = 0
PHONEMES = ["_"] + "n t k s r d l z @ E w I p a# m D b i: aI f @L v a g 0 N j 3: eI i u: I2 oU e@ V @2 r- T A@ dZ aI@ h 3 tS aU o@ O: S O2 I# O@ U IR i@ w# A: aa".split()
PHONEME_IDS = {name: index for index, name in enumerate(PHONEMES)}
ALIASES = {"aI2": "aI", "i@3": "i@", "t#": "t", "t[": "t", "t2": "t", "@5": "@", "VR": "3:", "aa": "a", "U@": "u:", "a": "a", "o": "O:", "oU2": "oU", "E2": "E", "l#": "l", "@L": "@L"}
# What has no label; nothing is taught there.
UNKNOWN = -1


@dataclass(frozen=True)
class Clip:
    """`words` are (written word, start, end) and `phonemes` (id, start, end), in seconds."""

    text: str
    samples: np.ndarray
    words: list
    phonemes: list

    @property
    def seconds(self):
        return len(self.samples) / SAMPLE_RATE


def resample(samples, rate, new_rate=SAMPLE_RATE):
    """Band-limited, in the frequency domain; the ends should be silent."""
    if rate == new_rate:
        return samples
    length = len(samples)
    padded = length + (-length) % 14112
    new_padded = round(padded * new_rate / rate)
    spectrum = np.fft.rfft(samples, padded)[: new_padded // 2 + 1]
    return np.fft.irfft(spectrum * np.float32(new_rate / rate), new_padded)[: round(length * new_rate / rate)]


def phoneme_id(name):
    name = name.lstrip("',%=|")
    if name.startswith("_") or name in ("", ";", ":"):
        return SILENCE
    return PHONEME_IDS.get(ALIASES.get(name, name), UNKNOWN)


class EspeakClips:
    """An endless source of clips by espeak-ng's voices; `drawn` is the share of those with a drawn timbre."""

    def __init__(self, seed, held_out=False, held_out_voices=False, stretched=False, drawn=0.0):
        self.maker = SentenceMaker(seed, held_out)
        self.random = self.maker.random
        self.timbres = HELD_OUT_TIMBRES if held_out_voices else TIMBRES + LATER_TIMBRES if drawn else TIMBRES
        self.stretched, self.drawn = stretched, drawn
        self.speaker = Speaker()

    def manner(self):
        pick, between = self.random.choice, self.random.randint
        drawn = self.drawn > 0 and self.random.random() < self.drawn
        variant = "" if drawn else pick(self.timbres)
        return Manner(voice=pick(ACCENTS) + (f"+{variant}" if variant else ""), timbre=drawn_timbre(self.random) if drawn else "", speed=between(110, 260) if self.random.random() < 0.5 else between(140, 200),
                      pitch=between(20, 80), range=between(20, 80), volume=between(60, 100), word_gap=pick([0, 0, 0, 0, 1, 2, 4]),
                      tape=pick(TAPES) if self.stretched and self.random.random() < 0.5 else 1.0)

    def clip(self, manner=None, text=None):
        text = text or self.maker.sentence()
        manner = manner or self.manner()
        spoken = spoken_words(text)
        samples, word_events, phoneme_events = self.speaker.say(" ".join(spoken), manner)
        rate = self.speaker.sample_rate * manner.tape
        phonemes = []
        for index, (name, begin) in enumerate(phoneme_events):
            end = phoneme_events[index + 1][1] if index + 1 < len(phoneme_events) else len(samples)
            identifier = phoneme_id(name)
            if name.startswith(";") and phonemes:
                identifier = phonemes[-1][0]
            if end > begin:
                phonemes.append((identifier, begin / rate, end / rate))
        starts, position = [], 0
        for word in spoken:
            starts.append(position)
            position += len(word) + 1
        times = [None] * len(spoken)
        for character, sample in word_events:
            index = max(i for i, start in enumerate(starts) if start <= max(character, 0))
            if times[index] is None:
                times[index] = sample / rate
        return Clip(text, resample(samples.astype(np.float32) / 32768, rate), timed_words(text, times, phonemes), phonemes)


def timed_words(text, starts, phonemes):
    """Words with start and end: from their first to their last phoneme. A word without a start of its own shares the one before."""
    sounds = [(begin, end) for identifier, begin, end in phonemes if identifier != SILENCE]
    words = []
    for index, written in enumerate(text.split(" ")):
        start = starts[index]
        if start is None:
            words.append((written, words[-1][1], words[-1][2]) if words else (written, sounds[0][0], sounds[0][1]))
            continue
        following = next((time for time in starts[index + 1 :] if time is not None), float("inf"))
        inside = [(begin, end) for begin, end in sounds if begin >= start - 0.011 and begin < following - 0.011]
        words.append((written, inside[0][0], inside[-1][1]) if inside else (written, start, min(start + 0.1, following)))
    return words
