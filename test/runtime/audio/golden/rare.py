"""Files of rare kinds with the samples that libsndfile reads from them.

    python rare.py

writes rare.json: each file as base64, and the samples of each channel as base64 of floats, but for GSM. Written with Python 3.11 and the versions that rare.json states.
"""

import base64
import io
import json
from pathlib import Path

import numpy
import soundfile

RATE = 8000
KINDS = [
    ("WAV", "IMA_ADPCM", 1), ("WAV", "IMA_ADPCM", 2), ("WAV", "MS_ADPCM", 1), ("WAV", "MS_ADPCM", 2),
    ("AIFF", "PCM_S8", 1), ("AIFF", "PCM_16", 2), ("AIFF", "PCM_24", 1), ("AIFF", "PCM_32", 1),
    ("AIFF", "FLOAT", 2), ("AIFF", "DOUBLE", 1), ("AIFF", "ULAW", 1), ("AIFF", "ALAW", 1),
    ("WAV", "GSM610", 1), ("AIFF", "GSM610", 1),
]  # fmt: skip


def main():
    time = numpy.arange(700) / RATE
    chirp = 0.7 * numpy.sin(2 * numpy.pi * (200 + 9000 * time) * time)
    generator = numpy.random.default_rng(1)
    # Jumps from edge to edge make predictions overflow.
    chirp[300:340] = numpy.where(generator.random(40) < 0.5, -0.999, 0.999)
    files = []
    for container, kind, channels in KINDS:
        frames = numpy.stack([chirp, chirp[::-1] / 3][:channels], axis=1)
        file = io.BytesIO()
        soundfile.write(file, frames, RATE, format=container, subtype=kind)
        samples, rate = soundfile.read(io.BytesIO(file.getvalue()), dtype="float32", always_2d=True)
        files.append(
            dict(
                kind=f"{container} {kind} {channels}",
                file=base64.b64encode(file.getvalue()).decode(),
                samples=[] if kind == "GSM610" else [base64.b64encode(channel.tobytes()).decode() for channel in samples.T],
            )
        )
    versions = dict(soundfile=soundfile.__version__, libsndfile=soundfile.__libsndfile_version__)
    Path(__file__).with_suffix(".json").write_text(json.dumps(dict(versions=versions, rate=RATE, files=files), separators=(",", ":")) + "\n")


if __name__ == "__main__":
    main()
