"""Writes tokenizers, texts and what the Rust library makes of them, for `benchmarks/tokenization-differential.js`.

Usage: python differential.py FOLDER [MEGABYTES] [tokenizer.json …]

Needs `tokenizers` 0.23 and `sentencepiece`.
"""

import array
import json
import os
import sys
import zlib

os.environ["TOKENIZERS_PARALLELISM"] = "false"
os.environ.setdefault("RAYON_NUM_THREADS", "1")
sys.path.insert(0, os.path.dirname(__file__))

from texts import Texts, real_texts  # noqa: E402
from tokenizers import Tokenizer  # noqa: E402
from tokenizers_of_all_kinds import KINDS  # noqa: E402

root = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../..")
folder, megabytes, real = sys.argv[1], float(sys.argv[2]) if len(sys.argv) > 2 else 20, sys.argv[3:]
os.makedirs(folder, exist_ok=True)
source = Texts(7, *real_texts(root))
texts = source.many(megabytes * 1e6)
training = Texts(8, *real_texts(root)).many(1.5e6)
json.dump(texts, open(os.path.join(folder, "texts.json"), "w", encoding="utf-8"), ensure_ascii=False)

tokenizers = {kind.__name__: lambda kind=kind: kind(training, 6000) for kind in KINDS}
tokenizers |= {os.path.basename(os.path.dirname(path)): lambda path=path: Tokenizer.from_file(path) for path in real}
only = os.environ.get("ONLY")
for name, make in tokenizers.items():
    if only and name not in only.split(","):
        continue
    tokenizer = make()
    tokenizer.no_truncation()
    tokenizer.no_padding()
    open(os.path.join(folder, f"{name}.json"), "w", encoding="utf-8").write(tokenizer.to_str())
    expected = array.array("i")
    for index, text in enumerate(texts):
        encoding = tokenizer.encode(text)
        decoded = tokenizer.decode(encoding.ids, skip_special_tokens=index % 2 == 0)
        expected.append(len(encoding.ids))
        expected.extend(encoding.ids)
        for start, end in encoding.offsets:
            expected.append(start)
            expected.append(end)
        for checked in ("\0".join(encoding.tokens), decoded, ",".join(str(-1 if w is None else w) for w in encoding.word_ids)):
            checksum = zlib.crc32(checked.encode())
            expected.append(checksum - 2**32 if checksum >= 2**31 else checksum)
    expected.tofile(open(os.path.join(folder, f"{name}.bin"), "wb"))
    print(f"{name}: {tokenizer.get_vocab_size()} tokens, {len(texts)} texts", flush=True)
