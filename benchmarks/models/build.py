"""Makes the models of the benchmarks: real shapes, random weights. Needs Python 3.10 and nothing else.

The exporters of the hub's graphs and of onnxruntime-genai want different versions of `transformers`, so each has an
environment of its own, which the first run installs. What exists is kept; remove it to make it anew.
"""

import argparse
from pathlib import Path

from workshop import HERE, Workshop, copy_small_files

DECODER_FORMS = ["q4", "gqa-int4", "gguf", "fp32"]
FORMS = {"smollm2-135m": DECODER_FORMS, "qwen2.5-0.5b": DECODER_FORMS, "whisper-base": ["fp32", "q8"]}


class Builder:
    def __init__(self, workshop, tokenizer):
        self.workshop, self.tokenizer = workshop, tokenizer

    def build(self, shape, form):
        place = self.workshop.output / (f"{shape}.gguf" if form == "gguf" else f"{shape}-{form}")
        if place.exists():
            return place
        needed = {"source": None, "q4": "fp32", "q8": "fp32"}.get(form, "source")
        source = self.build(shape, needed) if needed else None
        print(f"{place.name} …", flush=True)
        with self.workshop.unfinished(place) as unfinished:
            if form != "gguf":
                unfinished.mkdir()
            self.make(shape, form, source, unfinished)
            if source and unfinished.is_dir():
                copy_small_files(source, unfinished)
        return place

    def make(self, shape, form, source, target):
        run = self.workshop.run
        if form == "source":
            run("hub", HERE / "source.py", shape, target, *filter(None, [self.tokenizer]))
        elif form == "gguf":
            run("hub", HERE / "gguf_file.py", source, target)
        elif form == "gqa-int4":
            self.workshop.build_grouped_query(source, target)
        else:
            run("hub", HERE / "hub_graph.py", form, source, target)


def main():
    names = {f"{shape}.gguf" if form == "gguf" else f"{shape}-{form}": (shape, form) for shape, forms in FORMS.items() for form in forms}
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--output", type=Path, default=HERE / "cache", metavar="FOLDER")
    parser.add_argument("--environments", type=Path, metavar="FOLDER", help="default: environments in the output")
    parser.add_argument("--tokenizer", type=Path, metavar="FOLDER", help="take its tokenizer.json; default: make one")
    parser.add_argument("models", nargs="*", metavar="MODEL", help=f"default: all of {', '.join(names)}")
    options = parser.parse_args()
    unknown = [name for name in options.models if name not in names]
    if unknown:
        parser.error(f"expected models out of {', '.join(names)}, got {', '.join(unknown)}")
    builder = Builder(Workshop(options.output, options.environments), options.tokenizer)
    for name in options.models or names:
        print(builder.build(*names[name]), flush=True)


if __name__ == "__main__":
    main()
