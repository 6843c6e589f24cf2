"""Miniature SD 1.5 and SDXL with random weights, exported by optimum, and the pictures that diffusers draws with them.

    python diffusion.py

writes ../models/{sd,sdxl}: a folder in the layout of optimum's exports each, and golden.json. The models and the way in
which diffusers' pictures are recorded are those of test/categories/image/pipeline/miniatures/build.py. Written with Python 3.11,
torch 2.13.0, transformers 4.57.6, diffusers 0.39.0, optimum 2.1.0, optimum-onnx 0.1.0.
"""

import json
import logging
import shutil
import sys
import tempfile
import warnings
from importlib.metadata import version
from pathlib import Path

import diffusers
import onnx
import torch
import transformers
from compact import compact
from optimum.exporters.onnx import onnx_export_from_model

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parents[1] / "pipelines" / "image" / "miniatures"))
import build  # noqa: E402

MODELS = HERE.parent / "models"
PARTS = ["text_encoder", "text_encoder_2", "unet", "vae_decoder"]


def export(name: str, pipeline):
    folder = MODELS / name
    shutil.rmtree(folder, ignore_errors=True)
    with tempfile.TemporaryDirectory() as scratch:
        onnx_export_from_model(pipeline, output=scratch, task="text-to-image", opset=18, device="cpu")
        shutil.copytree(scratch, folder, ignore=shutil.ignore_patterns("*.onnx", "*.onnx_data", "vae_encoder", "feature_extractor"))
        for part in PARTS:
            graph = Path(scratch) / part / "model.onnx"
            if graph.exists():
                compact(graph, folder / part / "model.onnx")
    # As optimum stores graphs of more than two gigabytes.
    unet = onnx.load(folder / "unet" / "model.onnx")
    onnx.save(
        unet, folder / "unet" / "model.onnx", save_as_external_data=True, all_tensors_to_one_file=True,
        location="model.onnx_data", size_threshold=256,
    )  # fmt: skip
    (folder / "unet" / "model.onnx_data").chmod(0o644)
    versions = {
        "torch": torch.__version__,
        "transformers": transformers.__version__,
        "diffusers": diffusers.__version__,
        "optimum-onnx": version("optimum-onnx"),
    }
    request = dict(prompt="a blue circle on red", negative="green", steps=3, guidance=6.0)
    case = build.record("optimum", name, pipeline, **request)
    golden = dict(versions=versions, seed=build.SEED, case=case)
    (folder / "golden.json").write_text(json.dumps(golden, separators=(",", ":")) + "\n")


def main():
    with tempfile.TemporaryDirectory() as scratch:
        build.HERE = Path(scratch)
        export("sd", build.build_sd("sd", diffusers.PNDMScheduler(**build.BETAS, skip_prk_steps=True, steps_offset=1)))
        export("sdxl", build.build_sdxl())


if __name__ == "__main__":
    warnings.filterwarnings("ignore")
    logging.disable(logging.WARNING)
    torch.set_num_threads(1)
    main()
