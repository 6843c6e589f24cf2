"""Makes the whole model from nothing: tokenizer, training of eyes and words, export, evaluation.

    python recipe/build.py
"""

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

import build_tokenizer
import export
import train


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", type=Path, default=Path(__file__).resolve().parent.parent, help="where the model goes")
    parser.add_argument("--checkpoint", type=Path, default=Path(tempfile.gettempdir()) / "tiny-vision.pt", help="where the weights are kept while training")
    parser.add_argument("--scale", type=float, default=1, help="times as long a training")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--count", type=int, default=200, help="test drawings, 0 for none")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    tokenizer_path, start = options.folder / "tokenizer.json", None
    build_tokenizer.build(tokenizer_path)
    for lesson, minutes in train.MINUTES.items():
        train.train(tokenizer_path, options.checkpoint, lesson, options.scale * minutes, options.seed, options.threads, lambda text: print(text, flush=True), start)
        start = options.checkpoint
    print("largest difference between graphs and PyTorch:", export.export(options.checkpoint, options.folder))
    if options.count:
        subprocess.run([sys.executable, str(Path(__file__).with_name("evaluate.py")), "--folder", str(options.folder), "--count", str(options.count)], check=True)


if __name__ == "__main__":
    main()
