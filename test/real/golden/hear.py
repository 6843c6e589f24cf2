"""What faster-whisper hears in the recordings of test/real/hear.real.ts.

    python hear.py RECORDINGS whisper-base=FOLDER whisper-tiny-en=FOLDER

writes hear.json. Each FOLDER has the weights of a model in CTranslate2's layout; RECORDINGS has the files of `NAMES` but `jfk`, which is beside this file
(President Kennedy's inaugural address, in the public domain). The long ones are made of them,
here as in the test. Written with Python 3.11 and the versions that hear.json states.
"""

import json
import sys
from importlib.metadata import version
from pathlib import Path

import numpy
from faster_whisper import WhisperModel
from faster_whisper.audio import decode_audio

RATE = 16_000
NAMES = ["jfk", "two_cities", "endgame_nagg_nell", "beckett"]
ROUNDS = 4
PAUSES = [0.5, 3, 6, 10]
LONG_NAMES = ["long", "long 1", "long 2"]
TYPES = ["float32", "int8"]


def join(recordings, phase):
    """The recordings four times, each time with another one first; silence and faint noise, which `phase` chooses, between them by turns of rounds."""
    parts = []
    at = 0
    for turn in range(ROUNDS):
        for place in range(len(NAMES)):
            speech = recordings[NAMES[(turn + place) % len(NAMES)]]
            at += len(speech)
            index = numpy.arange(at, at + int(PAUSES[(place + 2 * turn) % len(PAUSES)] * RATE), dtype=numpy.float64)
            pause = 1e-3 * numpy.sin((index + phase) ** 2) if turn % 2 else numpy.zeros(len(index))
            parts += [speech, pause.astype(numpy.float32)]
            at += len(pause)
    # As a file of 16 bits has it.
    return numpy.round(numpy.concatenate(parts).clip(-1, 1) * 32_767).astype(numpy.float32) / 32_768


def hear(name, folder, compute_type, recordings):
    model = WhisperModel(folder, device="cpu", compute_type=compute_type, cpu_threads=2)
    heard = {}
    for recording, samples in recordings.items():
        segments = list(model.transcribe(samples, beam_size=1, word_timestamps=True)[0])
        words = [[word.word.strip(), round(word.start, 2), round(word.end, 2)] for segment in segments for word in segment.words]
        heard[recording] = dict(segments=len(segments), words=words)
        print(name, compute_type, recording, len(segments), len(words), flush=True)
    return heard


def main(wavs, *models):
    here = Path(__file__).parent
    recordings = {name: decode_audio(str((here if name == "jfk" else Path(wavs)) / f"{name}.wav")) for name in NAMES}
    longs = {name: join(recordings, phase) for phase, name in enumerate(LONG_NAMES)}
    folders = dict(model.split("=") for model in models)
    heard = {name: {compute_type: hear(name, folder, compute_type, {**recordings, **longs}) for compute_type in TYPES} for name, folder in folders.items()}
    versions = {package: version(package) for package in ("faster-whisper", "ctranslate2")}
    golden = dict(versions=versions, durationSeconds=round(len(longs["long"]) / RATE, 2), heard=heard)
    Path(__file__).with_suffix(".json").write_text(json.dumps(golden, ensure_ascii=False, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
