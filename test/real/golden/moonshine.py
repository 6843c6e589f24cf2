"""Writes moonshine.json: the tokens that Moonshine's own package hears.

Usage: python moonshine.py MOONSHINE-BASE RECORDINGS, folders that benchmarks/models/real.py made. Made with useful-moonshine-onnx 20251121,
without its dependency librosa, onnxruntime 1.32.0 and soundfile 0.14.0; the most likely token is taken, so nothing is random.
"""

import importlib.util
import json
import sys
from pathlib import Path

import onnxruntime
import soundfile

HERE = Path(__file__).parent


def reference():
    """Its model without its `__init__`, which imports librosa."""
    folder = importlib.util.find_spec("moonshine_onnx").submodule_search_locations[0]
    spec = importlib.util.spec_from_file_location("model", Path(folder) / "model.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.MoonshineOnnxModel


def main(folder, recordings):
    model = reference()(models_dir=folder / "onnx", model_name="base")
    heard = {}
    for path in [HERE / "jfk.wav", recordings / "beckett.wav"]:
        samples, rate = soundfile.read(path, dtype="float32")
        assert rate == 16000
        (tokens,) = model.generate(samples[None])
        heard[path.stem] = [token for token in tokens if token not in (1, 2)]
    versions = {"onnxruntime": onnxruntime.__version__, "useful-moonshine-onnx": "20251121"}
    (HERE / "moonshine.json").write_text(json.dumps({"versions": versions, "heard": heard}) + "\n")


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
