"""Random miniatures of detectors and of models that make vectors, traced from the classes of `transformers`."""

from unittest.mock import patch

import torch
import traced_parts as parts
import transformers as hf
from generate import character_tokenizer, normalized, picture, randomize, rounded
from traced_decoders import sizes, specials, trace
from traced_listeners import write_whole

halves = [0.5, 0.5, 0.5]


# --- detectors -----------------------------------------------------------------------------------------------------------


class Boxes(torch.nn.Module):
    def __init__(self, model, inputs):
        super().__init__()
        self.model, self.inputs = model, inputs

    def forward(self, *given):
        outputs = self.model(**dict(zip(self.inputs, given)))
        return outputs.logits, outputs.pred_boxes


def write_boxes(model, inputs, folder, growing=None):
    model.config.save_pretrained(folder)
    (folder / "onnx").mkdir(exist_ok=True)
    trace(Boxes(model, list(inputs)), tuple(inputs.values()), folder / "onnx" / "model.onnx", list(inputs), ["logits", "pred_boxes"], growing or {})


def best_box(outputs):
    """The best score of all queries and classes, and its box as shares of the picture."""
    scores = outputs.logits[0].sigmoid().amax(-1)
    x, y, width, height = outputs.pred_boxes[0, scores.argmax()].tolist()
    box = torch.tensor([x - width / 2, y - height / 2, x + width / 2, y + height / 2]).clamp(0, 1)
    return {"best": rounded(scores.max()), "box": rounded(box)}


def processor(side, kind, mean=halves, **more):
    return {"do_resize": True, "size": {"height": side, "width": side}, "do_rescale": True, "rescale_factor": 1 / 255, "do_normalize": True, "image_mean": mean, "image_std": mean,
            "resample": 2, "image_processor_type": kind, **more}


def rf_detr(folder):
    side = 64
    backbone = hf.RfDetrDinov2Config(hidden_size=16, num_hidden_layers=3, num_attention_heads=2, mlp_ratio=2, image_size=side, patch_size=8, num_windows=2, out_indices=[1, 3])
    config = hf.RfDetrConfig(backbone_config=backbone, d_model=16, decoder_ffn_dim=16, decoder_layers=2, decoder_self_attention_heads=2, decoder_cross_attention_heads=2, decoder_n_points=2, num_queries=8,
                             c2f_num_blocks=1, group_detr=2, id2label={0: "cat", 1: "dog"}, label2id={"cat": 0, "dog": 1})
    model = randomize(hf.RfDetrForObjectDetection._from_config(config, attn_implementation="eager"), 0.3)
    pixels = normalized(picture(side, side), halves, halves)
    with torch.no_grad():
        golden = best_box(model(pixel_values=pixels))
    for module in model.modules():
        if hasattr(module, "interpolate_pos_encoding"):  # the exporter has no smooth interpolation, and the size is the model's own
            module.interpolate_pos_encoding = lambda *_, module=module: module.position_embeddings
    write_boxes(model, {"pixel_values": pixels}, folder)
    return golden, None, {"preprocessor_config.json": processor(side, "RfDetrImageProcessor")}


def phrases(input_ids, special_tokens):
    """Which tokens see each other, and their places within a phrase, without running maxima."""
    count = input_ids.shape[1]
    special = (input_ids[..., None] == special_tokens).any(-1)[:, None, :]
    one, other = torch.arange(count)[:, None], torch.arange(count)[None, :]
    before = torch.where(special & (other < one), other, -1).amax(-1)
    after = torch.where(special & (other >= one), other, count).amin(-1)
    whole = (after != 0) & (after != count - 1) & (after != count)
    seen = ((after[:, :, None] == after[:, None, :]) & whole[:, None, :]) | (one == other)
    return seen, torch.where(whole, torch.arange(count)[None] - before - 1, 0).clamp(min=0)


def logit(x, eps):
    x = x.clamp(eps, 1 - eps)
    return torch.log(x / (1 - x))


def unit_steps(start, stop, steps, dtype, device=None):
    """The exporter's own is in double precision where it is told to stop at a size."""
    return torch.arange(steps).to(dtype) + start


def grounding_dino(folder):
    side = 64
    tokenizer = character_tokenizer(specials, "<s> $A </s>")
    swin = hf.SwinConfig(image_size=side, patch_size=4, embed_dim=8, depths=[1, 1], num_heads=[1, 2], window_size=4, out_features=["stage1", "stage2"])
    text = hf.BertConfig(vocab_size=98, hidden_size=16, num_hidden_layers=1, num_attention_heads=2, intermediate_size=16, max_position_embeddings=64)
    config = hf.GroundingDinoConfig(backbone_config=swin, text_config=text, d_model=32, encoder_layers=1, decoder_layers=2, encoder_ffn_dim=16, decoder_ffn_dim=16, encoder_attention_heads=2,
                                    decoder_attention_heads=2, encoder_n_points=2, decoder_n_points=2, num_queries=8, num_feature_levels=3, max_text_len=64, disable_custom_kernels=True)
    model = randomize(hf.GroundingDinoForObjectDetection._from_config(config, attn_implementation="eager"), 0.25)
    model.model.decoder.layer_norm.weight.data.fill_(0.15)  # scores that aren't all but certain
    # The delimiters of the usual vocabulary, by their places in this one.
    model.model.special_tokens = torch.tensor([tokenizer.token_to_id(token) for token in ["<s>", "</s>", ".", "?"]])
    words = ["cat", "red box"]
    ids = torch.tensor([tokenizer.encode(" ".join(f"{word}." for word in words)).ids])
    inputs = {"pixel_values": normalized(picture(side, side), halves, halves), "input_ids": ids, "token_type_ids": torch.zeros_like(ids), "attention_mask": torch.ones_like(ids),
              "pixel_mask": torch.ones(1, side, side, dtype=torch.long)}
    with torch.no_grad():
        outputs = model(**inputs)
    spans = [list(range(1, 4)), list(range(6, 13))]  # without the full stops; each word after the first has a space before it
    outputs.logits = torch.stack([outputs.logits[..., span].amax(-1) for span in spans], -1)
    growing = {name: {1: "tokens"} for name in ("input_ids", "token_type_ids", "attention_mask")}
    with parts.Rewritten(model, {}, {"generate_masks_with_special_tokens_and_transfer_map": phrases}):
        with patch.object(torch.special, "logit", logit), patch.object(torch, "linspace", unit_steps):
            write_boxes(model, inputs, folder, growing)
    files = {"preprocessor_config.json": processor(side, "GroundingDinoImageProcessor"), "tokenizer_config.json": {"tokenizer_class": "BertTokenizer", "pad_token": "<unk>", "model_max_length": 64}}
    return {**best_box(outputs), "words": words, "side": side}, tokenizer, files


# --- vectors -----------------------------------------------------------------------------------------------------------


def eurobert(folder):
    tokenizer = character_tokenizer(specials, "<s> $A </s>")
    model = randomize(hf.EuroBertModel._from_config(hf.EuroBertConfig(**sizes, mask_token_id=0), attn_implementation="eager"), 0.25)
    ids = torch.tensor([tokenizer.encode("a cat").ids])
    inputs = {"input_ids": ids, "attention_mask": torch.ones_like(ids)}
    with torch.no_grad():
        vector = model(**inputs).last_hidden_state[0].mean(0)
    model.config.save_pretrained(folder)
    write_whole(model, folder, "model.onnx", inputs, "last_hidden_state")
    return {"text": "a cat", "vector": rounded(vector)}, tokenizer, {"tokenizer_config.json": {"eos_token": "</s>", "model_max_length": 64}}


def siglip(folder):
    side, length = 32, 16
    tokenizer = character_tokenizer(specials, "$A </s>")
    text = dict(vocab_size=98, hidden_size=16, intermediate_size=16, num_hidden_layers=1, num_attention_heads=2, max_position_embeddings=length, pad_token_id=2, bos_token_id=1, eos_token_id=2)
    vision = dict(hidden_size=16, intermediate_size=16, num_hidden_layers=1, num_attention_heads=2, image_size=side, patch_size=16)
    model = randomize(hf.SiglipModel._from_config(hf.SiglipConfig(text_config=text, vision_config=vision), attn_implementation="eager"), 0.35)
    ids = tokenizer.encode("a cat").ids
    ids = torch.tensor([ids + [2] * (length - len(ids))])
    pixels = normalized(picture(side, side), halves, halves)
    with torch.no_grad():
        vector, seen = (found if isinstance(found, torch.Tensor) else found.pooler_output for found in (model.get_text_features(input_ids=ids), model.get_image_features(pixel_values=pixels)))
    model.config.save_pretrained(folder)
    write_whole(model.text_model, folder, "text_model.onnx", {"input_ids": ids}, "pooler_output", {1: "tokens"})
    write_whole(model.vision_model, folder, "vision_model.onnx", {"pixel_values": pixels}, "pooler_output", {})
    files = {"tokenizer_config.json": {"tokenizer_class": "SiglipTokenizer", "pad_token": "</s>", "eos_token": "</s>", "model_max_length": length},
             "preprocessor_config.json": processor(side, "SiglipImageProcessor")}
    return {"text": "a cat", "vector": rounded(vector[0]), "picture": rounded(seen[0])}, tokenizer, files


detectors = {"rf_detr": rf_detr, "grounding-dino": grounding_dino}
encoders = {"eurobert": eurobert, "siglip": siglip}


def make_detector(architecture, folder):
    return detectors[architecture](folder)


def make_encoder(architecture, folder):
    return encoders[architecture](folder)
