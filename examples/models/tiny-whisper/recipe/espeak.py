"""Speech by espeak-ng, with the times of words and phonemes."""

import ctypes
import tempfile
from dataclasses import dataclass
from pathlib import Path

import espeakng_loader
import numpy as np

SYNCHRONOUS, PHONEME_EVENTS, UTF8 = 2, 1, 1
RATE, VOLUME, PITCH, RANGE, WORD_GAP = 1, 2, 3, 4, 7
LIST_END, WORD, PHONEME = 0, 1, 7
DRAWN = "drawn"


class _Id(ctypes.Union):
    _fields_ = [("number", ctypes.c_int), ("name", ctypes.c_char_p), ("string", ctypes.c_char * 8)]


class _Event(ctypes.Structure):
    _fields_ = [
        ("type", ctypes.c_int), ("unique_identifier", ctypes.c_uint), ("text_position", ctypes.c_int), ("length", ctypes.c_int), ("audio_position", ctypes.c_int),
        ("sample", ctypes.c_int), ("user_data", ctypes.c_void_p), ("id", _Id),
    ]


@dataclass(frozen=True)
class Manner:
    """How a text is said: words a minute; pitch, its range and the volume from 0 to 100; a pause between words in units of 10 ms;
    `timbre`: the lines of a voice variant of its own, in place of one of espeak-ng's; `tape`: how much faster than recorded it is played, which moves the
    formants as well."""

    voice: str
    speed: int = 165
    pitch: int = 50
    range: int = 50
    volume: int = 80
    word_gap: int = 0
    timbre: str = ""
    tape: float = 1.0


def data_beside(folder):
    """espeak-ng's data by links in another folder, where variants of voices can be added; the path of those."""
    original, copy = Path(espeakng_loader.get_data_path()), folder / "espeak-ng-data"
    variants = copy / "voices" / "!v"
    variants.mkdir(parents=True)
    for source, target in ((original, copy), (original / "voices", copy / "voices"), (original / "voices" / "!v", variants)):
        for path in source.iterdir():
            if not (target / path.name).exists():
                (target / path.name).symlink_to(path)
    return variants


class Speaker:
    """One per process: the library keeps its state in globals."""

    def __init__(self):
        self.folder = tempfile.TemporaryDirectory()
        self.drawn = data_beside(Path(self.folder.name)) / DRAWN
        self.espeak = ctypes.CDLL(espeakng_loader.get_library_path())
        self.sample_rate = self.espeak.espeak_Initialize(SYNCHRONOUS, 0, self.folder.name.encode(), PHONEME_EVENTS)
        assert self.sample_rate > 0, "espeak-ng finds no data"
        self.samples, self.words, self.phonemes = [], [], []
        callback = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(ctypes.c_short), ctypes.c_int, ctypes.POINTER(_Event))
        self.callback = callback(self._receive)
        self.espeak.espeak_SetSynthCallback(self.callback)

    def _receive(self, samples, count, events):
        if samples and count > 0:
            self.samples.append(np.ctypeslib.as_array(samples, (count,)).copy())
        index = 0
        while events[index].type != LIST_END:
            event = events[index]
            if event.type == WORD:
                self.words.append((event.text_position - 1, event.sample))
            elif event.type == PHONEME:
                self.phonemes.append((event.id.string.decode(errors="replace"), event.sample))
            index += 1
        return 0

    def say(self, text, manner):
        """Samples as int16, `(character, sample)` where words begin and `(name, sample)` where phonemes begin."""
        if manner.timbre:
            self.drawn.write_text(manner.timbre)
        voice = f"{manner.voice}+{DRAWN}" if manner.timbre else manner.voice
        assert self.espeak.espeak_SetVoiceByName(voice.encode()) == 0, voice
        for parameter, value in ((RATE, manner.speed), (PITCH, manner.pitch), (RANGE, manner.range), (VOLUME, manner.volume), (WORD_GAP, manner.word_gap)):
            self.espeak.espeak_SetParameter(parameter, value, 0)
        self.samples, self.words, self.phonemes = [], [], []
        data = text.encode() + b"\0"
        assert self.espeak.espeak_Synth(data, len(data), 0, 1, 0, UTF8, None, None) == 0
        return np.concatenate(self.samples), self.words, self.phonemes
