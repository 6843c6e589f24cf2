"""Makes the whole model from nothing: tokenizer, training, export, evaluation.

    python recipe/build.py
"""

import argparse
from pathlib import Path

import build_tokenizer
import evaluate
import export
import train


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", type=Path, default=Path(__file__).resolve().parent.parent, help="where the model goes")
    parser.add_argument("--steps", type=int, default=700, help="of training; about half a second each")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--threads", type=int, default=1)
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    build_tokenizer.build(options.folder)
    model = train.train(options.folder, options.steps, options.seed, options.threads, lambda text: print(text, flush=True))
    export.export(model, options.folder)
    for name, value in evaluate.evaluate(options.folder).items():
        print(f"{name}: {100 * value:.1f} %")


if __name__ == "__main__":
    main()
