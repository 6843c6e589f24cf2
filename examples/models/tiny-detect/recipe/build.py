"""Makes the whole model from nothing: training, export, evaluation.

    python recipe/build.py
"""

import argparse
import tempfile
from pathlib import Path

import evaluate
import export
import train


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", type=Path, default=Path(__file__).resolve().parent.parent, help="where the model goes")
    parser.add_argument("--checkpoint", type=Path, default=Path(tempfile.gettempdir()) / "tiny-detect.pt", help="where the weights are kept while training")
    parser.add_argument("--minutes", type=float, default=train.MINUTES, help="time for the training")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--count", type=int, default=500, help="test scenes, 0 for none")
    options = parser.parse_args()
    train.train(options.checkpoint, options.minutes, options.seed, options.threads, lambda text: print(text, flush=True))
    print("largest relative difference between graph and PyTorch:", export.export(options.checkpoint, options.folder))
    if options.count:
        print(evaluate.table([evaluate.evaluate(options.folder, side, options.count, options.threads) for side in (640, 320, 1024)], options.count))


if __name__ == "__main__":
    main()
