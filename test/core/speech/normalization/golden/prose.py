"""Readings of prose.tsv by NeMo's text normalization.

    pip install nemo_text_processing
    python prose.py

writes prose.json, by text. Written with Python 3.11 and the versions that prose.json states.
"""

import json
from importlib.metadata import version
from pathlib import Path

from nemo_text_processing.text_normalization.normalize import Normalizer


def main():
    here = Path(__file__).parent
    texts = [line.split("\t")[1] for line in (here / "prose.tsv").read_text().strip().split("\n")]
    normalizer = Normalizer(input_case="cased", lang="en")
    golden = dict(versions={"nemo_text_processing": version("nemo_text_processing")}, nemo={text: normalizer.normalize(text) for text in texts})
    (here / "prose.json").write_text(json.dumps(golden, ensure_ascii=False, indent=1) + "\n")


if __name__ == "__main__":
    main()
