"""Makes the models of the benchmarks: real shapes, random weights. Needs Python 3.10 and nothing else.

The exporters of the hub's graphs and of onnxruntime-genai want different versions of `transformers`, so each has an
environment of its own, which the first run installs. What exists is kept; remove it to make it anew.
"""

import argparse
import os
import shutil
import subprocess
import sys
import venv
from pathlib import Path

HERE = Path(__file__).parent
DECODER_FORMS = ["q4", "gqa-int4", "gguf", "fp32"]
FORMS = {"smollm2-135m": DECODER_FORMS, "qwen2.5-0.5b": DECODER_FORMS, "whisper-base": ["fp32", "q8"]}
TOKENIZER_FILES = ["*token*.json", "vocab.json", "merges.txt", "chat_template.jinja"]


class Builder:
    def __init__(self, output, environments, tokenizer):
        self.output, self.environments, self.tokenizer = output, environments, tokenizer

    def build(self, shape, form):
        """Makes one model beside its place, and moves it there when it is complete."""
        place = self.output / (f"{shape}.gguf" if form == "gguf" else f"{shape}-{form}")
        if place.exists():
            return place
        needed = {"source": None, "q4": "fp32", "q8": "fp32"}.get(form, "source")
        source = self.build(shape, needed) if needed else None
        print(f"{place.name} …", flush=True)
        partial = self.output / "partial"
        shutil.rmtree(partial, ignore_errors=True)
        unfinished = partial / place.name
        (partial if form == "gguf" else unfinished).mkdir(parents=True)
        self.make(shape, form, source, unfinished)
        if source and unfinished.is_dir():
            for pattern in [*TOKENIZER_FILES, "config.json", "generation_config.json"]:
                for file in source.glob(pattern):
                    shutil.copy(file, unfinished)
        unfinished.rename(place)
        partial.rmdir()
        return place

    def make(self, shape, form, source, target):
        if form == "source":
            self.run("hub", HERE / "source.py", shape, target, *filter(None, [self.tokenizer]))
        elif form == "gguf":
            self.run("hub", HERE / "gguf_file.py", source, target)
        elif form == "gqa-int4":
            cache = target.parent / "cache"
            options = ["-p", "int4", "-e", "cpu", "-i", source, "-o", target, "-c", cache]
            self.run("genai", "-m", "onnxruntime_genai.models.builder", *options)
            shutil.rmtree(cache, ignore_errors=True)
        else:
            self.run("hub", HERE / "hub_graph.py", form, source, target)

    def run(self, environment, *arguments):
        """Runs Python; what it prints goes to a log, since exporters print a lot."""
        log = self.output / "build.log"
        with log.open("a") as stream:
            command = [self.python(environment), *map(str, arguments)]
            offline = {**os.environ, "HF_HUB_OFFLINE": "1"}
            if subprocess.run(command, stdout=stream, stderr=subprocess.STDOUT, env=offline).returncode != 0:
                sys.exit(f"failed, see {log}: {' '.join(map(str, command))}")

    def python(self, environment):
        folder = self.environments / environment
        path = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
        installed = folder / "installed"
        if not installed.exists():
            print(f"{folder} …", flush=True)
            venv.create(folder, with_pip=True)
            requirements = HERE / f"requirements-{environment}.txt"
            install = [path, "-m", "pip", "install", "--quiet", "-r", requirements]
            if subprocess.run(install).returncode != 0:
                sys.exit(f"failed: {requirements.name} could not be installed")
            installed.touch()
        return str(path)


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
    output = options.output.resolve()
    builder = Builder(output, (options.environments or output / "environments").resolve(), options.tokenizer)
    for name in options.models or names:
        print(builder.build(*names[name]), flush=True)


if __name__ == "__main__":
    main()
