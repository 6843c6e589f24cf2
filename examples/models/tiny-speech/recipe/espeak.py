"""Speaks phonemes with espeak-ng and tells when each of them begins: the teacher of the model."""

import ctypes
from dataclasses import dataclass

import espeakng_loader
import numpy as np

SAMPLE_RATE = 22050
_SYNCHRONOUS, _PHONEME_EVENTS, _PHONEMES_IN_TEXT, _UTF8 = 2, 1, 0x100, 1
_END_OF_LIST, _PHONEME = 0, 7
_RATE, _VOLUME, _PITCH, _RANGE = 1, 2, 3, 4


class _Identifier(ctypes.Union):
    _fields_ = [("number", ctypes.c_int), ("name", ctypes.c_char_p), ("string", ctypes.c_char * 8)]


class _Event(ctypes.Structure):
    _fields_ = [
        ("type", ctypes.c_int), ("unique_identifier", ctypes.c_uint), ("text_position", ctypes.c_int), ("length", ctypes.c_int),
        ("audio_position", ctypes.c_int), ("sample", ctypes.c_int), ("user_data", ctypes.c_void_p), ("id", _Identifier),
    ]


_Callback = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(ctypes.c_short), ctypes.c_int, ctypes.POINTER(_Event))


@dataclass(frozen=True)
class Speaker:
    """A voice of espeak-ng; pitch and its range go from 0 to 100, the rate is in words a minute."""

    voice: str
    pitch: int = 50
    range: int = 50
    rate: int = 160


class Espeak:
    """espeak-ng with the data in `folder`. The library keeps its state in globals: make one of these in a process."""

    def __init__(self, folder):
        self.espeak = ctypes.CDLL(espeakng_loader.get_library_path())
        rate = self.espeak.espeak_Initialize(_SYNCHRONOUS, 500, str(folder).encode(), _PHONEME_EVENTS)
        if rate != SAMPLE_RATE:
            raise RuntimeError(f"espeak-ng speaks at {rate} Hz, not at {SAMPLE_RATE}")
        self.callback = _Callback(self._receive)
        self.espeak.espeak_SetSynthCallback(self.callback)
        self.speaker, self.pieces, self.events = None, [], []

    def _receive(self, samples, count, events):
        if count > 0:
            self.pieces.append(np.ctypeslib.as_array(samples, (count,)).copy())
        index = 0
        while events[index].type != _END_OF_LIST:
            if events[index].type == _PHONEME:
                self.events.append((events[index].id.string.decode("utf-8", "replace"), events[index].sample))
            index += 1
        return 0

    def use(self, speaker):
        if speaker == self.speaker:
            return
        if self.espeak.espeak_SetVoiceByName(speaker.voice.encode()) != 0:
            raise ValueError(f"espeak-ng has no voice {speaker.voice}")
        for parameter, value in ((_RATE, speaker.rate), (_VOLUME, 100), (_PITCH, speaker.pitch), (_RANGE, speaker.range)):
            self.espeak.espeak_SetParameter(parameter, value, 0)
        self.speaker = speaker

    def speak(self, text, speaker):
        """Samples (float32, -1 to 1, 22,050 Hz) and the phonemes with the samples at which they begin. Phonemes stand in [[ ]]."""
        self.use(speaker)
        self.pieces, self.events = [], []
        data = text.encode()
        if self.espeak.espeak_Synth(data, len(data) + 1, 0, 1, 0, _UTF8 | _PHONEMES_IN_TEXT, None, None) != 0:
            raise RuntimeError("espeak-ng failed")
        self.espeak.espeak_Synchronize()
        samples = np.concatenate(self.pieces) if self.pieces else np.zeros(0, np.int16)
        return samples.astype(np.float32) / 32768, self.events
