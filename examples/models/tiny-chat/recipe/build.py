"""Makes the whole model from nothing: tokenizer, training, export, evaluation.

    python recipe/build.py
"""

import argparse
import tempfile
from pathlib import Path

import build_tokenizer
import evaluate
import export
import train


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", type=Path, default=Path(__file__).resolve().parent.parent, help="where the model goes")
    parser.add_argument("--checkpoint", type=Path, default=Path(tempfile.gettempdir()) / "tiny-chat.pt", help="where the weights are kept while training")
    parser.add_argument("--scale", type=float, default=1.0, help="factor on the training time, which is more than three hours")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--processes", type=int, default=2, help="processes of the training, one processor each")
    parser.add_argument("--count", type=int, default=200, help="test prompts for each skill, 0 for none")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    tokenizer_path = options.folder / "tokenizer.json"
    build_tokenizer.build(tokenizer_path)
    train.train(tokenizer_path, options.checkpoint, options.scale, options.seed, options.processes)
    print("largest difference between cached and plain logits:", export.export(options.checkpoint, options.folder))
    if options.count:
        print(evaluate.table(evaluate.evaluate(options.folder, options.count, [0.7, 0.0], evaluate.SKILLS, seed=7)))


if __name__ == "__main__":
    main()
