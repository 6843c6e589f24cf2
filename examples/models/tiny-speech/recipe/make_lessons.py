"""Lets the teacher speak, and keeps the lessons in files of a few minutes each."""

import argparse
import pickle
import random
from pathlib import Path

from corpus import lesson_tokens
from phonemes import read_dictionary
from teacher import Teacher
from voices import VOICES

HOURS = 2.5
PER_FILE = 200


def make(folder, hours, seed, log):
    """Files lessons-0000.pkl, … of lists of lessons. Goes on after those that are there."""
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    dictionary = read_dictionary()
    words = [word for word in dictionary if word.isalpha()]
    teacher, seconds, failed, index = Teacher(), 0.0, 0, 0
    while seconds < hours * 3600:
        path = folder / f"lessons-{index:04d}.pkl"
        rng, lessons = random.Random(f"{seed} {index}"), []
        while len(lessons) < PER_FILE and not path.exists():
            lesson = teacher.lesson(lesson_tokens(rng, dictionary, words), len(lessons) % len(VOICES))
            failed += lesson is None
            if lesson is not None and lesson.durations.sum() < 1500:
                lessons.append(lesson)
        if lessons:
            path.with_suffix(".part").write_bytes(pickle.dumps(lessons))
            path.with_suffix(".part").rename(path)
        seconds += sum(int(lesson.durations.sum()) for lesson in pickle.loads(path.read_bytes())) / 100
        index += 1
        log(f"{index} files, {seconds / 3600:.2f} hours, {failed} refused")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--hours", type=float, default=HOURS)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    make(options.folder, options.hours, options.seed, lambda text: print(text, flush=True))
