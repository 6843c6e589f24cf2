"""Makes the two graphs that tell speakers apart out of their weights. Usage: python diarization_folder.py CHECKPOINTS TARGET

`segmentation.onnx` is pyannote's segmentation 3.0 (PyanNet), `embedding.onnx` CAM++ of 3D-Speaker, of speech in English and Chinese.
"""

import importlib.util
import sys
from pathlib import Path

import torch
from torch import nn
from torch.nn import functional


class Segmentation(nn.Module):
    """Three convolutions, the first with bandpass filters of learnt edges (SincNet), then LSTMs; samples → logits of a powerset."""

    def __init__(self, state):
        super().__init__()
        self.wav_norm1d = nn.InstanceNorm1d(1, affine=True)
        self.conv1d = nn.ModuleList([nn.Conv1d(1, 80, 251, stride=10, bias=False), nn.Conv1d(80, 60, 5), nn.Conv1d(60, 60, 5)])
        self.norm1d = nn.ModuleList([nn.InstanceNorm1d(channels, affine=True) for channels in (80, 60, 60)])
        self.lstm = nn.LSTM(60, 128, num_layers=4, bidirectional=True, batch_first=True)
        self.linear = nn.ModuleList([nn.Linear(256, 128), nn.Linear(128, 128)])
        self.classifier = nn.Linear(128, 7)
        state = {name.removeprefix("sincnet."): value for name, value in state.items()}
        edges = {name: state.pop(f"conv1d.0.filterbank.{name}") for name in ("low_hz_", "band_hz_", "window_", "n_")}
        self.load_state_dict({**state, "conv1d.0.weight": bandpass_filters(**edges)})

    def forward(self, samples):
        features = self.wav_norm1d(samples)
        for index, (convolve, normalize) in enumerate(zip(self.conv1d, self.norm1d)):
            features = convolve(features)
            features = torch.abs(features) if index == 0 else features
            features = functional.leaky_relu(normalize(functional.max_pool1d(features, 3)))
        features, _ = self.lstm(features.transpose(1, 2))
        for layer in self.linear:
            features = functional.leaky_relu(layer(features))
        return functional.log_softmax(self.classifier(features), dim=-1)


def bandpass_filters(low_hz_, band_hz_, window_, n_):
    """Even and odd filters, as asteroid-filterbanks makes them (`ParamSincFB`)."""
    low = 50 + low_hz_.abs()
    high = (low + 50 + band_hz_.abs()).clamp(50, 8000)
    width = high - low
    even = (torch.sin(high @ n_) - torch.sin(low @ n_)) / (n_ / 2) * window_
    odd = (torch.cos(low @ n_) - torch.cos(high @ n_)) / (n_ / 2) * window_
    evens = torch.cat([even, 2 * width, even.flip(1)], dim=1)
    odds = torch.cat([odd, torch.zeros_like(width), -odd.flip(1)], dim=1)
    return (torch.cat([evens / (2 * width), odds / (2 * width)])).unsqueeze(1)


def read_embedding(source, weights):
    spec = importlib.util.spec_from_file_location("camplusplus", source)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    model = module.CAMPPlus(embedding_size=192, memory_efficient=False)
    model.load_state_dict(weights)
    # 3D-Speaker's layer ends with the normalization; the copy adds a rectifier, which takes half of the directions.
    model.xvector.dense.nonlinear = nn.Sequential(model.xvector.dense.nonlinear.batchnorm)
    return model


def export(model, example, axes, output, target):
    names = dict(input_names=[next(iter(axes))], output_names=[output], dynamic_axes=axes)
    torch.onnx.export(model.eval(), (example,), str(target), opset_version=17, dynamo=False, **names)


def main(checkpoints, target):
    target.mkdir()
    load = lambda name: torch.load(checkpoints / name, map_location="cpu", weights_only=True)
    segmentation = Segmentation(load("segmentation.pt")["state_dict"])
    export(segmentation, torch.zeros(1, 1, 160_000), {"samples": {0: "batch", 2: "samples"}}, "logits", target / "segmentation.onnx")
    embedding = read_embedding(checkpoints / "camplusplus.py", load("embedding.pt"))
    export(embedding, torch.randn(1, 345, 80), {"features": {0: "batch", 1: "frames"}}, "embedding", target / "embedding.onnx")


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
