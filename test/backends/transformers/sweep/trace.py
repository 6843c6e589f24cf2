"""Makes random miniatures of architectures that no exporter has a graph for, and what the reference says to them.

    pip install torch==2.13.0 transformers==5.23.0 tokenizers==0.23.3 onnx==1.23.2 onnxruntime==1.31.1
    python trace.py FOLDER [category/architecture ...]
    python trace.py --miniatures

`run.js` beside it runs them by the backends, as those of `make.py`. The second line writes those that the tests run, see
../miniatures/generate.py.
"""

import json
import sys
import tempfile
from functools import partial
from pathlib import Path

import torch

here = Path(__file__).parent
sys.path[1:1] = [str(here.parent / "miniatures"), str(here.parents[2] / "contract" / "generate")]
import generate  # noqa: E402
import traced_decoders  # noqa: E402
import traced_listeners  # noqa: E402
import traced_seers  # noqa: E402
import traced_speakers  # noqa: E402
from attempt import attempt  # noqa: E402

kinds = {"chat": (traced_decoders.families, traced_decoders.make_decoder), "transcription": (traced_listeners.families, traced_listeners.make_listener),
         "speech": (traced_speakers.families, traced_speakers.make_speaker), "detection": (traced_seers.detectors, traced_seers.make_detector), "embedding": (traced_seers.encoders, traced_seers.make_encoder)}

miniatures = {"cohere-asr": traced_listeners.cohere_asr, "speecht5-asr": traced_listeners.speecht5, "gemma4": traced_decoders.make_small_gemma4}


def write_miniatures():
    for name, make in miniatures.items():
        torch.manual_seed(7)
        with tempfile.TemporaryDirectory() as folder:
            golden, tokenizer, files = make(Path(folder))
            generate.write(name, golden, folder, tokenizer, files)


def write_miniature(make, family, folder):
    golden, tokenizer, files = make(family, folder)
    if tokenizer:
        (folder / "tokenizer.json").write_text(tokenizer.to_str())
    for name, value in {**files, "golden.json": golden}.items():
        (folder / name).write_text(json.dumps(value))


def main():
    target, wanted = Path(sys.argv[1]), set(sys.argv[2:])
    for kind, (families, make) in kinds.items():
        for family in families:
            attempt(target, wanted, kind, family, partial(write_miniature, make), 240)


if __name__ == "__main__":
    torch.set_num_threads(1)
    write_miniatures() if sys.argv[1] == "--miniatures" else main()
