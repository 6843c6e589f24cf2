"""Writes golden.json.gz: small tokenizers of all kinds, texts, and what the Rust library makes of them.

Usage: python generate.py

Needs `tokenizers` 0.23 and `sentencepiece`.
"""

import gzip
import json
import os
import sys

os.environ["TOKENIZERS_PARALLELISM"] = "false"
os.environ.setdefault("RAYON_NUM_THREADS", "1")
folder = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, folder)

import tokenizers  # noqa: E402
import tokenizers_of_all_kinds as kinds  # noqa: E402
from texts import Texts  # noqa: E402

SEED = 11
training = Texts(SEED + 1).many(150_000)
source = Texts(SEED)
texts = ["", " ", "a", "Hello, world!", "\r\n", "e\u0301\r\n\u00ad\u0001x", "The masked Été: étéx the of of the <mask> masked", "İstanbul ΣΑΣ ǅ ſ K ﬃ"]
texts += [text[: source.random.choice([20, 60, 200])] for text in source.many(14_000)]


def summary(encoding):
    result = {"ids": encoding.ids, "tokens": encoding.tokens, "offsets": [place for span in encoding.offsets for place in span]}
    return result | {"words": [-1 if word is None else word for word in encoding.word_ids]}


def details(encoding, outer=True):
    result = summary(encoding) | {"typeIds": encoding.type_ids, "attention": encoding.attention_mask, "special": encoding.special_tokens_mask}
    return result | ({"overflowing": [details(part, False) for part in encoding.overflowing]} if outer else {})


SETTINGS = [
    {"truncation": {"max_length": 12, "stride": 3, "direction": "right", "strategy": "longest_first"}},
    {"truncation": {"max_length": 9, "stride": 0, "direction": "left", "strategy": "longest_first"}, "padding": {"length": 16, "direction": "left", "pad_id": 1, "pad_type_id": 2, "pad_token": "…"}},
    {"padding": {"length": None, "pad_to_multiple_of": 8, "direction": "right", "pad_id": 0, "pad_type_id": 0, "pad_token": "[PAD]"}},
]

small = {"xlm_roberta", "t5"}
PATTERNS = [
    r"\s+", r"\S+", r"\d+", r"\w+|[^\w\s]+", r"\p{L}+", r"\P{L}", r"\p{^L}+", r"\p{Han}+", r"[[:punct:]]", r"[[:alpha:][:digit:]]+", r"[^[:space:]]+",
    r"[a-z&&[^aeiou]]+", r"[\p{L}&&\p{Lu}]", r"(?i:'s|k)", r"(?i)stra|K", r"a++b?", r"(?>a|ab)c", r"a{2}", r"a{1,2}?", r"a{,2}b", r"x*", r"\b", r"\bw\w*",
    r"^.", r".$", r"\A.|.\z", r"(?m:a.b)", r"(?=b)", r"(?<=a)b", r"(?<!a)b", r"\x41|\u0042|\x{1F600}", r"[\]\-a^]", r"[]a]", r"\h+", r"\R", r"(?x) a  b # comment",
    r"(?#nothing)b", r"(?<name>a)b", r"\.|\+|\\", "é|ß", r"[^\r\n\p{L}\p{N}]?+\p{L}++", r"(?:a|b)*?c", r"\t|\n", r"[\s\S]{3}", r"a|", r"$",
]
SAMPLES = ["", "aab abc  Ab\naaa b\r\nc", "It's THE \u212a\u017f 's STRASSE Straße x+y\\.", "w wörter 漢字かな 12٣४½ _b\u200da\u0301", "AB😀😀\t-]^[ $10=~`|<a> ¡«b»\u0085\u00a0\u3000.", "abcab bc ac aabac"]


def pieces_of(pattern, text):
    splitter = tokenizers.pre_tokenizers.Split(tokenizers.Regex(pattern), behavior="isolated")
    return [piece for piece, _ in splitter.pre_tokenize_str(text)]


patterns = [{"pattern": p, "pieces": [pieces_of(p, text) for text in SAMPLES]} for p in PATTERNS]

cases = []
for kind in kinds.KINDS:
    name = kind.__name__
    tokenizer = kind(training, 800, kinds.few_rules()) if name in small else kind(training, 800)
    case = {"name": name, "definition": json.loads(tokenizer.to_str()), "texts": [], "pairs": []}
    for index, text in enumerate(texts):
        encoding = tokenizer.encode(text)
        decoded = tokenizer.decode(encoding.ids, skip_special_tokens=index % 2 == 0)
        case["texts"].append(summary(encoding) | {"decoded": decoded})
    for index, setting in enumerate(SETTINGS):
        tokenizer.no_truncation()
        tokenizer.no_padding()
        if "truncation" in setting:
            tokenizer.enable_truncation(**setting["truncation"])
        if "padding" in setting:
            tokenizer.enable_padding(**setting["padding"])
        saved = json.loads(tokenizer.to_str())
        parts = {"truncation": saved["truncation"], "padding": saved["padding"]}
        for first, second in [(6, None), (6, 7), (3, 7)]:
            encoding = tokenizer.encode(texts[first], None if second is None else texts[second])
            case["pairs"].append(parts | {"first": first, "second": second, "expected": details(encoding)})
    tokenizer.no_truncation()
    tokenizer.no_padding()
    tokenizer.encode_special_tokens = True
    plain = [index for index, text in enumerate(texts) if "<" in text or "[" in text][:6]
    case["plain"] = [{"text": index, "ids": tokenizer.encode(texts[index], add_special_tokens=False).ids} for index in plain]
    cases.append(case)

golden = {"generator": f"tokenizers {tokenizers.__version__}, generate.py", "seed": SEED, "texts": texts, "samples": SAMPLES, "patterns": patterns, "cases": cases}
data = json.dumps(golden, ensure_ascii=False, separators=(",", ":")).encode()
path = os.path.join(folder, "golden.json.gz")
open(path, "wb").write(gzip.compress(data, 9, mtime=0))
print(f"{len(texts)} texts, {len(cases)} tokenizers, {len(data)} bytes, {os.path.getsize(path)} compressed")
