"""Writes the audio files of this folder: the chirp of ../chirp.ts, encoded in every format that is read.

Also writes golden.json: what FFmpeg decodes each of them to, as the mean of its channels at 16 kHz, every 97th sample.

Run with Python 3.11, NumPy 2.4, SciPy 1.17 and imageio-ffmpeg 0.8.1 (FFmpeg 9.0.2): `python generate.py`. Nothing is
random.
"""

import json
import subprocess
from pathlib import Path

import imageio_ffmpeg
import numpy as np
from scipy.io import wavfile
from scipy.signal import resample_poly

SECONDS = 1.2
HERE = Path(__file__).parent
VIDEO = ["-f", "lavfi", "-i", f"color=teal:size=32x32:rate=5:duration={SECONDS}"]


def chirp(rate, channels):
    """[samples, channels]; the second channel is 0.6 of the first."""
    t = np.arange(round(SECONDS * rate)) / rate
    loudness = 0.1 + 0.5 * np.sin(2.5 * np.pi * t) ** 2
    left = loudness * np.sin(2 * np.pi * (300 * t + 1250 * t * t))
    return np.stack([left, 0.6 * left][:channels], axis=1).astype("<f4")


golden = {}


def run(*arguments, **options):
    command = [imageio_ffmpeg.get_ffmpeg_exe(), "-loglevel", "error", *arguments]
    return subprocess.run(command, check=True, capture_output=True, **options).stdout


def write(name, encoding="", rate=44100, channels=2, before=()):
    audio = ["-f", "f32le", "-ar", str(rate), "-ac", str(channels), "-i", "-"]
    output = ["-map_metadata", "-1", "-fflags", "+bitexact", "-y", str(HERE / name)]
    run(*before, *audio, *encoding.split(), *output, input=chirp(rate, channels).tobytes())
    if "0:v" not in encoding:
        golden[name] = decode(HERE / name, ["-c:a", "libopus"] if "opus" in encoding else [])


def decode(path, decoder):
    run(*decoder, "-i", str(path), "-map", "0:a", "-c:a", "pcm_f32le", "-y", "/tmp/decoded.wav")
    rate, samples = wavfile.read("/tmp/decoded.wav")
    mono = samples.reshape(len(samples), -1).astype(np.float64).mean(axis=1)
    return np.round(resample_poly(mono, 16000, rate)[::97], 5).tolist()


write("stereo.mp3", "-c:a libmp3lame -b:a 64k")
write("mono-22050.mp3", "-c:a libmp3lame -b:a 32k", 22050, 1)
write("variable.mp3", "-c:a libmp3lame -q:a 6 -id3v2_version 3 -metadata title=Chirp -write_id3v1 1", channels=1)
write("layer-2.mp2", "-c:a mp2 -b:a 96k")
write("stereo.flac", "-c:a flac -sample_fmt s16", 22050)
write("mono-24-bit.flac", "-c:a flac -sample_fmt s32", 16000, 1)
write("flac.ogg", "-c:a flac -sample_fmt s16", 16000, 1)
write("vorbis.ogg", "-c:a libvorbis -b:a 48k")
write("opus.ogg", "-c:a libopus -b:a 32k", 48000)
write("mono-opus.ogg", "-c:a libopus -b:a 20k", 16000, 1)
write("opus.webm", "-c:a libopus -b:a 32k", 48000)
write("vorbis.webm", "-c:a libvorbis -b:a 48k")
write("live-with-video.mkv", "-c:v vp8 -c:a libopus -b:a 24k -live 1 -cluster_time_limit 400", 48000, 1, VIDEO)
write("flac.mka", "-c:a flac -sample_fmt s16", 16000, 1)
write("mp3.mka", "-c:a libmp3lame -b:a 32k", channels=1)
write("aac.mka", "-c:a aac -b:a 48k", channels=1)
write("aac.m4a", "-c:a aac -b:a 64k")
write("aac-with-video.mp4", "-c:v mpeg4 -c:a aac -b:a 32k -movflags faststart", 16000, 1, VIDEO)
write("fragmented-aac.mp4", "-c:a aac -b:a 48k -movflags frag_keyframe+delay_moov+default_base_moof", 48000, 1)
write("aac.mov", "-c:a aac -b:a 48k", channels=1)
write("aac.aac", "-c:a aac -b:a 64k")
write("alac.m4a", "-c:a alac -sample_fmt s16p", 16000, 1)
write("opus.mp4", "-c:a libopus -b:a 24k", 48000, 1)
write("mp3.mp4", "-c:a libmp3lame -b:a 32k", channels=1)
write("flac.mp4", "-c:a flac -sample_fmt s16", 16000, 1)
write("pcm.mov", "-c:a pcm_s16le", 16000, 1)
write("ac-3.mp4", "-c:a ac3 -b:a 64k", channels=1)
write("video-only.mp4", "-c:v mpeg4 -map 0:v", before=VIDEO)
write("video-only.webm", "-c:v vp8 -map 0:v", before=VIDEO)

lines = ",\n".join(f"{json.dumps(name)}: {json.dumps(values)}" for name, values in golden.items())
(HERE / "golden.json").write_text(f"{{\n{lines}\n}}\n")
