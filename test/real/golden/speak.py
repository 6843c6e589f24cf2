"""Ids and samples of piper-tts: speak.py en_US-joe-medium.onnx > speak.json"""
import json
import sys
from importlib.metadata import version

from piper import PiperVoice, SynthesisConfig

texts = [
    "The quick brown fox jumps over the lazy dog.",
    "Did you read the book, or have you only seen the film?",
    "I wonder: is it true; or not!",
    'She said "hello" (quietly), and left.',
    "Water and butter were better than a bottle of bitter.",
]
stride = 16
voice = PiperVoice.load(sys.argv[1])
rows = []
for text in texts:
    (phonemes,) = voice.phonemize(text)
    ids = voice.phonemes_to_ids(phonemes)
    rows.append({"text": text, "phonemes": "".join(phonemes), "ids": ids})
silent = SynthesisConfig(noise_scale=0, noise_w_scale=0, length_scale=voice.config.length_scale / 1.25)
audio = voice.phoneme_ids_to_audio(rows[0]["ids"], silent)
spoken = {"speed": 1.25, "length": len(audio), "stride": stride, "samples": [round(float(x), 5) for x in audio[::stride]]}
made_by = {name: version(name) for name in ["piper-tts", "onnxruntime"]}
json.dump({"made_by": made_by, "texts": rows, "spoken": spoken}, sys.stdout, ensure_ascii=False, separators=(",", ":"))
