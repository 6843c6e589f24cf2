"""Transcribes recordings with onnx-asr, two threads.

Usage: python transcription-onnx-asr.py FOLDER. Each line of standard input is the path of a recording of 32-bit floats at 16 kHz; the
answer is a line {"milliseconds", "cpuMilliseconds", "tokens"}. Needs onnx-asr and onnxruntime.
"""

import json
import sys
import time
from pathlib import Path

import numpy
import onnx_asr
import onnxruntime

THREADS = 2


def main(folder):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = THREADS
    kind = json.loads((folder / "config.json").read_text())["model_type"]
    model = onnx_asr.load_model(kind, folder, sess_options=options, providers=["CPUExecutionProvider"])
    model = model.with_timestamps()
    print(json.dumps({"versions": f"onnxruntime {onnxruntime.__version__}"}), flush=True)
    for line in sys.stdin:
        samples = numpy.fromfile(line.strip(), numpy.float32)
        cpu, began = time.process_time(), time.perf_counter()
        tokens = model.recognize(samples).tokens
        spent = {"milliseconds": (time.perf_counter() - began) * 1000, "cpuMilliseconds": (time.process_time() - cpu) * 1000}
        print(json.dumps({**spent, "tokens": len(tokens)}), flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
