"""Writes the model folder in Kokoro's ONNX layout, and checks the graph against PyTorch."""

import argparse
import json
import warnings
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
import torch
from torch import nn

from model import STYLE, load
from phonemes import BORROWED, SYMBOLS, VOCABULARY, to_ids
from vocoder import RATE, Vocoder
from voices import VOICES

ROWS = 510
OPSET = 18
HALVED_FROM = 1024
DURATION_STEPS = 16
SLOWEST, FASTEST = 0.1, 10.0
# Root mean square of this, spoken by any voice.
LOUDNESS, LEVELLED = 0.08, "ə ɹˈɛd sˈɜɹkəl əbˈʌv ə blˈu skwˈɛɹ ænd sˈɪks jˈɛlO stˈɑɹz, ˈɑn ə wˈIt bˈækɡɹˌWnd."


class Synthesizer(nn.Module):
    """Kokoro's contract: input_ids [1, n], style [1, 256], speed [1]; waveform [samples] at 24 kHz."""

    def __init__(self, model):
        super().__init__()
        self.model = model
        self.vocoder = Vocoder(model.config.bands, model.config.noise_bands)
        self.register_buffer("gain", torch.zeros(STYLE, 1))

    def forward(self, input_ids, style, speed):
        encodings, durations = self.model.encode(input_ids, style, torch.ones_like(input_ids, dtype=torch.float32)[..., None])
        # In sixteenths, whose sums are exact: or the last digit of a duration would move a frame.
        ends = torch.cumsum((durations * DURATION_STEPS).round() / DURATION_STEPS, 1).round()
        begins = nn.functional.pad(ends, (1, 0))[:, :-1]
        frames = torch.arange(ends[0, -1].clamp(min=1).long())
        owner = (frames[:, None] >= ends[:, :-1]).long().sum(1)[None]
        tracks = self.model.decode(encodings, owner, begins, ends - begins, style, torch.ones_like(owner, dtype=torch.float32)[..., None])
        envelope, noise, pitch = stretch([track[0] for track in tracks], speed.clamp(SLOWEST, FASTEST))
        return self.vocoder(envelope + 2 * style @ self.gain, noise, pitch)

    def level(self):
        """Sets the gain, linear in the style, that makes all voices equally loud."""
        styles = self.model.voices.weight.detach()
        with torch.no_grad():
            spoken = [self(torch.tensor([to_ids(LEVELLED)]), style[None], torch.ones(1)) for style in styles]
        wanted = torch.stack([torch.log(LOUDNESS / samples.square().mean().sqrt()) for samples in spoken])
        self.gain.copy_(torch.linalg.pinv(styles) @ wanted[:, None])


def stretch(tracks, speed):
    """The tracks at another speed; pitch stays. Half frames in between are interpolated."""
    last = torch.tensor(tracks[0].shape[0] - 1)
    count = ((last + 1) / speed[0]).round().clamp(min=1).long()
    positions = (torch.arange(count) * speed[0]).clamp(max=last.float())
    before = positions.floor()
    after, share = (before + 1).clamp(max=last.float()).long(), positions - before
    before = before.long()
    return [torch.lerp(track[before], track[after], share.reshape(-1, *[1] * (track.ndim - 1))) for track in tracks]


def export_graph(synthesizer, path):
    example = (torch.tensor([to_ids("həlˈO")]), torch.zeros(1, STYLE), torch.ones(1))
    with torch.no_grad(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.onnx.export(synthesizer, example, str(path), input_names=["input_ids", "style", "speed"], output_names=["waveform"],
                          dynamic_axes={"input_ids": {1: "sequence_length"}, "waveform": {0: "num_samples"}}, opset_version=OPSET, dynamo=False, do_constant_folding=False)
    graph = onnx.load(str(path))
    # Doc strings of the exporter carry nothing but this machine's paths.
    for node in graph.graph.node:
        node.doc_string = ""
    halve(graph.graph)
    onnx.checker.check_model(graph)
    onnx.save(graph, str(path))


def halve(graph):
    """Keeps large weights as float16 in the file; a cast, which runtimes fold when they load it, makes float32 of them."""
    casts = []
    for weight in list(graph.initializer):
        values = onnx.numpy_helper.to_array(weight)
        if values.dtype == np.float32 and values.size >= HALVED_FROM:
            name = weight.name
            weight.CopyFrom(onnx.numpy_helper.from_array(values.astype(np.float16), name + "_half"))
            casts.append(onnx.helper.make_node("Cast", [name + "_half"], [name], to=onnx.TensorProto.FLOAT))
    rest = list(graph.node)
    del graph.node[:]
    graph.node.extend(casts + rest)


class Runner:
    """Speaks with the exported graph in onnxruntime: phonemes and a voice's style rows in, float32 samples out."""

    def __init__(self, folder, threads=1):
        self.folder = Path(folder)
        self.vocabulary = json.loads((self.folder / "config.json").read_text(encoding="utf-8"))["vocab"]
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        self.session = onnxruntime.InferenceSession(str(self.folder / "onnx" / "model.onnx"), options, providers=["CPUExecutionProvider"])

    def voice(self, mix):
        """Rows [510, 1, 256] of a voice, or the mean of several: `af_heart+am_adam`."""
        return np.mean([np.fromfile(self.folder / "voices" / f"{name}.bin", "<f4").reshape(ROWS, 1, STYLE) for name in mix.split("+")], 0, dtype=np.float32)

    def speak(self, phonemes, rows, speed=1.0):
        ids = [self.vocabulary[symbol] for symbol in phonemes if symbol in self.vocabulary]
        style = rows[min(len(ids), ROWS - 1)]
        return self.session.run(None, {"input_ids": np.array([[0, *ids, 0]]), "style": style, "speed": np.array([speed], np.float32)})[0]


def check_graph(folder, synthesizer):
    """The graph must equal PyTorch for short, long, fast and slow speech. Returns the largest difference of the samples."""
    runner, worst = Runner(folder), 0.0
    for phonemes, speed in [("", 1.0), ("ˈA", 1.0), ("həlˈO, wˈɜɹld!", 0.5), ("ə ɹˈɛd sˈɜɹkəl əbˈʌv ə blˈu skwˈɛɹ. " * 12, 1.3), ("wˌʌn tˈu θɹˈi", 4.0)]:
        for voice in VOICES[::2]:
            rows = runner.voice(voice.name)
            samples = runner.speak(phonemes, rows, speed)
            with torch.no_grad():
                expected = synthesizer(torch.tensor([to_ids(phonemes)]), torch.from_numpy(rows[0]), torch.tensor([speed])).numpy()
            assert samples.shape == expected.shape and np.isfinite(samples).all(), (samples.shape, expected.shape)
            worst = max(worst, float(np.abs(samples - expected).max()))
    # Over half a minute, the last digits of a few pitches become a phase.
    assert worst < 0.1, f"graph and PyTorch differ by {worst}"
    return worst


def write_json(path, value):
    path.write_text(json.dumps(value, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


def export(checkpoint, folder):
    folder = Path(folder)
    for name in ("onnx", "voices"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    model = load(checkpoint)
    with torch.no_grad():
        for symbol, lender in BORROWED.items():
            model.symbols.weight[VOCABULARY[symbol]] = model.symbols.weight[VOCABULARY[lender]]
    synthesizer = Synthesizer(model).eval()
    synthesizer.level()
    for values in synthesizer.state_dict().values():
        if values.numel() >= HALVED_FROM:
            values.copy_(values.half())
    for index, voice in enumerate(VOICES):
        style = model.voices.weight[index].detach().numpy()
        np.broadcast_to(style, (ROWS, 1, STYLE)).astype("<f4").tofile(folder / "voices" / f"{voice.name}.bin")
    write_json(folder / "config.json", {"model_type": "style_text_to_speech_2", "n_token": SYMBOLS, "style_dim": STYLE // 2, "sampling_rate": RATE, "vocab": VOCABULARY})
    export_graph(synthesizer, folder / "onnx" / "model.onnx")
    return check_graph(folder, synthesizer)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("checkpoint", type=Path)
    parser.add_argument("--folder", type=Path, default=Path(__file__).resolve().parent.parent)
    options = parser.parse_args()
    print("largest difference between the samples of graph and PyTorch:", export(options.checkpoint, options.folder))
