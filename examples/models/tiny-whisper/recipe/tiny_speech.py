"""Speech by tiny-speech, with the times of words: its exported graph, asked for the durations inside it as well."""

import re
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import onnx
import onnxruntime

from clips import PHONEME_IDS, SILENCE, UNKNOWN, Clip, resample
from sentences import SentenceMaker, spoken_words

FOLDER = Path(__file__).resolve().parents[2] / "tiny-speech"
# Behind this folder, whose modules have some names in common with that one's.
sys.path.append(str(FOLDER / "recipe"))

from corpus import LETTER_NAMES
from phonemes import PAUSES, VOCABULARY, read_dictionary, to_symbols

SAMPLE_RATE, FRAME_SECONDS = 24000, 0.01
SOUNDS = {
    "b": "b", "d": "d", "f": "f", "h": "h", "j": "j", "k": "k", "l": "l", "m": "m", "n": "n", "p": "p", "s": "s", "t": "t", "v": "v", "w": "w", "z": "z", "ð": "D", "ʤ": "dZ",
    "ŋ": "N", "θ": "T", "ɹ": "r", "ʃ": "S", "ʧ": "tS", "ɡ": "g", "A": "eI", "I": "aI", "O": "oU", "W": "aU", "i": "i:", "u": "u:", "æ": "a", "ɔ": "O:", "ə": "@", "ɛ": "E",
    "ɜ": "3:", "ɪ": "I", "ʊ": "U", "ʌ": "V",
}


@dataclass(frozen=True)
class TinySpeechManner:
    """Rows of a voice or of a mix of voices, and the speed."""

    rows: np.ndarray
    speed: float


class TinySpeechClips:
    """An endless source of clips by the voices of tiny-speech."""

    def __init__(self, seed, held_out=False, folder=FOLDER):
        self.maker = SentenceMaker(seed, held_out)
        self.random = self.maker.random
        self.dictionary = read_dictionary()
        self.voices = [np.fromfile(path, "<f4").reshape(510, 1, 256) for path in sorted((folder / "voices").glob("*.bin"))]
        graph = onnx.load(str(folder / "onnx" / "model.onnx"))
        summed = next(node.output[0] for node in graph.graph.node if node.op_type == "CumSum")
        ends = next(node.output[0] for node in graph.graph.node if node.op_type == "Round" and node.input[0] == summed)
        graph.graph.output.append(onnx.helper.make_tensor_value_info(ends, onnx.TensorProto.FLOAT, None))
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        self.session = onnxruntime.InferenceSession(graph.SerializeToString(), options, providers=["CPUExecutionProvider"])

    def manner(self):
        rows = self.random.choice(self.voices)
        if self.random.random() < 0.25:
            rows = (rows + self.random.choice(self.voices)) / 2
        return TinySpeechManner(rows, self.random.uniform(0.75, 1.5) if self.random.random() < 0.4 else 1.0)

    def symbols(self, word):
        """One spoken word with its punctuation, which may be several words of the dictionary."""
        body = word.rstrip(".,!?:;")
        if len(body) == 1 and body.isupper() and body != word:
            return to_symbols(LETTER_NAMES[body.lower()].split()) + word[1:]
        parts = []
        for part in re.findall(r"[a-z']+", body.lower().replace("-", " ")):
            sounds = self.dictionary.get(part)
            parts.append(to_symbols(sounds) if sounds else " ".join(to_symbols(LETTER_NAMES[letter].split()) for letter in part if letter in LETTER_NAMES))
        return " ".join(parts) + word[len(body) :]

    def clip(self, manner=None, text=None):
        text = text or self.maker.sentence()
        manner = manner or self.manner()
        symbols, owners = [], []
        for index, word in enumerate(spoken_words(text)):
            spoken = [symbol for symbol in (" " if index else "") + self.symbols(word) if symbol in VOCABULARY]
            owners += [index if symbol in SOUNDS or symbol.isalpha() else None for symbol in spoken]
            symbols += spoken
        feeds = {"input_ids": np.array([[0, *(VOCABULARY[symbol] for symbol in symbols), 0]]), "style": manner.rows[min(len(symbols), 509)],
                 "speed": np.array([manner.speed], np.float32)}
        samples, ends = self.session.run(None, feeds)
        ends = ends[0] * FRAME_SECONDS / manner.speed
        words, phonemes = [], [(SILENCE, 0.0, float(ends[0])), (SILENCE, float(ends[-2]), float(ends[-1]))]
        times = {}
        for position, (symbol, owner) in enumerate(zip(symbols, owners), 1):
            begin, end = float(ends[position - 1]), float(ends[position])
            if end > begin:
                phonemes.append((PHONEME_IDS[SOUNDS[symbol]] if symbol in SOUNDS else SILENCE if symbol in PAUSES else UNKNOWN, begin, end))
            if owner is not None:
                times[owner] = (times.get(owner, (begin, end))[0], end)
        for index, written in enumerate(text.split(" ")):
            words.append((written, *times.get(index, words[-1][1:] if words else (0.0, 0.1))))
        return Clip(text, resample(samples.astype(np.float32), SAMPLE_RATE), words, phonemes)
