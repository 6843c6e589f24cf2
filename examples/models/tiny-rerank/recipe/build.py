"""Makes the whole model: training upon tiny-embed, export, evaluation.

    python recipe/build.py
"""

import argparse
from pathlib import Path

import evaluate
import export
import train


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", type=Path, default=Path(__file__).resolve().parent.parent, help="where the model goes")
    parser.add_argument("--steps", type=int, default=3000, help="of training; about 0.7 s each")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--threads", type=int, default=1)
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    model = train.train(options.steps, options.seed, options.threads, lambda text: print(text, flush=True))
    export.export(model, options.folder)
    for name, value in evaluate.evaluate(options.folder).items():
        print(f"{name}: {value}")


if __name__ == "__main__":
    main()
