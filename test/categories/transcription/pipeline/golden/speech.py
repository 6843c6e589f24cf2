"""Makes speech/*.wav: sentences said by espeak-ng, mono 16 kHz µ-law, with the times at which their words begin in speech.json.

Run with Python 3.11, espeakng-loader 0.2.4, numpy 2.4.6:  python speech.py
"""

import json
import sys
from pathlib import Path

import numpy as np

HERE = Path(__file__).parent
sys.path.append(str(HERE.parents[3] / "examples" / "models" / "tiny-whisper" / "recipe"))

from clips import resample
from espeak import Manner, Speaker

RATE = 16_000
SENTENCES = {
    "circle": ("There is a red circle above a blue square.", "gmw/en-US", 150),
    "triangles": ("How many green triangles are there?", "gmw/en-US+f2", 145),
    "star": ("Draw a yellow star to the left of a purple diamond.", "gmw/en+m3", 145),
}


def mu_law(samples):
    """G.711, from −1 to 1."""
    bias, clip = 33, 8158
    magnitudes = np.minimum(np.abs(np.round(samples * 8158)).astype(int), clip) + bias
    exponents = np.floor(np.log2(magnitudes)).astype(int) - 5
    mantissas = (magnitudes >> (exponents + 1)) & 15
    return (~((samples < 0) * 128 | exponents << 4 | mantissas) & 255).astype(np.uint8).tobytes()


def wav(data):
    def chunk(name, content):
        return name + len(content).to_bytes(4, "little") + content + b"\0" * (len(content) % 2)

    numbers = [(7, 2), (1, 2), (RATE, 4), (RATE, 4), (1, 2), (8, 2), (0, 2)]
    form = b"".join(value.to_bytes(size, "little") for value, size in numbers)
    return chunk(b"RIFF", b"WAVE" + chunk(b"fmt ", form) + chunk(b"fact", len(data).to_bytes(4, "little")) + chunk(b"data", data))


if __name__ == "__main__":
    speaker, times = Speaker(), {}
    (HERE / "speech").mkdir(exist_ok=True)
    for name, (text, voice, speed) in SENTENCES.items():
        samples, words, _ = speaker.say(text, Manner(voice=voice, speed=speed))
        (HERE / "speech" / f"{name}.wav").write_bytes(wav(mu_law(resample(samples / 32768, speaker.sample_rate))))
        times[name] = {"text": text, "seconds": round(len(samples) / speaker.sample_rate, 3), "words": [round(sample / speaker.sample_rate, 3) for _, sample in words]}
    (HERE / "speech.json").write_text(json.dumps({"generator": "speech.py, espeakng-loader 0.2.4", "sentences": times}, indent=1) + "\n")
