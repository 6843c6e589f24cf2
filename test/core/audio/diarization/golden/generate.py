"""Writes diarization.json: what pyannote.audio, SciPy and torchaudio make of small inputs.

- `powerset`: classes of frames, by `pyannote.audio.utils.powerset.Powerset`.
- `clusters`: `scipy.cluster.hierarchy.linkage` by centroids, cut by distance.
- `groups`: `AgglomerativeClustering` of pyannote.audio, as version 3.1 of its pipeline uses it.
- `turns`: `speaker_count`, `reconstruct` and `to_annotation` of pyannote.audio's pipeline, without the speakers whom no window
  hears in a frame: where two speakers of a window are one of the recording, the reference fills up with others.
- `features`: `torchaudio.compliance.kaldi.fbank`, less the mean of each band, of the clip that the test makes.

Made with Python 3.11, pyannote.audio 4.0.7, SciPy 1.17, torchaudio 2.11 and NumPy 2.4, seed 1:
`python generate.py > diarization.json`
"""

import json
import warnings
from functools import partial

warnings.filterwarnings("ignore")

import numpy as np
import torch
from einops import rearrange
from pyannote.audio.pipelines.clustering import AgglomerativeClustering
from pyannote.audio.pipelines.speaker_diarization import SpeakerDiarization
from pyannote.audio.pipelines.utils import SpeakerDiarizationMixin
from pyannote.audio.utils.powerset import Powerset
from pyannote.core import SlidingWindow, SlidingWindowFeature
from scipy.cluster.hierarchy import fcluster, linkage
from torchaudio.compliance.kaldi import fbank

# Of speakers whom equally many windows hear, the first one comes first on any processor.
np.argsort = partial(np.argsort, kind="stable")
random = np.random.default_rng(1)
RATE, STEP, FIELD = 16_000, 270, 991


def listed(values, decimals=4):
    return np.round(np.asarray(values, dtype=np.float64), decimals).tolist()


def powerset():
    cases = []
    for speakers in (2, 3, 4):
        converter = Powerset(speakers, 2)
        logits = np.round(random.normal(size=(1, 24, converter.num_powerset_classes)), 4).astype(np.float32)
        active = converter.to_multilabel(torch.from_numpy(logits))[0].numpy().astype(int)
        cases.append({
            "speakers": speakers,
            "logits": listed(logits[0].ravel()),
            "activity": (active @ (1 << np.arange(speakers))).tolist(),
        })
    return cases


def voices(count, speakers, dimensions, spread):
    centers = random.normal(size=(speakers, dimensions))
    centers /= np.linalg.norm(centers, axis=1, keepdims=True)
    vectors = centers[random.integers(speakers, size=count)] + spread * random.normal(size=(count, dimensions))
    return np.round(vectors, 4).astype(np.float32)


def clusters():
    cases = []
    for count, speakers, dimensions, spread, threshold in [
        (1, 1, 3, 0.1, 1.0), (2, 2, 3, 0.1, 0.0), (30, 3, 4, 0.15, 0.6), (40, 4, 2, 0.3, 0.5),
        (40, 40, 2, 0.5, 0.4), (60, 5, 6, 0.2, 0.7), (25, 1, 5, 0.02, 3.0), (20, 20, 3, 0.5, 1e-6),
    ]:
        vectors = voices(count, speakers, dimensions, spread)
        labels = [0] if count == 1 else fcluster(linkage(vectors.astype(np.float64), "centroid"), threshold, "distance")
        cases.append({"vectors": listed(vectors), "threshold": threshold, "clusters": [int(one) for one in labels]})
    return cases


def groups():
    cases = []
    for windows, speakers, spread, threshold, least in [
        (12, 2, 0.1, 0.7, 12), (40, 3, 0.12, 0.7045654963945799, 12), (40, 3, 0.35, 0.6, 3), (6, 4, 0.5, 0.2, 2), (60, 5, 0.2, 0.5, 4),
    ]:
        frames = 40
        embeddings = rearrange(voices(windows * 3, speakers, 8, spread), "(c s) d -> c s d", s=3)
        active = (random.random((windows, 3, 4)) < 0.35).repeat(10, axis=2).transpose(0, 2, 1).astype(np.float32)
        clustering = AgglomerativeClustering().instantiate(
            {"method": "centroid", "min_cluster_size": least, "threshold": threshold}
        )
        hard, _, _ = clustering(
            embeddings, SlidingWindowFeature(active, SlidingWindow(duration=1, step=0.1)), min_clusters=1, max_clusters=np.inf
        )
        alone = (active * (active.sum(axis=2, keepdims=True) == 1)).sum(axis=1)
        cases.append({
            "embeddings": listed(embeddings.reshape(-1, 8)),
            "clear": (alone.ravel() >= 0.2 * frames).tolist(),
            "threshold": threshold,
            "least": least,
            "groups": hard.ravel().tolist(),
        })
    return cases


def turns():
    cases = []
    pipeline = SpeakerDiarization.__new__(SpeakerDiarization)
    for windows, frames, hop, known in [(1, 40, 20, 2), (8, 40, 11, 3), (20, 60, 13, 4), (12, 37, 37, 2)]:
        chunks = SlidingWindow(duration=(FIELD + (frames - 1) * STEP) / RATE, step=hop * STEP / RATE)
        active = (random.random((windows, 1 + frames // 6, 3)) < 0.4).repeat(6, axis=1)[:, :frames].astype(np.float32)
        hard = random.integers(known, size=(windows, 3))
        hard[active.sum(axis=1) == 0] = -2
        segmentations = SlidingWindowFeature(active, chunks)
        count = SpeakerDiarizationMixin.speaker_count(
            segmentations, SlidingWindow(duration=FIELD / RATE, step=STEP / RATE), warm_up=(0.0, 0.0)
        )
        for most in (3, 1):
            count.data = np.minimum(count.data, most).astype(np.int8)
            discrete = SpeakerDiarization.reconstruct(pipeline, SlidingWindowFeature(active.copy(), chunks), hard, count)
            for (frame, speaker), spoken in np.ndenumerate(discrete.data):
                discrete.data[frame, speaker] *= any(
                    0 <= frame - index * hop < frames and (active[index, frame - index * hop] * (hard[index] == speaker)).any()
                    for index in range(windows)
                )
            annotation = SpeakerDiarizationMixin.to_annotation(discrete)
            found = sorted(
                (round(((one.start - FIELD / RATE / 2) * RATE) / STEP), int(label), round(((one.end - FIELD / RATE / 2) * RATE) / STEP))
                for one, _, label in annotation.itertracks(yield_label=True)
            )
            cases.append({
                "windows": [
                    {"startFrame": index * hop, "activity": (active[index].astype(int) @ (1 << np.arange(3))).tolist(), "speakers": np.maximum(hard[index], -1).tolist()}
                    for index in range(windows)
                ],
                "maxSimultaneous": most,
                "turns": [{"speaker": speaker, "startFrame": start, "endFrame": end} for start, speaker, end in found],
            })
    return cases


def features():
    seconds = np.arange(8000) / RATE
    clip = (0.3 * np.sin(2 * np.pi * 220 * seconds) + 0.1 * np.sin(2 * np.pi * 3100 * seconds * seconds) + 0.05).astype(np.float32)
    bands = fbank(
        torch.from_numpy(clip)[None] * 32768, num_mel_bins=80, frame_length=25, frame_shift=10, dither=0.0,
        sample_frequency=RATE, window_type="hamming", use_energy=False,
    )
    bands = (bands - bands.mean(0)).numpy()
    return {"frames": len(bands), "everyEighth": listed(bands[::8])}


print(json.dumps({
    "powerset": powerset(), "clusters": clusters(), "groups": groups(), "turns": turns(), "features": features(),
}, separators=(",", ":")))
