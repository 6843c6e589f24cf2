"""Transcribes recordings with faster-whisper.

Usage: python transcription-faster-whisper.py FOLDER TYPE THREADS, with a model in CTranslate2's layout and `float32` or `int8`. Each line of
standard input is the path of a recording of 32-bit floats at 16 kHz; the answer is a line {"milliseconds", "cpuMilliseconds", "text"}.
"""

import json
import sys
import time
from importlib.metadata import version

import numpy
from faster_whisper import WhisperModel


def main(folder, compute_type, threads):
    model = WhisperModel(folder, device="cpu", compute_type=compute_type, cpu_threads=int(threads))
    print(json.dumps({"versions": f"faster-whisper {version('faster-whisper')}, ctranslate2 {version('ctranslate2')}"}), flush=True)
    for line in sys.stdin:
        samples = numpy.fromfile(line.strip(), numpy.float32)
        cpu, began = time.process_time(), time.perf_counter()
        segments, _ = model.transcribe(samples, beam_size=1, language="en")
        text = "".join(segment.text for segment in segments)
        spent = {"milliseconds": (time.perf_counter() - began) * 1000, "cpuMilliseconds": (time.process_time() - cpu) * 1000}
        print(json.dumps({**spent, "text": text}), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
