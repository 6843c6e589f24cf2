"""Writes the model folder in the ONNX layout of diffusers, and checks the graphs against PyTorch."""

import argparse
import json
import warnings
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
import torch

from build_tokenizer import MAX_LENGTH
from model import LATENT_CHANNELS, SCALE, load
from schedule import STEPS, betas

# How many timesteps a generation can have at most; LCM schedulers choose theirs among so many.
MOST_STEPS = 250


def write_graph(module, sample, path, inputs, outputs, axes):
    path.parent.mkdir(parents=True, exist_ok=True)
    with torch.no_grad(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.onnx.export(module, sample, str(path), input_names=inputs, output_names=outputs, dynamic_axes=axes, opset_version=17, dynamo=False)
    graph = onnx.load(str(path))
    # Doc strings of the exporter carry nothing but this machine's paths.
    for node in graph.graph.node:
        node.doc_string = ""
    onnx.checker.check_model(graph)
    onnx.save(graph, str(path))


def write_graphs(model, folder):
    hidden = model.config.hidden_size
    image = {0: "batch", 2: "height", 3: "width"}
    ids = torch.full((2, MAX_LENGTH), model.config.end_token)
    ids[:, 1:5] = torch.arange(4)
    write_graph(model.text_encoder, (ids,), folder / "text_encoder" / "model.onnx", ["input_ids"], ["last_hidden_state"],
                {"input_ids": {0: "batch", 1: "length"}, "last_hidden_state": {0: "batch", 1: "length"}})
    write_graph(model.unet, (torch.randn(2, LATENT_CHANNELS, 32, 40), torch.tensor([500]), torch.randn(2, MAX_LENGTH, hidden)), folder / "unet" / "model.onnx",
                ["sample", "timestep", "encoder_hidden_states"], ["out_sample"],
                {"sample": image, "timestep": {0: "timesteps"}, "encoder_hidden_states": {0: "batch", 1: "length"}, "out_sample": image})
    write_graph(model.decoder, (torch.randn(2, LATENT_CHANNELS, 16, 24),), folder / "vae_decoder" / "model.onnx", ["latent_sample"], ["sample"], {"latent_sample": image, "sample": image})


def write_json(path, value):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value, indent=2) + "\n", encoding="utf-8")


def write_configs(model, folder):
    config = model.config
    write_json(folder / "model_index.json", {
        "_class_name": "StableDiffusionPipeline", "_diffusers_version": "0.42.1", "scheduler": ["diffusers", "LCMScheduler"], "tokenizer": ["transformers", "CLIPTokenizer"],
        "text_encoder": ["diffusers", "OnnxRuntimeModel"], "unet": ["diffusers", "OnnxRuntimeModel"], "vae_decoder": ["diffusers", "OnnxRuntimeModel"],
        "feature_extractor": [None, None], "safety_checker": [None, None], "requires_safety_checker": False,
    })
    scheduler = {
        "_class_name": "LCMScheduler", "_diffusers_version": "0.42.1", "num_train_timesteps": STEPS, "original_inference_steps": MOST_STEPS, "prediction_type": "sample",
        "clip_sample": True, "clip_sample_range": 1.0, "timestep_scaling": 10.0, "timestep_spacing": "leading", "set_alpha_to_one": True, "steps_offset": 0,
        "thresholding": False, "rescale_betas_zero_snr": False, "beta_start": 0.0001, "beta_end": 0.02, "beta_schedule": "linear",
    }
    text = json.dumps(scheduler, indent=2)[:-2] + ',\n  "trained_betas": ' + json.dumps([float(f"{beta:.8g}") for beta in betas().tolist()]) + "\n}\n"
    (folder / "scheduler").mkdir(exist_ok=True)
    (folder / "scheduler" / "scheduler_config.json").write_text(text, encoding="utf-8")
    write_json(folder / "text_encoder" / "config.json", {
        "architectures": ["CLIPTextModel"], "model_type": "clip_text_model", "vocab_size": config.vocab_size, "hidden_size": config.hidden_size, "intermediate_size": 3 * config.hidden_size,
        "num_hidden_layers": config.text_layers, "num_attention_heads": config.heads, "max_position_embeddings": config.max_positions, "hidden_act": "gelu",
        "bos_token_id": config.end_token - 1, "eos_token_id": config.end_token, "pad_token_id": config.end_token,
    })
    write_json(folder / "unet" / "config.json", {
        "_class_name": "UNet2DConditionModel", "in_channels": LATENT_CHANNELS, "out_channels": LATENT_CHANNELS, "sample_size": 32, "cross_attention_dim": config.hidden_size,
        "block_out_channels": list(config.channels), "time_cond_proj_dim": None,
    })
    write_json(folder / "vae_decoder" / "config.json", {
        "_class_name": "AutoencoderKL", "in_channels": 3, "out_channels": 3, "latent_channels": LATENT_CHANNELS, "scaling_factor": 1.0, "sample_size": 32 * SCALE,
        # One entry more than there are doublings: this is how the scale of 8 is read.
        "block_out_channels": [config.decoder_channels] * 4,
    })


def session(path, threads=1):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])


def largest_difference(path, module, feeds):
    with torch.no_grad():
        expected = module(*(torch.from_numpy(value) for value in feeds.values())).numpy()
    result = session(path).run(None, feeds)[0]
    assert result.shape == expected.shape, (result.shape, expected.shape)
    return float(np.abs(result - expected).max())


def check_graphs(folder, model):
    """The graphs must equal PyTorch at several sizes. Returns the largest difference seen, where values are about 1."""
    rng, worst = np.random.default_rng(0), 0.0
    ids = rng.integers(0, model.config.end_token - 1, (3, MAX_LENGTH))
    for row, length in enumerate((1, 9, 76)):
        ids[row, length:] = model.config.end_token
    worst = max(worst, largest_difference(folder / "text_encoder" / "model.onnx", model.text_encoder, {"input_ids": ids}))
    states = session(folder / "text_encoder" / "model.onnx").run(None, {"input_ids": ids})[0]
    for batch, height, width, timestep in [(1, 32, 32, [999]), (2, 32, 256, [999]), (3, 64, 40, [751]), (2, 48, 32, [3, 999]), (1, 128, 128, [0])]:
        sample = rng.standard_normal((batch, LATENT_CHANNELS, height, width)).astype(np.float32)
        feeds = {"sample": sample, "timestep": np.array(timestep), "encoder_hidden_states": states[:batch]}
        worst = max(worst, largest_difference(folder / "unet" / "model.onnx", model.unet, feeds))
        worst = max(worst, largest_difference(folder / "vae_decoder" / "model.onnx", model.decoder, {"latent_sample": sample.clip(-1, 1)}))
    assert worst < 2e-3, f"graphs and PyTorch differ by {worst}"
    return worst


def export(weights, folder):
    model = load(weights)
    write_configs(model, folder)
    write_graphs(model, folder)
    return check_graphs(folder, model)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("weights", type=Path, help="folder of the trained parts")
    parser.add_argument("--folder", type=Path, default=Path(__file__).resolve().parent.parent)
    options = parser.parse_args()
    print("largest difference between graphs and PyTorch:", export(options.weights, options.folder))
