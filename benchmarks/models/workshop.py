"""Where models are made: environments of Python for the exporters, a log, and results that are complete or absent."""

import os
import shutil
import subprocess
import sys
import venv
from contextlib import contextmanager
from pathlib import Path

HERE = Path(__file__).parent
SMALL_FILES = ["*token*.json", "vocab.json", "merges.txt", "chat_template.jinja", "*config.json"]


class Workshop:
    def __init__(self, output, environments=None):
        self.output = output.resolve()
        self.environments = (environments or self.output / "environments").resolve()
        self.output.mkdir(parents=True, exist_ok=True)

    @contextmanager
    def unfinished(self, place):
        """Gives a path to make something at, and moves it to its place when it is complete."""
        partial = self.output / "partial"
        shutil.rmtree(partial, ignore_errors=True)
        partial.mkdir(parents=True)
        yield partial / place.name
        (partial / place.name).rename(place)
        shutil.rmtree(partial)

    def run(self, environment, *arguments):
        """Runs Python; what it prints goes to a log, since exporters print a lot."""
        log = self.output / "build.log"
        with log.open("a") as stream:
            command = [self.python(environment), *map(str, arguments)]
            offline = {**os.environ, "HF_HUB_OFFLINE": "1"}
            if subprocess.run(command, stdout=stream, stderr=subprocess.STDOUT, env=offline).returncode != 0:
                self.fail(f"failed, see the end of {log}: {' '.join(map(str, command))}")

    def build_grouped_query(self, source, target):
        """The graph of onnxruntime-genai's builder, in 4 bits."""
        cache = target.parent / "cache"
        options = ["-p", "int4", "-e", "cpu", "-i", source, "-o", target, "-c", cache]
        self.run("genai", "-m", "onnxruntime_genai.models.builder", *options)
        copy_small_files(source, target, ["config.json"])

    def python(self, environment):
        folder = self.environments / environment
        path = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
        installed = folder / "installed"
        if not installed.exists():
            print(f"{folder} …", flush=True)
            venv.create(folder, clear=True, with_pip=True)
            requirements = HERE / f"requirements-{environment}.txt"
            install = [path, "-m", "pip", "install", "--quiet", "-r", requirements]
            if subprocess.run(install).returncode != 0:
                self.fail(f"failed: {requirements.name} could not be installed")
            installed.touch()
        return str(path)

    def fail(self, reason):
        free = shutil.disk_usage(self.output).free
        sys.exit(f"The disk of {self.output} is full: {free >> 20} MB are left.\n{reason}" if free < 2**28 else reason)


def copy_small_files(source, target, patterns=SMALL_FILES):
    """Copies what a folder of the hub has beside its graphs."""
    for pattern in patterns:
        for file in source.glob(pattern):
            shutil.copy(file, target)
