"""Writes the recordings of this folder: `speech.wav` of tiny-speech, encoded in every format that clients upload.

`picture.png` shows a red circle above a blue square.
`speech.wav` is the answer to {"input": "A red circle is above a blue square.", "voice": "af_heart"}.
Run with Python 3.11 and imageio-ffmpeg 0.8.1 (FFmpeg 9.0.2): `python generate.py`. Nothing is random.
"""

import subprocess
from pathlib import Path

import imageio_ffmpeg

HERE = Path(__file__).parent


def write(name, encoding):
    output = ["-map_metadata", "-1", "-fflags", "+bitexact", "-y", str(HERE / name)]
    subprocess.run(
        [imageio_ffmpeg.get_ffmpeg_exe(), "-loglevel", "error", "-i", str(HERE / "speech.wav"), *encoding.split(), *output],
        check=True,
    )


write("speech.mp3", "-c:a libmp3lame -b:a 48k")
write("speech.mp4", "-c:a aac -b:a 48k -movflags faststart")
write("speech.m4a", "-c:a aac -b:a 48k")
write("speech.webm", "-c:a libopus -b:a 32k")
write("speech.ogg", "-c:a libvorbis -b:a 48k")
write("speech.flac", "-c:a flac -sample_fmt s16")
