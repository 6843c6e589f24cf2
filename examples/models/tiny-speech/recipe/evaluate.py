"""Measures the exported model: pitch of every voice, what speed and mixing do, real-time factor; and how far the weights are from their teacher."""

import argparse
import random
import time
from pathlib import Path

import numpy as np
import pyworld

from corpus import sentence
from model import load
from synthesize import Speaker
from train import held_out_loss
from vocoder import RATE
from voices import VOICES

DECIBELS = 10 / np.log(10)


def pitch_of(samples):
    """Hz of the voiced half frames."""
    pitch, times = pyworld.dio(samples.astype(np.float64), RATE, f0_floor=50, f0_ceil=450)
    pitch = pyworld.stonemask(samples.astype(np.float64), pitch, times, RATE)
    return pitch[pitch > 0]


def measure(speaker, texts, voice, speed=1.0):
    """Pitch (5 %, median, 95 %), seconds of speech, and seconds of work for each of them."""
    pitches, seconds, begun, work = [], 0.0, 0.0, 0.0
    for text in texts:
        phonemes = speaker.phonemes(text)
        begun = time.perf_counter()
        samples = speaker.runner.speak(phonemes, speaker.runner.voice(voice), speed)
        work += time.perf_counter() - begun
        seconds += len(samples) / RATE
        pitches.append(pitch_of(samples))
    return np.percentile(np.concatenate(pitches), (5, 50, 95)), seconds, work / seconds


def report(folder, count=40):
    speaker, rng = Speaker(folder), random.Random("held-out sentences")
    texts = [sentence(rng, test=True) for _ in range(count)]
    plain = [(voice.name, 1.0) for voice in VOICES]
    first, other = VOICES[0].name, VOICES[2].name
    lines = ["| voice | speed | median pitch | 5 % to 95 % | seconds | real-time factor |", "| --- | --- | --- | --- | --- | --- |"]
    for voice, speed in plain + [(f"{first}+{other}", 1.0)] + [(first, speed) for speed in (0.25, 0.5, 2.0, 4.0)]:
        (low, middle, high), seconds, factor = measure(speaker, texts, voice, speed)
        lines.append(f"| {voice} | {speed:g} | {middle:.0f} Hz | {low:.0f} to {high:.0f} Hz | {seconds:.1f} | {factor:.3f} |")
    return "\n".join(lines)


def against_teacher(weights, lessons):
    """Mean distances from espeak-ng on lessons that training has not seen."""
    loss = held_out_loss(load(weights), lessons)
    return (f"from the teacher: envelope {loss['envelope'] * DECIBELS:.2f} dB, pitch {loss['pitch'] * 12 / np.log(2):.2f} semitones, "
            f"durations {100 * np.expm1(loss['duration']):.1f} % (of a frame more)")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folder", type=Path, default=Path(__file__).resolve().parent.parent)
    parser.add_argument("--count", type=int, default=40, help="sentences")
    parser.add_argument("--weights", type=Path, help="a checkpoint of the training, with --lessons")
    parser.add_argument("--lessons", type=Path)
    options = parser.parse_args()
    if options.weights and options.lessons:
        print(against_teacher(options.weights, options.lessons))
    print(report(options.folder, options.count))
