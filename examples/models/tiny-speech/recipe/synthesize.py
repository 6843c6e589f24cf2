"""Speaks English text with the exported model.

    python recipe/synthesize.py "I see a red circle above a blue square." speech.wav --voice af_heart
"""

import argparse
import re
import wave
from pathlib import Path

from corpus import LETTER_NAMES, LETTERS, number
from export import Runner
from phonemes import PAUSES, QUOTES, read_dictionary, to_symbols
from vocoder import RATE

FOLDER = Path(__file__).resolve().parent.parent


class Speaker:
    """Text to samples: `Speaker().speak("hello", "af_heart")` gives float32 at 24 kHz."""

    def __init__(self, folder=FOLDER, threads=1):
        self.runner, self.dictionary, self.rows = Runner(folder, threads), read_dictionary(), {}

    def phonemes(self, text):
        """Kokoro's phonemes; numbers up to 100 are read, words that the dictionary lacks are spelled."""
        text = re.sub(r"\d+", lambda found: number(int(found[0])) if int(found[0]) <= 100 else " ".join(number(int(digit)) for digit in found[0]), text.lower())
        parts = []
        for part in re.findall(r"[a-z']+|\s+|[^a-z'\s]", text.replace("-", " ")):
            if part in self.dictionary:
                parts.append(to_symbols(self.dictionary[part]))
            elif part.isspace():
                parts.append(" ")
            elif part in PAUSES or part in QUOTES:
                parts.append(part)
            else:
                parts.append(" ".join(to_symbols(LETTER_NAMES[letter].split()) for letter in part if letter in LETTERS))
        return "".join(parts).strip()

    def speak(self, text, voice="af_heart", speed=1.0):
        if voice not in self.rows:
            self.rows[voice] = self.runner.voice(voice)
        return self.runner.speak(self.phonemes(text), self.rows[voice], speed)


def write_wav(path, samples):
    with wave.open(str(path), "wb") as file:
        file.setparams((1, 2, RATE, 0, "NONE", ""))
        file.writeframes((samples.clip(-1, 1) * 32767).astype("<i2").tobytes())


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("text")
    parser.add_argument("output", type=Path)
    parser.add_argument("--voice", default="af_heart", help="or a mix: af_heart+am_adam")
    parser.add_argument("--speed", type=float, default=1.0)
    options = parser.parse_args()
    write_wav(options.output, Speaker().speak(options.text, options.voice, options.speed))
