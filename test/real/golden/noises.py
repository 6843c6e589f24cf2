"""Words that faster-whisper hears in recordings in which nobody speaks.

    node noises.js NOISES
    python noises.py NOISES whisper-base=FOLDER whisper-tiny-en=FOLDER

writes noises.json. Each FOLDER has the weights of a model in CTranslate2's layout.
Written with Python 3.11 and the versions that noises.json states.
"""

import json
import sys
from importlib.metadata import version
from pathlib import Path

from faster_whisper import WhisperModel
from faster_whisper.audio import decode_audio

PROMPT = "The assistant is called Jarvix."


def hear(folder, recordings):
    model = WhisperModel(folder, device="cpu", compute_type="float32", cpu_threads=2)
    heard = {}
    for name, samples in recordings.items():
        heard[name] = {
            f"{'prompt' if prompt else 'plain'}{' vad' if vad else ''}": " ".join(
                segment.text.strip()
                for segment in model.transcribe(samples, beam_size=1, language="en", initial_prompt=prompt, vad_filter=vad)[0]
            )
            for prompt in (None, PROMPT)
            for vad in (False, True)
        }
        print(folder, name, heard[name], flush=True)
    return heard


def main(noises, *models):
    recordings = {path.stem: decode_audio(str(path)) for path in sorted(Path(noises).glob("*.wav"))}
    heard = {name: hear(folder, recordings) for name, folder in (model.split("=") for model in models)}
    versions = {package: version(package) for package in ("faster-whisper", "ctranslate2")}
    golden = dict(versions=versions, prompt=PROMPT, heard=heard)
    Path(__file__).with_suffix(".json").write_text(json.dumps(golden, ensure_ascii=False, indent=1) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
