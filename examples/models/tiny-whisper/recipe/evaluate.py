"""Word error rates and times of the exported graphs on sentences and voices that training never hears."""

import argparse
import random
import re
from pathlib import Path

import numpy as np

from clips import HELD_OUT_TIMBRES, EspeakClips
from features import SAMPLE_RATE
from noise import Noise
from tiny_speech import TinySpeechClips
from transcribe import Recogniser


def words_of(text):
    """Lower case, without punctuation; the signs of sums stay."""
    return re.sub(r"[.,!?]", " ", text.lower()).split()


def errors(expected, heard):
    """Insertions, deletions and substitutions, at least."""
    row = list(range(len(heard) + 1))
    for i, word in enumerate(expected, 1):
        previous, row[0] = row[0], i
        for j, other in enumerate(heard, 1):
            previous, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, previous + (word != other))
    return row[-1]


class Score:
    """Counts over many texts; scores can be added up."""

    def __init__(self):
        self.wrong = self.words = self.exact = self.count = 0
        self.times, self.mistakes = [], []

    def add(self, text, heard):
        wrong = errors(words_of(text), words_of(heard))
        self.wrong, self.words = self.wrong + wrong, self.words + len(words_of(text))
        self.exact, self.count = self.exact + (text == heard.strip()), self.count + 1
        if wrong:
            self.mistakes.append((text, heard))

    def __add__(self, other):
        total = Score()
        for name in vars(total):
            setattr(total, name, getattr(self, name) + getattr(other, name))
        return total

    def __str__(self):
        line = f"word errors {100 * self.wrong / self.words:.1f} % of {self.words} words, {100 * self.exact / self.count:.0f} % of {self.count} texts exact"
        return line + (f", times off by {1000 * np.median(self.times):.0f} ms (median), {1000 * np.percentile(self.times, 95):.0f} ms (95 %)" if self.times else "")


def transcript(segments):
    return "".join(segment.text for segment in segments)


def single_sentences(recogniser, source, count, noise=None):
    """Sentences one by one, as files of their own."""
    score = Score()
    for _ in range(count):
        clip = source.clip()
        samples = noise.apply(clip.samples) if noise else clip.samples
        segments = recogniser.transcribe(samples)
        score.add(clip.text, transcript(segments))
        if len(segments) == 1:
            score.times += [abs(segments[0].start - clip.words[0][1]), abs(segments[0].end - clip.words[-1][2])]
    return score


def recordings(recogniser, source, count, rng, condition=False):
    """Recordings of 30 to 60 seconds by one speaker, with pauses of 0.1 to 1.5 seconds, now and then of up to 8."""
    score = Score()
    for _ in range(count):
        pieces, texts, target, manner = [], [], rng.uniform(30, 60), source.manner()
        while sum(map(len, pieces)) < target * SAMPLE_RATE:
            clip = source.clip(manner)
            pause = rng.uniform(0.1, 1.5) if rng.random() < 0.93 else rng.uniform(2, 8)
            pieces += [clip.samples, np.zeros(round(pause * SAMPLE_RATE), np.float32)]
            texts.append(clip.text)
        samples = np.concatenate(pieces)
        samples = samples + 0.0005 * np.random.default_rng(len(samples)).standard_normal(len(samples)).astype(np.float32)
        score.add(" ".join(texts), transcript(recogniser.transcribe(samples, condition)))
    return score


def silences(recogniser, count, noise):
    """How many recordings without speech get any text."""
    lengths = [noise.rng.uniform(0.5, 25) for _ in range(count)]
    spoken = [transcript(recogniser.transcribe(noise.apply(np.zeros(round(seconds * SAMPLE_RATE), np.float32)))) for seconds in lengths]
    return sum(bool(text.strip()) for text in spoken), spoken


def word_starts(recogniser, source, count):
    """Distances of the words' starts by cross-attention from the true ones, in seconds."""
    distances = []
    for _ in range(count):
        clip = source.clip()
        if clip.seconds > 9.5:
            continue
        ids = [recogniser.tokenizer.encode(f" {word}", add_special_tokens=False).ids for word, _, _ in clip.words]
        starts = recogniser.word_times(recogniser.encode(clip.samples), [token for word in ids for token in word])
        position = 0
        for word, (_, start, _) in zip(ids, clip.words):
            distances.append(abs(starts[position][1] - start))
            position += len(word)
    return np.array(distances)


def evaluate(folder, count, show):
    recogniser = Recogniser(folder)

    def told(name, score):
        print(f"{name}: {score}", flush=True)
        for text, heard in score.mistakes[:show]:
            print(f"    {text}\n    {heard.strip()}")

    told("held-out sentences", single_sentences(recogniser, EspeakClips(101, held_out=True), count))
    strangers = EspeakClips(102, held_out=True, held_out_voices=True)
    scores = {}
    for timbre in HELD_OUT_TIMBRES:
        strangers.timbres = [timbre]
        scores[timbre] = single_sentences(recogniser, strangers, max(1, count // len(HELD_OUT_TIMBRES)))
    told("held-out sentences, held-out voices", sum(scores.values(), Score()))
    print("    " + ", ".join(f"{timbre} {100 * score.wrong / score.words:.1f} %" for timbre, score in scores.items()), flush=True)
    told("held-out sentences with noise, rooms and filters", single_sentences(recogniser, EspeakClips(103, held_out=True), count, Noise(103)))
    told("held-out sentences, spoken by tiny-speech", single_sentences(recogniser, TinySpeechClips(107, held_out=True), count))
    for condition in (False, True):
        told(f"recordings of 30 to 60 s, text before {'given' if condition else 'not given'}",
             recordings(recogniser, EspeakClips(104, held_out=True), max(1, count // 15), random.Random(104), condition))
    told("recordings of 30 to 60 s, spoken by tiny-speech", recordings(recogniser, TinySpeechClips(108, held_out=True), max(1, count // 15), random.Random(108)))
    spoken, texts = silences(recogniser, count // 2, Noise(105))
    print(f"silence and noise: {spoken} of {count // 2} recordings got text", [text for text in texts if text][:show])
    distances = word_starts(recogniser, EspeakClips(106, held_out=True), count // 4)
    print(f"word starts: off by {1000 * np.median(distances):.0f} ms (median), {1000 * np.percentile(distances, 95):.0f} ms (95 %)")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folder", type=Path, default=Path(__file__).parent.parent)
    parser.add_argument("--count", type=int, default=300, help="sentences of every kind")
    parser.add_argument("--show", type=int, default=0, help="mistakes to print of every kind")
    options = parser.parse_args()
    evaluate(options.folder, options.count, options.show)
