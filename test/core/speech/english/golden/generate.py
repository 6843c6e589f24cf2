"""Writes unknown-words.json: 500 words of each of misaki's two American dictionaries that CMUdict lacks, with all their
pronunciations. Those of silver are not in gold. Stress is left out, and symbols that Kokoro's phonemes don't need are
written as what they stand for: flaps as `t`, weak vowels as `ə` and `ɪ`.

Run with Python 3.11 and misaki 0.9.4 (Apache-2.0) beside cmu-pronouncing-dictionary 3.0.0, whose words are read from
node_modules: `pip install --no-deps misaki==0.9.4 && python generate.py`. The seed of the sample is 59.
"""

import json
import random
import re
import sys
from importlib.resources import files
from pathlib import Path

HERE = Path(__file__).parent
CMUDICT = HERE.parents[4] / "node_modules/cmu-pronouncing-dictionary/index.js"
PLAIN = str.maketrans({"ˈ": None, "ˌ": None, "ɾ": "t", "ʔ": "t", "ᵊ": "ə", "ᵻ": "ɪ", "ɐ": "ə"})

known = set(re.findall(r'^  "?([a-z\']+)"?: "', CMUDICT.read_text(), re.M))
data = Path(sys.argv[1]) if len(sys.argv) > 1 else files("misaki") / "data"
gold = json.loads((data / "us_gold.json").read_text(encoding="utf8"))
silver = json.loads((data / "us_silver.json").read_text(encoding="utf8"))


def sample(dictionary, without):
    excluded = known | without
    words = [word for word in sorted(dictionary) if re.fullmatch("[a-z]{3,}", word) and word not in excluded]
    said = {}
    for word in sorted(random.sample(words, 500)):
        entry = dictionary[word]
        ways = [entry] if isinstance(entry, str) else [way for way in entry.values() if way]
        said[word] = sorted({way.translate(PLAIN) for way in ways})
    return said


random.seed(59)
golden = {"gold": sample(gold, set()), "silver": sample(silver, gold.keys())}
lines = json.dumps(golden, ensure_ascii=False, indent=1).replace("[\n   ", "[").replace("\n  ]", "]").replace(",\n   ", ", ")
(HERE / "unknown-words.json").write_text(lines + "\n", encoding="utf8")
