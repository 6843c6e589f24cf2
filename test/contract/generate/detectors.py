"""Miniature detectors with random weights, exported by optimum or torch, and the boxes that transformers finds with them.

    python detectors.py [family …]

writes ../pictures/*.png and ../models/{detr,yolos,conditional-detr,rt-detr-v2,d-fine}: a folder in the hub's layout each,
and golden.json. Written with Python 3.11, torch 2.13.0, transformers 4.57.6, optimum 2.1.0, optimum-onnx 0.1.0,
Pillow 13.0.0.
"""

import json
import logging
import shutil
import sys
import tempfile
import warnings
from importlib.metadata import version
from pathlib import Path

import numpy
import PIL
import torch
import transformers
from compact import compact
from optimum.exporters.onnx import onnx_export_from_model
from PIL import Image, ImageDraw

HERE = Path(__file__).parent
MODELS = HERE.parent / "models"
PICTURES = HERE.parent / "pictures"
SEED = 8
LABELS = ["N/A", "person", "bicycle", "car", "cat"]
MEAN, DEVIATION = [0.485, 0.456, 0.406], [0.229, 0.224, 0.225]
#: name → width and height: as large as the inputs, smaller, larger, upright, and twice as wide as high
SIZES = {"equal": (160, 96), "small": (75, 50), "large": (400, 300), "upright": (120, 213), "wide": (260, 130), "square": (96, 96)}


def draw_pictures():
    """Smooth, so that no way of resampling stands out."""
    PICTURES.mkdir(exist_ok=True)
    pictures = {}
    for index, (name, (width, height)) in enumerate(SIZES.items()):
        y, x = numpy.mgrid[0:height, 0:width] / max(width, height)
        waves = [numpy.sin((3 + channel) * x + index) * numpy.cos((4 - channel) * y + 2 * channel) for channel in range(3)]
        image = Image.fromarray(numpy.stack([127.5 + 100 * wave for wave in waves], -1).astype(numpy.uint8))
        draw = ImageDraw.Draw(image)
        draw.ellipse([width * 0.1, height * 0.2, width * 0.4, height * 0.7], fill=(200, 60 + 20 * index, 40))
        draw.rectangle([width * 0.55, height * 0.3, width * 0.9, height * 0.8], fill=(30, 90, 220 - 20 * index))
        image.save(PICTURES / f"{name}.png", optimize=True)
        pictures[name] = image
    return pictures


def resnet():
    return transformers.ResNetConfig(
        embedding_size=8, hidden_sizes=[8, 8, 12, 16], depths=[1, 1, 1, 1], layer_type="basic", out_features=["stage4"]
    )


DETR_PARTS = dict(
    use_timm_backbone=False, use_pretrained_backbone=False, backbone=None, d_model=16, num_queries=12, encoder_layers=1, decoder_layers=2,
    encoder_attention_heads=2, decoder_attention_heads=2, encoder_ffn_dim=24, decoder_ffn_dim=24, init_std=0.4,
)  # fmt: skip
RT_DETR_PARTS = dict(
    encoder_hidden_dim=16, encoder_in_channels=[8, 12, 16], feat_strides=[8, 16, 32], encoder_ffn_dim=24, encoder_attention_heads=2,
    d_model=16, num_queries=6, decoder_in_channels=[16, 16, 16], decoder_ffn_dim=24, decoder_attention_heads=2, decoder_layers=2,
    decoder_n_points=2, hidden_expansion=0.5, num_denoising=0, eos_coefficient=1e-4, disable_custom_kernels=True,
)  # fmt: skip
NAMES = dict(id2label=dict(enumerate(LABELS)), label2id={label: index for index, label in enumerate(LABELS)})


def detr():
    return transformers.DetrForObjectDetection(transformers.DetrConfig(backbone_config=resnet(), **DETR_PARTS, **NAMES))


def conditional_detr():
    config = transformers.ConditionalDetrConfig(backbone_config=resnet(), **DETR_PARTS, **NAMES)
    return transformers.ConditionalDetrForObjectDetection(config)


def yolos():
    config = transformers.YolosConfig(
        hidden_size=16, num_hidden_layers=2, num_attention_heads=2, intermediate_size=24, image_size=[96, 160], num_detection_tokens=12,
        initializer_range=0.4, use_mid_position_embeddings=False, **NAMES,
    )  # fmt: skip
    return transformers.YolosForObjectDetection(config)


def rt_detr_v2():
    backbone = transformers.RTDetrResNetConfig(
        embedding_size=8, hidden_sizes=[8, 8, 12, 16], depths=[1, 1, 1, 1], layer_type="basic", out_features=["stage2", "stage3", "stage4"]
    )
    config = transformers.RTDetrV2Config(backbone_config=backbone, decoder_n_levels=3, **RT_DETR_PARTS, **NAMES)
    return transformers.RTDetrV2ForObjectDetection(config)


def d_fine():
    backbone = transformers.HGNetV2Config(
        stem_channels=[3, 8, 8], hidden_sizes=[8, 8, 12, 16], stage_in_channels=[8, 8, 8, 12], stage_mid_channels=[8] * 4, stage_out_channels=[8, 8, 12, 16],
        stage_num_blocks=[1] * 4, stage_downsample=[False, True, True, True], stage_light_block=[False] * 4, stage_kernel_size=[3] * 4,
        stage_numb_of_layers=[1] * 4, out_features=["stage2", "stage3", "stage4"],
    )  # fmt: skip
    parts = {name: value for name, value in RT_DETR_PARTS.items() if name not in ("decoder_n_points", "disable_custom_kernels")}
    config = transformers.DFineConfig(backbone_config=backbone, decoder_n_points=[2, 2, 2], max_num_bins=8, **parts, **NAMES)
    return transformers.DFineForObjectDetection(config)


EDGES = dict(size={"shortest_edge": 96, "longest_edge": 160}, image_mean=MEAN, image_std=DEVIATION)
FAMILIES = {
    "detr": (detr, lambda: transformers.DetrImageProcessor(**EDGES)),
    "conditional-detr": (conditional_detr, lambda: transformers.ConditionalDetrImageProcessor(**EDGES)),
    "yolos": (yolos, lambda: transformers.YolosImageProcessor(**EDGES)),
    "rt-detr-v2": (rt_detr_v2, lambda: transformers.RTDetrImageProcessor(size={"height": 96, "width": 96})),
    "d-fine": (d_fine, lambda: transformers.RTDetrImageProcessor(size={"height": 96, "width": 96})),
}


def stir(model):
    """Random numbers in place of a beginner's, so that queries, pictures and layers differ and nothing can be left out unseen."""
    with torch.no_grad():
        for name, weight in [*model.named_parameters(), *model.named_buffers()]:
            if not name.endswith(("weight", "bias", "running_mean", "running_var", "token", "tokens", "embeddings")):
                continue
            noise = torch.randn_like(weight)
            if weight.ndim == 1:
                weight.copy_((1 + 0.2 * noise).abs() if name.endswith(("weight", "running_var")) else 0.2 * noise)
            elif "class" in name or "score" in name:
                weight.copy_(2.5 * noise / weight[0].numel() ** 0.5)
            elif "bbox" in name:
                weight.copy_(0.7 * noise / weight[0].numel() ** 0.5)
            elif "embed" in name or "token" in name:
                weight.copy_(noise)
            else:
                weight.copy_(1.2 * noise / weight[0].numel() ** 0.5)


class WithMask(torch.nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, pixel_values, pixel_mask):
        outputs = self.model(pixel_values, pixel_mask)
        return outputs.logits, outputs.pred_boxes


def export(family: str, model, scratch: Path) -> Path:
    path = scratch / "model.onnx"
    if family != "conditional-detr":
        onnx_export_from_model(model, output=scratch, task="object-detection", opset=18, device="cpu")
        return path
    # optimum doesn't know this family. The hub's graphs of DETR have a mask of this size, whatever that of the picture.
    mask = torch.ones(1, 64, 64, dtype=torch.int64)
    axes = {"pixel_values": {0: "batch_size", 2: "height", 3: "width"}, "pixel_mask": {0: "batch_size"}}
    axes |= {name: {0: "batch_size"} for name in ("logits", "pred_boxes")}
    torch.onnx.export(
        WithMask(model), (torch.rand(1, 3, 96, 160), mask), path, input_names=["pixel_values", "pixel_mask"],
        output_names=["logits", "pred_boxes"], dynamic_axes=axes, opset_version=18, dynamo=False,
    )  # fmt: skip
    return path


def build(family: str, pictures, scratch: Path):
    make_model, make_processor = FAMILIES[family]
    processor = make_processor()
    for seed in range(SEED, SEED + 2000):
        torch.manual_seed(seed)
        model = make_model().eval()
        stir(model)
        cases = [detect(model, processor, name, picture) for name, picture in pictures.items()]
        if are_told_apart(cases, pictures) and is_steady(model, processor, pictures):
            break
    else:
        raise ValueError(f"{family}: pictures look alike, or what is found in them hangs on single pixels")
    folder = MODELS / family
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "onnx").mkdir(parents=True)
    model.config.save_pretrained(folder)
    processor.save_pretrained(folder)
    versions = {
        "torch": torch.__version__,
        "transformers": transformers.__version__,
        "optimum-onnx": version("optimum-onnx"),
        "pillow": PIL.__version__,
    }
    golden = dict(versions=versions, seed=seed, cases=cases)
    (folder / "golden.json").write_text(json.dumps(golden, indent=None, separators=(",", ":")) + "\n")
    compact(export(family, model, scratch), folder / "onnx" / "model.onnx")


def detect(model, processor, name, picture):
    inputs = processor(picture, return_tensors="pt")
    outputs, detections = find(model, processor, inputs, picture)
    return dict(picture=name, input=list(inputs["pixel_values"].shape[:1:-1]), queries=outputs.logits.shape[1], detections=detections)


def find(model, processor, inputs, picture):
    given = {key: value for key, value in inputs.items() if key == "pixel_values" or model.config.model_type == "conditional_detr"}
    with torch.no_grad():
        outputs = model(**given)
    [found] = processor.post_process_object_detection(outputs, threshold=0.01, target_sizes=[picture.size[::-1]])
    order = found["scores"].argsort(descending=True, stable=True)
    return outputs, [
        dict(
            classId=int(found["labels"][at]),
            confidence=round(float(found["scores"][at]), 6),
            box=[round(value, 4) for value in found["boxes"][at].tolist()],
        )
        for at in order
    ]


def is_steady(model, processor, pictures) -> bool:
    """Whether the detections stay where they are when pixels change by one, as they do between libraries that resize."""
    generator = torch.Generator().manual_seed(SEED)
    for picture in pictures.values():
        inputs = processor(picture, return_tensors="pt")
        outputs, detections = find(model, processor, inputs, picture)
        levels = torch.randint(-1, 2, inputs["pixel_values"].shape, generator=generator) / 255
        scale = torch.tensor(DEVIATION if processor.do_normalize else [1.0, 1.0, 1.0]).reshape(1, 3, 1, 1)
        _, others = find(model, processor, {**inputs, "pixel_values": inputs["pixel_values"] + levels / scale}, picture)
        for one in detections[: outputs.logits.shape[1]]:
            if not any(are_near(one, other, max(picture.size)) for other in others):
                return False
    return True


def are_near(one, other, side) -> bool:
    apart = max(abs(a - b) for a, b in zip(one["box"], other["box"])) / side
    return one["classId"] == other["classId"] and apart < 0.005 and abs(one["confidence"] - other["confidence"]) < 0.01


def are_told_apart(cases, pictures) -> bool:
    """Whether there are several classes, boxes of some size, and each picture has other detections than the others."""
    kinds = {found["classId"] for case in cases for found in case["detections"]}
    if min(len(case["detections"]) for case in cases) < 4:
        return False
    shares = [[{**found, "box": as_shares(found["box"], pictures[case["picture"]].size)} for found in case["detections"]] for case in cases]
    sides = [min(box[2] - box[0], box[3] - box[1]) for one in shares for box in (found["box"] for found in one)]
    news = [sum(not any(are_near(found, known, 1) for known in other) for found in one) / len(one) for one in shares for other in shares if one is not other]
    return len(kinds) >= 3 and numpy.median(sides) > 0.05 and min(news) >= 0.5


def as_shares(box, size):
    return [value / size[at % 2] for at, value in enumerate(box)]


def main():
    pictures = draw_pictures()
    for family in sys.argv[1:] or FAMILIES:
        with tempfile.TemporaryDirectory() as scratch:
            build(family, pictures, Path(scratch))


if __name__ == "__main__":
    warnings.filterwarnings("ignore")
    logging.disable(logging.WARNING)
    torch.set_num_threads(1)
    main()
