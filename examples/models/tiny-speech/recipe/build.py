"""Makes the whole model from nothing: lessons, training, export, evaluation.

    python recipe/build.py
"""

import argparse
import tempfile
from pathlib import Path

import evaluate
import export
import make_lessons
import train


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", type=Path, default=Path(__file__).resolve().parent.parent, help="where the model goes")
    parser.add_argument("--work", type=Path, default=Path(tempfile.gettempdir()) / "tiny-speech-work", help="where lessons and weights are kept")
    parser.add_argument("--hours", type=float, default=make_lessons.HOURS, help="speech of the teacher")
    parser.add_argument("--minutes", type=float, default=train.MINUTES, help="time for the training")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--threads", type=int, default=1)
    options = parser.parse_args()

    def log(text):
        print(text, flush=True)

    lessons, weights = options.work / "lessons", options.work / "weights.pt"
    make_lessons.make(lessons, options.hours, options.seed, log)
    train.train(weights, lessons, options.minutes, options.seed, options.threads, log)
    log(f"largest difference between the samples of graph and PyTorch: {export.export(weights, options.folder)}")
    log(evaluate.against_teacher(weights, lessons))
    log(evaluate.report(options.folder))


if __name__ == "__main__":
    main()
