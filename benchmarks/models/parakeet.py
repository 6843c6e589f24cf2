"""Makes Parakeets of the real shape (110 million parameters) in the layout of NeMo's ONNX exports, with random weights.

    pip install torch==2.13.0 transformers==5.24.0 onnx==1.23.2 onnxscript
    python parakeet.py [FOLDER]

writes parakeet-ctc and parakeet-tdt into the folder, default `cache`. The encoder is that of transformers, which loads NVIDIA's
weights; what the recognizers hear with random ones has no sense, but costs as much.
"""

import json
import sys
from pathlib import Path

import torch
from torch import nn
from transformers import ParakeetForCTC, ParakeetForTDT
from transformers.models.parakeet.configuration_parakeet import ParakeetCTCConfig, ParakeetEncoderConfig, ParakeetTDTConfig

VOCABULARY = 1024
BLANK = VOCABULARY
SHAPE = dict(hidden_size=512, num_hidden_layers=17, num_attention_heads=8, intermediate_size=2048, num_mel_bins=80, attention_bias=False)


class Encoder(nn.Module):
    """From features to one vector each 80 ms."""

    def __init__(self, model, head):
        super().__init__()
        self.encoder, self.head = model.encoder, head

    def forward(self, audio_signal, length):
        present = torch.arange(audio_signal.shape[2])[None] < length[:, None]
        return self.head(self.encoder(audio_signal.transpose(1, 2), present).last_hidden_state)


class Projected(Encoder):
    def forward(self, audio_signal, length):
        return super().forward(audio_signal, length).transpose(1, 2), (length - 1) // 8 + 1


class Joint(nn.Module):
    """One step of the prediction network and of the joint network."""

    def __init__(self, model):
        super().__init__()
        self.decoder, self.joint = model.decoder, model.joint

    def forward(self, encoder_outputs, targets, target_length, input_states_1, input_states_2):
        said, (hidden, cell) = self.decoder.lstm(self.decoder.embedding(targets), (input_states_1, input_states_2))
        said = self.decoder.decoder_projector(said)
        logits = self.joint(said[:, None], encoder_outputs.transpose(1, 2)[:, :, None])
        return logits, target_length.clone(), hidden, cell


class Ctc(Encoder):
    def forward(self, audio_signal, length):
        return super().forward(audio_signal, length).log_softmax(-1)


def export(module, path, inputs, outputs, axes):
    values = tuple(inputs.values())
    names = {"input_names": list(inputs), "output_names": outputs, "dynamic_axes": axes}
    torch.onnx.export(module.eval(), values, path, **names, dynamo=False, opset_version=17)
    print(path, path.stat().st_size >> 20, "MB", flush=True)


def write_small_files(folder, kind):
    pieces = ["<unk>", *(f"{'▁' if index % 3 else ''}{index:x}" for index in range(1, VOCABULARY)), "<blk>"]
    (folder / "vocab.txt").write_text("".join(f"{piece} {index}\n" for index, piece in enumerate(pieces)))
    config = {"model_type": f"nemo-conformer-{kind}", "features_size": SHAPE["num_mel_bins"], "subsampling_factor": 8}
    (folder / "config.json").write_text(json.dumps(config) + "\n")


def main(target):
    torch.manual_seed(1)
    torch.set_grad_enabled(False)
    heard = {"audio_signal": torch.randn(1, SHAPE["num_mel_bins"], 801), "length": torch.tensor([800])}
    axes = {"audio_signal": {0: "batch", 2: "time"}, "length": {0: "batch"}}
    encoder_config = ParakeetEncoderConfig(**SHAPE)

    folder = target / "parakeet-ctc"
    folder.mkdir(parents=True, exist_ok=True)
    model = ParakeetForCTC(ParakeetCTCConfig(vocab_size=VOCABULARY + 1, pad_token_id=BLANK, encoder_config=encoder_config))
    model.ctc_head.weight *= 20
    model.ctc_head.bias[BLANK] += 8
    export(Ctc(model, model.ctc_head), folder / "model.onnx", heard, ["logprobs"], {**axes, "logprobs": {0: "batch", 1: "frames"}})
    write_small_files(folder, "ctc")

    folder = target / "parakeet-tdt"
    folder.mkdir(parents=True, exist_ok=True)
    model = ParakeetForTDT(ParakeetTDTConfig(vocab_size=VOCABULARY + 1, blank_token_id=BLANK, encoder_config=encoder_config))
    model.joint.head.weight *= 20
    model.joint.head.bias[BLANK] += 3
    outputs = ["outputs", "encoded_lengths"]
    export(Projected(model, model.encoder_projector), folder / "encoder-model.onnx", heard, outputs,
           {**axes, "outputs": {0: "batch", 2: "frames"}, "encoded_lengths": {0: "batch"}})
    width, layers = model.config.decoder_hidden_size, model.config.num_decoder_layers
    state = torch.zeros(layers, 1, width)
    step = {
        "encoder_outputs": torch.randn(1, width, 1),
        "targets": torch.tensor([[BLANK]], dtype=torch.int32),
        "target_length": torch.tensor([1], dtype=torch.int32),
        "input_states_1": state,
        "input_states_2": state,
    }
    outputs = ["outputs", "prednet_lengths", "output_states_1", "output_states_2"]
    axes = {"encoder_outputs": {0: "batch", 2: "time"}, "targets": {0: "batch", 1: "length"}, "target_length": {0: "batch"}}
    axes |= {name: {1: "batch"} for name in [*list(step)[3:], *outputs[2:]]}
    export(Joint(model), folder / "decoder_joint-model.onnx", step, outputs, axes)
    write_small_files(folder, "tdt")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent / "cache")
