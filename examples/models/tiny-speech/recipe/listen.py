"""Lets tiny-whisper listen: word error rate of every voice on sentences that its training never hears.

    python recipe/listen.py --count 50
"""

import argparse
import sys
from pathlib import Path

FOLDER = Path(__file__).resolve().parent.parent
WHISPER = FOLDER.parent / "tiny-whisper"
# In front: both recipes have modules of the same name, and these are the recogniser's.
sys.path.insert(0, str(WHISPER / "recipe"))

import numpy as np  # noqa: E402
from evaluate import Score, transcript  # noqa: E402
from tiny_speech import TinySpeechClips, TinySpeechManner  # noqa: E402
from transcribe import Recogniser  # noqa: E402


def rows_of(folder, mix):
    return np.mean([np.fromfile(folder / "voices" / f"{name}.bin", "<f4").reshape(510, 1, 256) for name in mix.split("+")], 0, dtype=np.float32)


def listen(folder, whisper, count, speed, voices, show):
    recogniser, total = Recogniser(whisper), Score()
    for voice in voices or sorted(path.stem for path in (folder / "voices").glob("*.bin")):
        source, score = TinySpeechClips(4242, held_out=True, folder=folder), Score()
        manner = TinySpeechManner(rows_of(folder, voice), speed)
        for _ in range(count):
            clip = source.clip(manner)
            heard = transcript(recogniser.transcribe(clip.samples))
            score.add(clip.text, heard)
            total.add(clip.text, heard)
        print(f"{voice}: {score}", flush=True)
        for text, heard in score.mistakes[:show]:
            print(f"    {text}\n    {heard.strip()}")
    print(f"all: {total}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", type=Path, default=FOLDER)
    parser.add_argument("--whisper", type=Path, default=WHISPER)
    parser.add_argument("--count", type=int, default=50, help="sentences of every voice, the same for all")
    parser.add_argument("--speed", type=float, default=1.0)
    parser.add_argument("--voices", nargs="+", help="all of them unless named")
    parser.add_argument("--show", type=int, default=0, help="mistakes to print of every voice")
    options = parser.parse_args()
    listen(options.folder, options.whisper, options.count, options.speed, options.voices, options.show)
