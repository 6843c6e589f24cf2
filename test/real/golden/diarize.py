"""Who speaks in the conversations of test/real/conversations.ts, as sherpa-onnx hears it with the same graphs.

    SLASHV1_CONVERSATIONS=FOLDER npx vitest run --config vitest.real.config.ts diarize   # writes the recordings and what is true
    python diarize.py GRAPHS FOLDER MEETING 0.7 0.8                                      # thresholds that are tried

writes diarize.json: the threshold with the least error over the recordings of `choosing`, and the turns in those of `judging`. GRAPHS and
MEETING are folders that benchmarks/models/real.py makes. Needs sherpa-onnx, soundfile, onnx and pyannote.metrics; written with Python 3.11 and
the versions that diarize.json states.
"""

import json
import sys
import tempfile
from importlib.metadata import version
from pathlib import Path

import onnx
import sherpa_onnx
import soundfile
from pyannote.core import Annotation, Segment
from pyannote.metrics.diarization import DiarizationErrorRate

SEGMENTATION = dict(
    model_type="pyannote-segmentation-3.0", num_speakers=3, powerset_max_classes=2, num_classes=7, sample_rate=16000, window_size=160000,
    receptive_field_size=991, receptive_field_shift=270, version=1,
)  # fmt: skip
EMBEDDING = dict(
    framework="3d-speaker", language="Chinese-English", url="", comment="", sample_rate=16000, output_dim=192, normalize_samples=1,
    feature_normalize_type="global-mean",
)  # fmt: skip


def with_metadata(source, target, metadata):
    """sherpa-onnx reads the shapes of a graph out of it."""
    model = onnx.load(source)
    for key, value in metadata.items():
        model.metadata_props.add(key=key, value=str(value))
    onnx.save(model, target)
    return str(target)


def open_diarization(segmentation, embedding, threshold):
    pyannote = sherpa_onnx.OfflineSpeakerSegmentationPyannoteModelConfig(model=segmentation)
    config = sherpa_onnx.OfflineSpeakerDiarizationConfig(
        segmentation=sherpa_onnx.OfflineSpeakerSegmentationModelConfig(pyannote=pyannote, num_threads=2),
        embedding=sherpa_onnx.SpeakerEmbeddingExtractorConfig(model=embedding, num_threads=2),
        clustering=sherpa_onnx.FastClusteringConfig(num_clusters=-1, threshold=threshold),
        min_duration_on=0.3,
        min_duration_off=0.5,
    )
    return sherpa_onnx.OfflineSpeakerDiarization(config)


def annotation(turns):
    result = Annotation()
    for index, turn in enumerate(turns):
        result[Segment(turn["startSeconds"], turn["endSeconds"]), index] = turn["speaker"]
    return result


def hear(diarization, wav, spoken):
    samples, _ = soundfile.read(wav, dtype="float32")
    heard = diarization.process(samples).sort_by_start_time()
    turns = [dict(speaker=one.speaker, startSeconds=round(one.start, 3), endSeconds=round(one.end, 3)) for one in heard]
    return dict(turns=turns, error=round(DiarizationErrorRate()(spoken, annotation(turns)), 4))


def main(graphs, folder, meeting, *thresholds):
    graphs, folder, meeting = map(Path, (graphs, folder, meeting))
    scratch = Path(tempfile.mkdtemp())
    segmentation = with_metadata(graphs / "segmentation.onnx", scratch / "segmentation.onnx", SEGMENTATION)
    embedding = with_metadata(graphs / "embedding.onnx", scratch / "embedding.onnx", EMBEDDING)
    truths = {file.stem: annotation(json.loads(file.read_text())) for file in sorted(folder.glob("*-*.json"))}
    hear_all = lambda threshold, kind: {
        name: hear(open_diarization(segmentation, embedding, threshold), folder / f"{name}.wav", spoken)
        for name, spoken in truths.items()
        if name.startswith(kind)
    }
    errors = {}
    for threshold in map(float, thresholds):
        heard = hear_all(threshold, "choosing").values()
        errors[threshold] = round(sum(one["error"] for one in heard) / len(heard), 4)
        print(threshold, errors[threshold], flush=True)
    threshold = min(errors, key=errors.get)
    heard = hear_all(threshold, "judging")
    rows = [line.split() for line in (meeting / "sample.rttm").read_text().splitlines()]
    spoken = annotation([dict(speaker=row[7], startSeconds=float(row[3]), endSeconds=float(row[3]) + float(row[4])) for row in rows])
    heard["meeting"] = hear(open_diarization(segmentation, embedding, threshold), meeting / "sample.wav", spoken)
    versions = {package: version(package) for package in ("sherpa-onnx", "pyannote-metrics", "onnx", "soundfile")}
    seeds = "100 times the people plus the round, which the names of recordings state"
    golden = dict(versions=versions, seeds=seeds, errors=errors, threshold=threshold, heard=heard)
    Path(__file__).with_suffix(".json").write_text(json.dumps(golden, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
