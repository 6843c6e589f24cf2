"""Miniature vision-language models with random weights in the hub's layout, and what `transformers` makes of pictures.

    python vision.py [family …]

writes ../models/{idefics3,qwen2-vl,qwen2.5-vl,qwen3-vl,qwen3.5-vl,gemma3-vision,llava-onevision}: `vision_encoder`, `embed_tokens` and `decoder_model_merged`, traced from
the modules of `transformers`, with golden.json. Inputs and logits of a golden come from the whole model in PyTorch, fed
by the processor of the family (its backend for Pillow), without a cache. Goldens keep a digest of the pixels that the
processor made: each number, as an integer from 0 to 255 again, in its order.
"""

import hashlib
import json
import shutil
import sys
import tempfile
from importlib.metadata import version
from pathlib import Path
from types import MethodType, SimpleNamespace

import numpy as np
import onnx
import torch
import transformers as hf
from compact import compact
from hybrids import TracedCache, gated_delta, present_of, qwen3_5_shapes
from PIL import Image
from stir import stir
from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers

HERE = Path(__file__).parent.parent
VERSIONS = ["transformers", "torch", "tokenizers", "onnx", "pillow", "numpy"]
SEED = 5
ENDS = ["<|end|>", "<|pad|>"]
QUESTIONS = {
    "one": (["small.png"], "What is this?"),
    "three": (["wide.png", "upright.png", "square.png"], "Which one is the widest?"),
}
SIZES = dict(hidden_size=32, intermediate_size=48, num_hidden_layers=2, num_attention_heads=4, num_key_value_heads=2, max_position_embeddings=1024)

TURNS = (
    "{% for message in messages %}<|start|>{{ message.role }}\n{% for part in message.content %}"
    "{% if part.type == 'image' %}PICTURE{% else %}{{ part.text }}{% endif %}{% endfor %}<|end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|start|>assistant\n{% endif %}"
)


def tokenizer_of(specials):
    letters = sorted(pre_tokenizers.ByteLevel.alphabet())
    vocabulary = {piece: index for index, piece in enumerate([*ENDS, "<|start|>", *specials, *letters])}
    tokenizer = Tokenizer(models.BPE(vocab=vocabulary, merges=[]))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.add_special_tokens([AddedToken(one, special=True, normalized=False) for one in [*ENDS, "<|start|>", *specials]])
    return hf.PreTrainedTokenizerFast(tokenizer_object=tokenizer, eos_token=ENDS[0], pad_token=ENDS[1])


class Decoder(torch.nn.Module):
    """A step of the language model with past keys and values."""

    def __init__(self, text, head):
        super().__init__()
        self.text, self.head = text, head

    def forward(self, inputs_embeds, attention_mask, position_ids, *past):
        cache = hf.DynamicCache()
        for layer in range(len(past) // 2):
            cache.update(past[2 * layer], past[2 * layer + 1], layer)
        length, before = inputs_embeds.shape[1], past[0].shape[2]
        seen = torch.arange(before + length)[None, :] <= torch.arange(length)[:, None] + before
        seen = seen[None, None] & (attention_mask[:, None, None, :] > 0)
        mask = torch.where(seen, 0.0, -1e9)
        masks = {"full_attention": mask, "sliding_attention": mask} if hasattr(self.text.config, "sliding_window_pattern") or "gemma3" in self.text.config.model_type else mask
        hidden = self.text(inputs_embeds=inputs_embeds, attention_mask=masks, position_ids=position_ids, past_key_values=cache, use_cache=True).last_hidden_state
        return (self.head(hidden), *(tensor for layer in cache.layers for tensor in (layer.keys, layer.values)))


def write(module, sample, path, inputs, outputs, axes):
    with torch.no_grad():
        torch.onnx.export(module.eval(), sample, str(path), input_names=inputs, output_names=outputs, dynamic_axes=axes, opset_version=17, dynamo=False)


class HybridDecoder(torch.nn.Module):
    """A step of a language model of which some layers keep states, with positions of rows and columns."""

    def __init__(self, text, head, names):
        super().__init__()
        self.text, self.head, self.names = text, head, names

    def forward(self, inputs_embeds, attention_mask, position_ids, *past):
        cache = TracedCache(dict(zip(self.names, past)))
        length, width = inputs_embeds.shape[1], attention_mask.shape[1]
        seen = torch.arange(width)[None, :] <= torch.arange(length)[:, None] + (width - length)
        mask = torch.where(seen[None, None] & (attention_mask[:, None, None, :] > 0), 0.0, -1e9)
        masks = {"full_attention": mask, "linear_attention": attention_mask[:, -length:]}
        hidden = self.text(inputs_embeds=inputs_embeds, attention_mask=masks, position_ids=position_ids, past_key_values=cache, use_cache=True).last_hidden_state
        return (self.head(hidden), *(cache.present[present_of(name)] for name in self.names))


def write_hybrid_decoder(text, head, path):
    config, shapes = text.config, {}
    for layer in range(config.num_hidden_layers):
        shapes |= {f"past_{name}".replace("#", str(layer)): shape for name, shape in qwen3_5_shapes(config, layer).items()}
    axes = {"inputs_embeds": {0: "batch_size", 1: "sequence_length"}, "logits": {0: "batch_size", 1: "sequence_length"}, "attention_mask": {0: "batch_size", 1: "total_sequence_length"}, "position_ids": {1: "batch_size", 2: "sequence_length"}}
    for name, shape in shapes.items():
        axes[name] = {0: "batch_size"} | ({2: "past_sequence_length"} if None in shape else {})
        axes[present_of(name)] = {0: "batch_size"} | ({2: "total_sequence_length"} if None in shape else {})
    positions = torch.arange(5, 8)[None].repeat(2, 1)
    tensors = [torch.randn(2, *(5 if size is None else size for size in shape)) for shape in shapes.values()]
    sample = (torch.randn(2, 3, config.hidden_size), torch.ones(2, 8, dtype=torch.long), positions[None].repeat(3, 1, 1), *tensors)
    mixers = [layer.linear_attn for layer in text.layers if hasattr(layer, "linear_attn")]
    for mixer in mixers:
        mixer.plain_forward, mixer.forward = mixer.forward, MethodType(gated_delta, mixer)
    write(HybridDecoder(text, head, list(shapes)), sample, path, ["inputs_embeds", "attention_mask", "position_ids", *shapes], ["logits", *map(present_of, shapes)], axes)
    for mixer in mixers:
        mixer.forward = mixer.plain_forward


def write_decoder(text, head, path, planes=1):
    config = text.config
    size = getattr(config, "head_dim", None) or config.hidden_size // config.num_attention_heads
    past = [f"past_key_values.{layer}.{kind}" for layer in range(config.num_hidden_layers) for kind in ("key", "value")]
    present = [name.replace("past_key_values", "present") for name in past]
    axes = {"inputs_embeds": {0: "batch_size", 1: "sequence_length"}, "logits": {0: "batch_size", 1: "sequence_length"}, "attention_mask": {0: "batch_size", 1: "total_sequence_length"}}
    axes["position_ids"] = {1: "batch_size", 2: "sequence_length"} if planes == 3 else {0: "batch_size", 1: "sequence_length"}
    axes |= {name: {0: "batch_size", 2: "past_sequence_length"} for name in past} | {name: {0: "batch_size", 2: "total_sequence_length"} for name in present}
    positions = torch.arange(5, 8)[None].repeat(2, 1)
    sample = (torch.randn(2, 3, config.hidden_size), torch.ones(2, 8, dtype=torch.long), positions[None].repeat(3, 1, 1) if planes == 3 else positions)
    tensors = [torch.randn(2, config.num_key_value_heads, 5, size) for _ in past]
    write(Decoder(text, head), (*sample, *tensors), path, ["inputs_embeds", "attention_mask", "position_ids", *past], ["logits", *present], axes)


# --- Idefics 3 -------------------------------------------------------------------------------------------------------


class Idefics3Vision(torch.nn.Module):
    """Tiles [1, n, 3, side, side] without padding."""

    def __init__(self, model):
        super().__init__()
        self.vision, self.connector = model.vision_model, model.connector

    def forward(self, pixel_values, pixel_attention_mask):
        embeddings = self.vision.embeddings
        pixels = pixel_values.flatten(0, 1) * pixel_attention_mask.flatten(0, 1)[:, None].to(pixel_values.dtype)
        patches = embeddings.patch_embedding(pixels).flatten(2).transpose(1, 2)
        x = patches + embeddings.position_embedding(torch.arange(embeddings.num_positions))
        x = self.vision.encoder(inputs_embeds=x, attention_mask=None).last_hidden_state
        return self.connector(self.vision.post_layernorm(x))


def idefics3():
    from transformers.models.idefics3.image_processing_pil_idefics3 import Idefics3ImageProcessorPil

    rows = [f"<row_{row}_col_{column}>" for row in range(1, 7) for column in range(1, 7)]
    tokenizer = tokenizer_of(["<fake_token_around_image>", "<image>", "<end_of_utterance>", "<global-img>", *rows])
    images = Idefics3ImageProcessorPil(size={"longest_edge": 64}, max_image_size={"longest_edge": 32})
    processor = hf.Idefics3Processor(images, tokenizer, image_seq_len=4, chat_template=TURNS.replace("PICTURE", "<image>"))
    config = hf.Idefics3Config(
        vision_config=dict(hidden_size=32, intermediate_size=48, num_hidden_layers=2, num_attention_heads=4, image_size=32, patch_size=8),
        text_config=hf.LlamaConfig(vocab_size=len(tokenizer), **SIZES),
        image_token_id=tokenizer.convert_tokens_to_ids("<image>"),
        scale_factor=2,
    )
    model = make(hf.Idefics3ForConditionalGeneration, config)

    def graphs(folder):
        sample = (torch.rand(1, 2, 3, 32, 32), torch.ones(1, 2, 32, 32, dtype=torch.bool))
        axes = {name: {1: "num_images"} for name in ("pixel_values", "pixel_attention_mask")} | {"image_features": {0: "num_images"}}
        write(Idefics3Vision(model.model), sample, folder / "vision_encoder.onnx", ["pixel_values", "pixel_attention_mask"], ["image_features"], axes)
        write_decoder(model.model.text_model, model.lm_head, folder / "decoder_model_merged.onnx")

    return model, processor, graphs


# --- Qwen-VL ---------------------------------------------------------------------------------------------------------


class QwenVision(torch.nn.Module):
    """The patches [n, numbers] of one picture. In layers with windows, those of a window alone see each other."""

    def __init__(self, vision):
        super().__init__()
        self.vision, self.config = vision, vision.config
        full = getattr(self.config, "fullatt_block_indexes", None)
        self.windowed = [] if full is None else [index for index in range(len(vision.blocks)) if index not in full]

    def forward(self, pixel_values, image_grid_thw):
        from transformers.models.qwen2_vl.modeling_qwen2_vl import apply_rotary_pos_emb_vision

        merged = self.config.spatial_merge_size
        height, width = image_grid_thw[0, 1], image_grid_thw[0, 2]
        index = torch.arange(height * width)
        block, inner, blocks = index // merged**2, index % merged**2, width // merged
        rows, columns = block // blocks * merged + inner // merged, block % blocks * merged + inner % merged
        x = self.vision.patch_embed(pixel_values)
        if hasattr(self.vision, "pos_embed"):
            x = x + self.table(rows, height, columns, width)
        cos, sin = self.vision.rotary_pos_emb(x, torch.stack((rows, columns), -1))
        for number, layer in enumerate(self.vision.blocks):
            attention, h = layer.attn, layer.norm1(x)
            query, key, value = attention.qkv(h).reshape(h.shape[0], 3, attention.num_heads, -1).permute(1, 0, 2, 3).unbind(0)
            query, key = apply_rotary_pos_emb_vision(query, key, cos, sin)
            scores = query.transpose(0, 1) @ key.permute(1, 2, 0) * attention.scaling
            if number in self.windowed:
                side = self.config.window_size // self.config.patch_size
                window = rows // side * 1000 + columns // side
                scores = scores.masked_fill(window[:, None] != window[None, :], -1e9)
            mixed = torch.softmax(scores, -1) @ value.transpose(0, 1)
            x = x + attention.proj(mixed.transpose(0, 1).reshape(h.shape[0], -1))
            x = x + layer.mlp(layer.norm2(x))
        return self.vision.merger(x)

    def table(self, rows, height, columns, width):
        """Learned positions of a square grid, between the four nearest."""
        side = self.vision.num_grid_per_side
        y, x = rows * (side - 1) / (height - 1), columns * (side - 1) / (width - 1)
        sums = 0
        for near_y in (torch.floor(y), torch.floor(y) + 1):
            for near_x in (torch.floor(x), torch.floor(x) + 1):
                share = (1 - (y - near_y).abs()) * (1 - (x - near_x).abs())
                place = near_y.clamp(max=side - 1) * side + near_x.clamp(max=side - 1)
                sums = sums + share[:, None] * self.vision.pos_embed(place.long())
        return sums


def qwen_vl(kind, configuration, vision_config, text_config, grid="image_grid_thw", **images):
    from transformers.models.qwen2_vl.image_processing_pil_qwen2_vl import Qwen2VLImageProcessorPil

    tokenizer = tokenizer_of(["<|vision_start|>", "<|vision_end|>", "<|image_pad|>", "<|video_pad|>"])
    images = Qwen2VLImageProcessorPil(patch_size=4, merge_size=2, size={"shortest_edge": 256, "longest_edge": 1024}, **images)
    ids = {name: tokenizer.convert_tokens_to_ids(f"<|{name}|>") for name in ("image_pad", "video_pad", "vision_start", "vision_end")}
    processor = Qwen2Processor(images, tokenizer, TURNS.replace("PICTURE", "<|vision_start|><|image_pad|><|vision_end|>"))
    config = configuration(
        vision_config=dict(depth=2, num_heads=2, patch_size=4, **vision_config),
        text_config=dict(vocab_size=len(tokenizer), **SIZES, **text_config),
        image_token_id=ids["image_pad"], video_token_id=ids["video_pad"], vision_start_token_id=ids["vision_start"], vision_end_token_id=ids["vision_end"],
    )
    model = make(kind, config)

    def graphs(folder):
        sample = (torch.rand(24, 3 * 2 * 16), torch.tensor([[1, 4, 6]]))
        write(QwenVision(model.model.visual), sample, folder / "vision_encoder.onnx", ["pixel_values", grid], ["image_features"], {"pixel_values": {0: "patches"}, "image_features": {0: "tokens"}})
        write_text = write_decoder if "layer_types" not in text_config else write_hybrid_decoder
        options = dict(planes=3) if write_text is write_decoder else {}
        write_text(model.model.language_model, model.lm_head, folder / "decoder_model_merged.onnx", **options)

    return model, processor, graphs


MROPE = {"rope_type": "default", "rope_theta": 10000.0, "mrope_section": [1, 1, 2]}


def qwen2_vl():
    vision = dict(embed_dim=32, hidden_size=32, mlp_ratio=2)
    return qwen_vl(hf.Qwen2VLForConditionalGeneration, hf.Qwen2VLConfig, vision, dict(rope_parameters=MROPE), grid="grid_thw")


def qwen2_5_vl():
    vision = dict(hidden_size=32, intermediate_size=48, out_hidden_size=32, window_size=16, fullatt_block_indexes=[1])
    return qwen_vl(hf.Qwen2_5_VLForConditionalGeneration, hf.Qwen2_5_VLConfig, vision, dict(rope_parameters=MROPE))


def qwen3_vl():
    # Decoders of the hub take no features of earlier layers of the vision encoder.
    vision = dict(hidden_size=32, intermediate_size=48, out_hidden_size=32, num_position_embeddings=25, deepstack_visual_indexes=[])
    text = dict(head_dim=8, rope_parameters={**MROPE, "mrope_section": [2, 1, 1], "mrope_interleaved": True})
    half = [0.5, 0.5, 0.5]
    return qwen_vl(hf.Qwen3VLForConditionalGeneration, hf.Qwen3VLConfig, vision, text, image_mean=half, image_std=half)


def qwen3_5():
    vision = dict(hidden_size=32, intermediate_size=48, out_hidden_size=32, num_position_embeddings=25)
    text = dict(
        head_dim=8, layer_types=["linear_attention", "full_attention"], linear_num_key_heads=2, linear_num_value_heads=4, linear_key_head_dim=8, linear_value_head_dim=8,
        rope_parameters={**MROPE, "mrope_section": [2, 1, 1], "mrope_interleaved": True, "partial_rotary_factor": 1.0},
    )
    half = [0.5, 0.5, 0.5]
    return qwen_vl(hf.Qwen3_5ForConditionalGeneration, hf.Qwen3_5Config, vision, text, image_mean=half, image_std=half)


class Qwen2Processor:
    """The processor without videos: those need a package more."""

    def __init__(self, image_processor, tokenizer, chat_template):
        self.image_processor, self.tokenizer, self.chat_template, self.image_token = image_processor, tokenizer, chat_template, "<|image_pad|>"

    def apply_chat_template(self, messages, **options):
        return self.tokenizer.apply_chat_template(messages, chat_template=self.chat_template, tokenize=False, **options)

    def __call__(self, text, images, return_tensors):
        inputs = self.image_processor(images, return_tensors=return_tensors)
        first, *rest = text[0].split(self.image_token)
        whole = first + "".join(hf.Qwen2VLProcessor.replace_image_token(self, inputs, index) + piece for index, piece in enumerate(rest))
        ids = self.tokenizer([whole], return_tensors=return_tensors)["input_ids"]
        kinds = (ids == self.tokenizer.convert_tokens_to_ids(self.image_token)).int()
        return {**inputs, "input_ids": ids, "mm_token_type_ids": kinds}


# --- Gemma 3 ---------------------------------------------------------------------------------------------------------


class Gemma3Vision(torch.nn.Module):
    def __init__(self, model):
        super().__init__()
        self.tower, self.projector = model.vision_tower, model.multi_modal_projector

    def forward(self, pixel_values):
        embeddings = self.tower.embeddings
        x = embeddings.patch_embedding(pixel_values).flatten(2).transpose(1, 2) + embeddings.position_embedding(torch.arange(embeddings.num_positions))
        return self.projector(self.tower.post_layernorm(self.tower.encoder(inputs_embeds=x, attention_mask=None).last_hidden_state))


def gemma3():
    from transformers.models.gemma3.image_processing_pil_gemma3 import Gemma3ImageProcessorPil

    tokenizer = tokenizer_of(["<start_of_image>", "<end_of_image>", "<image_soft_token>"])
    tokenizer.boi_token, tokenizer.eoi_token, tokenizer.image_token = "<start_of_image>", "<end_of_image>", "<image_soft_token>"
    ids = {name: tokenizer.convert_tokens_to_ids(name) for name in ("<start_of_image>", "<end_of_image>", "<image_soft_token>")}
    tokenizer.boi_token_id, tokenizer.eoi_token_id, tokenizer.image_token_id = ids.values()
    images = Gemma3ImageProcessorPil(size={"height": 32, "width": 32})
    processor = hf.Gemma3Processor(images, tokenizer, image_seq_length=4, chat_template=TURNS.replace("PICTURE", "<start_of_image>"))
    config = hf.Gemma3Config(
        vision_config=dict(hidden_size=32, intermediate_size=48, num_hidden_layers=2, num_attention_heads=4, image_size=32, patch_size=8),
        text_config=dict(vocab_size=len(tokenizer), head_dim=8, query_pre_attn_scalar=8, **SIZES),
        mm_tokens_per_image=4, boi_token_index=ids["<start_of_image>"], eoi_token_index=ids["<end_of_image>"], image_token_index=ids["<image_soft_token>"],
    )
    model = make(hf.Gemma3ForConditionalGeneration, config)

    def graphs(folder):
        write(Gemma3Vision(model.model), (torch.rand(2, 3, 32, 32),), folder / "vision_encoder.onnx", ["pixel_values"], ["image_features"], {"pixel_values": {0: "num_images"}, "image_features": {0: "num_images"}})
        write_decoder(model.model.language_model, model.lm_head, folder / "decoder_model_merged.onnx")

    return model, processor, graphs


# --- LLaVA-OneVision -------------------------------------------------------------------------------------------------


class LlavaVision(torch.nn.Module):
    """One square view of each picture, as graphs of the hub have it."""

    def __init__(self, model):
        super().__init__()
        self.tower, self.projector = model.vision_tower, model.multi_modal_projector

    def forward(self, pixel_values):
        embeddings = self.tower.embeddings
        x = embeddings.patch_embedding(pixel_values).flatten(2).transpose(1, 2) + embeddings.position_embedding(torch.arange(embeddings.num_positions))
        return self.projector(self.tower.encoder(inputs_embeds=x, attention_mask=None).last_hidden_state)


class SquareProcessor:
    """The processor of the family without views of a picture's parts."""

    def __init__(self, image_processor, tokenizer, chat_template, length):
        self.image_processor, self.tokenizer, self.chat_template, self.length = image_processor, tokenizer, chat_template, length

    def apply_chat_template(self, messages, **options):
        return self.tokenizer.apply_chat_template(messages, chat_template=self.chat_template, tokenize=False, **options)

    def __call__(self, text, images, return_tensors):
        inputs = self.image_processor(images, return_tensors=return_tensors)
        ids = self.tokenizer([text[0].replace("<image>", "<image>" * self.length)], return_tensors=return_tensors)["input_ids"]
        return {**inputs, "input_ids": ids}


def llava_onevision():
    from transformers.models.siglip.image_processing_pil_siglip import SiglipImageProcessorPil

    tokenizer = tokenizer_of(["<image>"])
    images = SiglipImageProcessorPil(size={"height": 32, "width": 32}, resample=3)
    processor = SquareProcessor(images, tokenizer, TURNS.replace("PICTURE", "<image>"), 16)
    config = hf.LlavaOnevisionConfig(
        vision_config=hf.SiglipVisionConfig(hidden_size=32, intermediate_size=48, num_hidden_layers=2, num_attention_heads=4, image_size=32, patch_size=8, vision_use_head=False),
        text_config=hf.Qwen2Config(vocab_size=len(tokenizer), **SIZES),
        image_token_id=tokenizer.convert_tokens_to_ids("<image>"), video_token_id=1,
    )
    model = make(hf.LlavaOnevisionForConditionalGeneration, config)

    def of_square_views(input_ids, pixel_values):
        """The whole model, but for the packing of views."""
        inner = model.model
        seen = inner.vision_tower(pixel_values, output_hidden_states=True).hidden_states[config.vision_feature_layer]
        embeddings = inner.get_input_embeddings()(input_ids)
        embeddings[input_ids == config.image_token_id] = inner.multi_modal_projector(seen).flatten(0, 1)
        return model.lm_head(inner.language_model(inputs_embeds=embeddings).last_hidden_state)

    model.forward = lambda **inputs: SimpleNamespace(logits=of_square_views(**inputs))

    def graphs(folder):
        write(LlavaVision(model.model), (torch.rand(2, 3, 32, 32),), folder / "vision_encoder.onnx", ["pixel_values"], ["image_features"], {"pixel_values": {0: "num_images"}, "image_features": {0: "num_images"}})
        write_decoder(model.model.language_model, model.lm_head, folder / "decoder_model_merged.onnx")

    return model, processor, graphs


FAMILIES = {"llava-onevision": llava_onevision, "idefics3": idefics3, "qwen2-vl": qwen2_vl, "qwen2.5-vl": qwen2_5_vl, "qwen3-vl": qwen3_vl, "qwen3.5-vl": qwen3_5, "gemma3-vision": gemma3}


def make(kind, config):
    torch.manual_seed(SEED)
    config._attn_implementation = "eager"
    config.eos_token_id = config.text_config.eos_token_id = 0
    model = kind._from_config(config, attn_implementation="eager").eval()
    with torch.no_grad():
        for name, weight in model.named_parameters():
            if weight.ndim > 1:
                weight.copy_(torch.randn_like(weight) * (0.6 if "emb" in name and "patch" not in name else 1.5 / weight[0].numel() ** 0.5))
    stir(model)
    return model


def golden(model, processor, name, pictures, question):
    content = [*({"type": "image"} for _ in pictures), {"type": "text", "text": question}]
    text = processor.apply_chat_template([{"role": "user", "content": content}], add_generation_prompt=True)
    images = [Image.open(HERE / "pictures" / picture) for picture in pictures]
    inputs = processor(text=[text], images=images, return_tensors="pt")
    if name == "gemma3-vision":
        inputs.pop("token_type_ids")  # graphs of the hub see the rows of a picture one after the other
    with torch.no_grad():
        logits = model(**inputs).logits[0, -1].double().numpy()
    scale = processor.image_processor
    mean, deviation = np.array(scale.image_mean), np.array(scale.image_std)
    pixels = inputs["pixel_values"].double().numpy()
    if name.startswith("qwen"):
        pixels = pixels.reshape(len(pixels), 3, -1)
        whole = pixels * deviation[:, None] + mean[:, None]
    else:
        whole = pixels * deviation[:, None, None] + mean[:, None, None]
    counts = [len(processor.image_processor([image], return_tensors="np")["pixel_values"].reshape(-1)) for image in images]
    flat, digests, start = np.round(whole * 255).astype(np.uint8).reshape(-1), [], 0
    shared = name == "idefics3"
    for count in counts:
        if shared:
            alone = processor.image_processor([[images[len(digests)]]], return_tensors="np")["pixel_values"]
            part = np.round((alone * deviation[:, None, None] + mean[:, None, None]) * 255).astype(np.uint8).reshape(-1)
        else:
            part = flat[start : start + count]
            start += count
        digests.append({"numbers": int(part.size), "sha256": hashlib.sha256(part.tobytes()).hexdigest()})
    return {
        "pictures": pictures, "question": question, "promptTokens": inputs["input_ids"][0].tolist(), "pixels": digests, "logits": [round(float(one), 5) for one in logits],
    }


def build(name):
    model, processor, graphs = FAMILIES[name]()
    target = HERE / "models" / name
    shutil.rmtree(target, ignore_errors=True)
    (target / "onnx").mkdir(parents=True)
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        graphs(folder)
        embed = model.get_input_embeddings()
        write(embed, (torch.zeros(2, 3, dtype=torch.long),), folder / "embed_tokens.onnx", ["input_ids"], ["inputs_embeds"], {one: {0: "batch_size", 1: "sequence_length"} for one in ("input_ids", "inputs_embeds")})
        for graph in folder.glob("*.onnx"):
            compact(graph, target / "onnx" / graph.name)
        model.config.save_pretrained(folder)
        processor.tokenizer.save_pretrained(folder)
        preprocessor = {key: value for key, value in processor.image_processor.to_dict().items() if value is not None}
        for file, value in {
            "config.json": json.loads((folder / "config.json").read_text()), "tokenizer.json": json.loads((folder / "tokenizer.json").read_text()),
            "tokenizer_config.json": {"eos_token": ENDS[0], "pad_token": ENDS[1]}, "preprocessor_config.json": preprocessor,
        }.items():
            (target / file).write_text(json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=str) + "\n")
        (target / "chat_template.jinja").write_text(processor.chat_template)
    record = {"generator": {"seed": SEED, **{package: version(package) for package in VERSIONS}}, "goldens": {key: golden(model, processor, name, *asked) for key, asked in QUESTIONS.items()}}
    (target / "golden.json").write_text(json.dumps(record, separators=(",", ":")) + "\n")
    print(name, {key: len(one["promptTokens"]) for key, one in record["goldens"].items()}, sum(file.stat().st_size for file in target.rglob("*") if file.is_file()) // 1000, "kB", flush=True)


if __name__ == "__main__":
    torch.set_num_threads(1)
    for name in sys.argv[1:] or FAMILIES:
        build(name)
