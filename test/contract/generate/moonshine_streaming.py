"""Makes a random miniature of Moonshine Streaming in the five graphs of its own runtime, and what the reference hears with it.

    pip install torch==2.13.0 transformers==5.24.0 onnx==1.23.2 onnxscript==0.7.2 moonshine-voice==0.1.5
    python moonshine_streaming.py

writes ../models/moonshine-streaming: the graphs by the exporter of moonshine-voice, config.json and tokenizer.json as Hugging Face has
them, and golden.json with the tokens of `generate` of transformers, which runs the model as a whole. Weights are multiples of 1/16.
"""

import json
import tempfile
from pathlib import Path

import numpy as np
import onnx
import torch
import transformers
from moonshine_voice.lora.export import export_checkpoint
from nemo import waveform
from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers

FOLDER = Path(__file__).parent.parent / "models" / "moonshine-streaming"
SPECIALS = ["<unk>", "<s>", "</s>"]
CHARACTERS = [chr(code) for code in range(32, 127)]
FRAME = 80
SEED = 3
SECONDS = [0.3, 1, 3.7, 7.035]


def make_model():
    config = transformers.MoonshineStreamingConfig(
        vocab_size=256, hidden_size=16, intermediate_size=24, num_hidden_layers=2, num_attention_heads=2, num_key_value_heads=2,
        max_position_embeddings=512, bos_token_id=1, eos_token_id=2, pad_token_id=0, decoder_start_token_id=1,
        encoder_config=dict(
            hidden_size=20, intermediate_size=24, num_hidden_layers=2, num_attention_heads=2, num_key_value_heads=2,
            sliding_windows=((16, 4), (16, 0)),
        ),
    )
    generator = torch.Generator().manual_seed(SEED)
    model = transformers.MoonshineStreamingForConditionalGeneration(config)
    for parameter in model.parameters():
        if parameter.dim() > 1:
            values = torch.randn(parameter.shape, generator=generator) * 0.5
            parameter.data.copy_(torch.round(values * 16) / 16)
    # Characters alone are likely.
    model.proj_out.weight.data[len(SPECIALS) + len(CHARACTERS) :] = 0
    return model.eval()


def make_tokenizer():
    vocabulary = {token: index for index, token in enumerate([*SPECIALS, *CHARACTERS])}
    tokenizer = Tokenizer(models.BPE(vocab=vocabulary, merges=[], unk_token="<unk>"))
    tokenizer.pre_tokenizer = pre_tokenizers.Split(Regex(""), "isolated")
    tokenizer.decoder = decoders.Fuse()
    tokenizer.add_special_tokens(SPECIALS)
    return tokenizer


def strip(path):
    model = onnx.load(path)
    for node in model.graph.node:
        node.ClearField("doc_string")
        node.ClearField("metadata_props")
    for values in (model.graph.value_info, model.graph.initializer, model.graph.input, model.graph.output):
        for value in values:
            value.ClearField("metadata_props")
            value.ClearField("doc_string")
    del model.graph.value_info[:]
    del model.graph.metadata_props[:]
    del model.metadata_props[:]
    onnx.save(model, path)


def write_golden(model, tokenizer):
    # The exporter counts both ends of a window in, transformers neither.
    encoder = model.model.encoder
    encoder.config.sliding_windows = [[past + 1, future + 1] for past, future in encoder.config.sliding_windows]
    cases = []
    for seconds in SECONDS:
        samples = waveform(seconds)
        whole = torch.tensor(samples[: len(samples) // FRAME * FRAME])[None]
        most = max(8, int(np.ceil(len(samples) / 16000 * 6.5)))
        with torch.no_grad():
            tokens = model.generate(
                input_values=whole, attention_mask=torch.ones_like(whole, dtype=torch.long), max_new_tokens=most, do_sample=False,
            )[0, 1:].tolist()
        if tokens[-1] == 2:
            tokens = tokens[:-1]
        cases.append({"seconds": seconds, "tokens": tokens, "text": tokenizer.decode(tokens)})
        print(cases[-1])
    (FOLDER / "golden.json").write_text(json.dumps({"cases": cases}) + "\n")


def main():
    model, tokenizer = make_model(), make_tokenizer()
    FOLDER.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as checkpoint:
        model.save_pretrained(checkpoint)
        export_checkpoint(checkpoint, FOLDER)
        (FOLDER / "config.json").write_text((Path(checkpoint) / "config.json").read_text())
    (FOLDER / "streaming_config.json").unlink()
    for path in FOLDER.glob("*.onnx"):
        strip(path)
    (FOLDER / "tokenizer.json").write_text(json.dumps(json.loads(tokenizer.to_str()), separators=(",", ":")) + "\n")
    (FOLDER / "tokenizer_config.json").write_text(json.dumps({"tokenizer_class": "PreTrainedTokenizerFast", "eos_token": "</s>"}) + "\n")
    write_golden(model, tokenizer)


if __name__ == "__main__":
    main()
