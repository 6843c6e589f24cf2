"""Builds miniature diffusion models with random weights and records what diffusers makes of them.

    python build.py

writes one folder for each model, in diffusers' ONNX layout, and golden.json: for every case the request, the noise, and
the latents and the image of diffusers' own pipeline. Written with diffusers 0.42.1, transformers 5.23, torch 2.13.
"""

import base64
import json
import shutil
import tempfile
from pathlib import Path

import diffusers
import numpy
import onnx
import torch
import transformers
from diffusers import (
    AutoencoderKL,
    EulerAncestralDiscreteScheduler,
    EulerDiscreteScheduler,
    FlowMatchEulerDiscreteScheduler,
    LCMScheduler,
    PNDMScheduler,
    SD3Transformer2DModel,
    StableDiffusion3Pipeline,
    StableDiffusionPipeline,
    StableDiffusionXLPipeline,
    UNet2DConditionModel,
)
from transformers import CLIPTextConfig, CLIPTextModel, CLIPTextModelWithProjection, CLIPTokenizer

HERE = Path(__file__).parent
SEED = 20
BETAS = dict(beta_start=0.00085, beta_end=0.012, beta_schedule="scaled_linear", num_train_timesteps=1000)


def bytes_to_characters():
    printable = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = [byte for byte in range(256) if byte not in printable]
    return [chr(byte) for byte in printable] + [chr(256 + index) for index in range(len(others))]


def build_tokenizer(folder: Path, pad_token: str) -> CLIPTokenizer:
    """A CLIP tokenizer with all bytes and a few merges, as vocab.json and merges.txt alone."""
    characters = bytes_to_characters()
    merges = ["r e", "re d</w>", "c i", "ci r", "c l", "cl e</w>", "cir cle</w>", "b l", "bl u", "blu e</w>"]
    tokens = characters + [character + "</w>" for character in characters]
    tokens += ["".join(merge.split()) for merge in merges] + ["<|startoftext|>", "<|endoftext|>"]
    folder.mkdir(parents=True)
    (folder / "vocab.json").write_text(json.dumps({token: id for id, token in enumerate(tokens)}, ensure_ascii=False))
    (folder / "merges.txt").write_text("#version: 0.2\n" + "\n".join(merges) + "\n")
    config = dict(
        tokenizer_class="CLIPTokenizer",
        bos_token="<|startoftext|>",
        eos_token="<|endoftext|>",
        unk_token="<|endoftext|>",
        pad_token=pad_token,
        model_max_length=77,
    )
    (folder / "tokenizer_config.json").write_text(json.dumps(config))
    return CLIPTokenizer.from_pretrained(folder)


def build_text_encoder(tokenizer, width: int, projects: bool):
    vocabulary = len(tokenizer)
    config = CLIPTextConfig(
        vocab_size=vocabulary,
        hidden_size=width,
        intermediate_size=2 * width,
        projection_dim=width,
        num_hidden_layers=3,
        num_attention_heads=2,
        max_position_embeddings=77,
        bos_token_id=vocabulary - 2,
        eos_token_id=vocabulary - 1,
        pad_token_id=tokenizer.pad_token_id,
        hidden_act="gelu" if projects else "quick_gelu",
    )
    model = (CLIPTextModelWithProjection if projects else CLIPTextModel)(config).eval()
    for parameter in model.parameters():
        if parameter.ndim > 1:
            parameter.data.normal_(0, 0.3)
    return model


def build_unet(**options) -> UNet2DConditionModel:
    unet = UNet2DConditionModel(
        sample_size=8,
        block_out_channels=(8, 8),
        layers_per_block=1,
        down_block_types=("DownBlock2D", "CrossAttnDownBlock2D"),
        up_block_types=("CrossAttnUpBlock2D", "UpBlock2D"),
        attention_head_dim=2,
        norm_num_groups=4,
        **options,
    )
    return unet.eval()


def build_vae(latent_channels: int, **options) -> AutoencoderKL:
    return AutoencoderKL(
        block_out_channels=(4, 4, 4, 8),
        down_block_types=("DownEncoderBlock2D",) * 4,
        up_block_types=("UpDecoderBlock2D",) * 4,
        layers_per_block=1,
        latent_channels=latent_channels,
        norm_num_groups=2,
        **options,
    ).eval()


class TextOutputs(torch.nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, input_ids):
        outputs = self.model(input_ids, output_hidden_states=True)
        first = ("text_embeds", "last_hidden_state")
        if not hasattr(outputs, "text_embeds"):
            first = ("last_hidden_state", "pooler_output")
        return tuple(outputs[name] for name in first) + outputs.hidden_states


class UNetOutput(torch.nn.Module):
    def __init__(self, unet, added):
        super().__init__()
        self.unet = unet
        self.added = added

    def forward(self, sample, timestep, encoder_hidden_states, *added):
        given = dict(zip(self.added, added))
        return self.unet(
            sample,
            timestep,
            encoder_hidden_states,
            timestep_cond=given.pop("timestep_cond", None),
            added_cond_kwargs=given or None,
            return_dict=False,
        )[0]


class TransformerOutput(torch.nn.Module):
    def __init__(self, transformer):
        super().__init__()
        self.transformer = transformer

    def forward(self, hidden_states, encoder_hidden_states, pooled_projections, timestep):
        return self.transformer(
            hidden_states, encoder_hidden_states, pooled_projections, timestep, return_dict=False
        )[0]


class Decoder(torch.nn.Module):
    def __init__(self, vae):
        super().__init__()
        self.vae = vae

    def forward(self, latent_sample):
        return self.vae.decode(latent_sample, return_dict=False)[0]


def export(module, inputs: dict, outputs: list[str], folder: Path, fixed=()):
    """Dimensions of inputs are given as (name, size) where they may vary."""
    folder.mkdir(parents=True, exist_ok=True)
    names = list(inputs)
    tensors = tuple(tensor for tensor, _ in inputs.values())
    axes = {name: dict(enumerate_names(dims)) for name, (_, dims) in inputs.items() if dims}
    path = folder / "model.onnx"
    with torch.no_grad():
        torch.onnx.export(
            module, tensors, path, input_names=names, output_names=outputs, dynamic_axes=axes, opset_version=17, dynamo=False
        )
    model = onnx.load(path)
    for node in model.graph.node:
        node.name = ""
        node.doc_string = ""
    shorten_names(model.graph, keep={*names, *outputs})
    onnx.save(model, path)


def enumerate_names(dims):
    return [(axis, name) for axis, name in enumerate(dims) if name]


def shorten_names(graph, keep):
    """The exporter's names make up most of a graph of this size."""
    short = {}

    def rename(name):
        if name == "" or name in keep:
            return name
        return short.setdefault(name, f"t{len(short)}")

    def visit(graph):
        for initializer in graph.initializer:
            initializer.name = rename(initializer.name)
        for node in graph.node:
            node.input[:] = [rename(name) for name in node.input]
            node.output[:] = [rename(name) for name in node.output]
            for attribute in node.attribute:
                if attribute.HasField("g"):
                    visit(attribute.g)
        for value in [*graph.input, *graph.output]:
            value.name = rename(value.name)
        del graph.value_info[:]

    visit(graph)


def export_text_encoder(model, folder: Path, id_type):
    ids = torch.zeros(1, 77, dtype=id_type)
    layers = model.config.num_hidden_layers
    first = ["text_embeds", "last_hidden_state"]
    if not isinstance(model, CLIPTextModelWithProjection):
        first = ["last_hidden_state", "pooler_output"]
    outputs = first + [f"hidden_states.{layer}" for layer in range(layers + 1)]
    export(TextOutputs(model), {"input_ids": (ids, ("batch", "sequence"))}, outputs, folder)
    model.config.save_pretrained(folder)


def export_unet(unet, folder: Path, timestep, added: dict):
    width = unet.config.cross_attention_dim
    inputs = {
        "sample": (torch.randn(2, 4, 8, 8), ("batch", None, "height", "width")),
        "timestep": timestep,
        "encoder_hidden_states": (torch.randn(2, 77, width), ("batch", "sequence", None)),
        **added,
    }
    export(UNetOutput(unet, list(added)), inputs, ["out_sample"], folder)
    unet.save_config(folder)


def export_vae(vae, folder: Path):
    latent = torch.randn(1, vae.config.latent_channels, 8, 8)
    dims = ("batch", None, "height", "width")
    export(Decoder(vae), {"latent_sample": (latent, dims)}, ["sample"], folder)
    vae.save_config(folder)


def write_index(folder: Path, pipeline):
    (folder / "model_index.json").write_text(pipeline.to_json_string())
    pipeline.scheduler.save_config(folder / "scheduler")


def fresh(name: str) -> Path:
    folder = HERE / name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    torch.manual_seed(SEED)
    return folder


def build_sd(name: str, scheduler, time_cond: int | None = None):
    folder = fresh(name)
    tokenizer = build_tokenizer(folder / "tokenizer", "<|endoftext|>")
    text_encoder = build_text_encoder(tokenizer, 16, projects=False)
    unet = build_unet(cross_attention_dim=16, time_cond_proj_dim=time_cond)
    vae = build_vae(4)
    pipeline = StableDiffusionPipeline(
        vae=vae,
        text_encoder=text_encoder,
        tokenizer=tokenizer,
        unet=unet,
        scheduler=scheduler,
        safety_checker=None,
        feature_extractor=None,
        requires_safety_checker=False,
    )
    export_text_encoder(text_encoder, folder / "text_encoder", torch.int32)
    added = {"timestep_cond": (torch.randn(2, time_cond), ("batch", None))} if time_cond else {}
    export_unet(unet, folder / "unet", (torch.tensor([1]), ("steps",)), added)
    export_vae(vae, folder / "vae_decoder")
    write_index(folder, pipeline)
    return pipeline


def build_sdxl():
    folder = fresh("sdxl")
    tokenizer = build_tokenizer(folder / "tokenizer", "<|endoftext|>")
    tokenizer_2 = build_tokenizer(folder / "tokenizer_2", "!")
    text_encoder = build_text_encoder(tokenizer, 16, projects=False)
    text_encoder_2 = build_text_encoder(tokenizer_2, 8, projects=True)
    unet = build_unet(
        cross_attention_dim=24,
        addition_embed_type="text_time",
        addition_time_embed_dim=4,
        projection_class_embeddings_input_dim=8 + 6 * 4,
    )
    vae = build_vae(4, scaling_factor=0.13025)
    pipeline = StableDiffusionXLPipeline(
        vae=vae,
        text_encoder=text_encoder,
        text_encoder_2=text_encoder_2,
        tokenizer=tokenizer,
        tokenizer_2=tokenizer_2,
        unet=unet,
        scheduler=EulerDiscreteScheduler(**BETAS, timestep_spacing="leading", steps_offset=1),
        add_watermarker=False,
    )
    export_text_encoder(text_encoder, folder / "text_encoder", torch.int32)
    export_text_encoder(text_encoder_2, folder / "text_encoder_2", torch.int64)
    added = {
        "text_embeds": (torch.randn(2, 8), ("batch", None)),
        "time_ids": (torch.randn(2, 6), ("batch", None)),
    }
    export_unet(unet, folder / "unet", (torch.tensor(1.0), ()), added)
    export_vae(vae, folder / "vae_decoder")
    write_index(folder, pipeline)
    return pipeline


def build_sd3():
    folder = fresh("sd3")
    tokenizer = build_tokenizer(folder / "tokenizer", "<|endoftext|>")
    tokenizer_2 = build_tokenizer(folder / "tokenizer_2", "!")
    text_encoder = build_text_encoder(tokenizer, 8, projects=True)
    text_encoder_2 = build_text_encoder(tokenizer_2, 16, projects=True)
    transformer = SD3Transformer2DModel(
        sample_size=8,
        patch_size=2,
        in_channels=4,
        num_layers=2,
        attention_head_dim=4,
        num_attention_heads=2,
        caption_projection_dim=8,
        joint_attention_dim=32,
        pooled_projection_dim=24,
        out_channels=4,
        pos_embed_max_size=16,
    ).eval()
    vae = build_vae(4, scaling_factor=1.5305, shift_factor=0.0609)
    pipeline = StableDiffusion3Pipeline(
        transformer=transformer,
        scheduler=FlowMatchEulerDiscreteScheduler(shift=3.0),
        vae=vae,
        text_encoder=text_encoder,
        tokenizer=tokenizer,
        text_encoder_2=text_encoder_2,
        tokenizer_2=tokenizer_2,
        text_encoder_3=None,
        tokenizer_3=None,
    )
    export_text_encoder(text_encoder, folder / "text_encoder", torch.int64)
    export_text_encoder(text_encoder_2, folder / "text_encoder_2", torch.int64)
    inputs = {
        "hidden_states": (torch.randn(2, 4, 8, 8), ("batch", None, "height", "width")),
        "encoder_hidden_states": (torch.randn(2, 333, 32), ("batch", "sequence", None)),
        "pooled_projections": (torch.randn(2, 24), ("batch", None)),
        "timestep": (torch.tensor([1.0, 1.0]), ("batch",)),
    }
    export(TransformerOutput(transformer), inputs, ["out_sample"], folder / "transformer")
    transformer.save_config(folder / "transformer")
    export_vae(vae, folder / "vae_decoder")
    write_index(folder, pipeline)
    return pipeline


class Noise:
    """Normally distributed numbers of four decimals, in place of torch's own."""

    def __init__(self, seed: int):
        self.source = numpy.random.default_rng(seed)
        self.drawn = []

    def __call__(self, shape, **_):
        numbers = numpy.round(self.source.standard_normal(tuple(shape)), 4)
        self.drawn += numbers.flatten().tolist()
        return torch.tensor(numbers, dtype=torch.float32)


def record(title: str, model: str, pipeline, scheduler=None, *, prompt, negative="", steps, guidance, width=64, height=64, **given):
    pipeline.set_progress_bar_config(disable=True)
    if scheduler is not None:
        pipeline.scheduler = scheduler
    noise = Noise(len(title))
    modules = [
        diffusers.schedulers.scheduling_euler_ancestral_discrete,
        diffusers.schedulers.scheduling_lcm,
    ]
    before = [module.randn_tensor for module in modules]
    for module in modules:
        module.randn_tensor = noise
    texts = {} if given else dict(prompt=prompt, negative_prompt=negative or None)
    latents = noise((1, 4, height // 8, width // 8))
    with torch.no_grad():
        latents = pipeline(
            **texts,
            **given,
            width=width,
            height=height,
            num_inference_steps=steps,
            guidance_scale=guidance,
            latents=latents,
            output_type="latent",
        ).images
        config = pipeline.vae.config
        scaled = latents / config.scaling_factor + (config.shift_factor or 0)
        image = pipeline.vae.decode(scaled, return_dict=False)[0]
    for module, function in zip(modules, before):
        module.randn_tensor = function
    pixels = ((image / 2 + 0.5).clamp(0, 1)[0].permute(1, 2, 0).numpy() * 255).round().astype("uint8")
    return dict(
        title=title,
        model=model,
        scheduler=json.loads(pipeline.scheduler.to_json_string()),
        prompt=prompt,
        negativePrompt=negative,
        numInferenceSteps=steps,
        guidanceScale=guidance,
        width=width,
        height=height,
        noise=noise.drawn,
        latents=[float(f"{value:.6g}") for value in latents.flatten().tolist()],
        pixels=base64.b64encode(pixels.tobytes()).decode(),
    )


def embed_in_chunks(pipeline, prompts: list[str]):
    """What stands for prompts over 77 tokens: chunks of 75, each in its frame, side by side; the shorter ones are filled up."""
    tokenizer = pipeline.tokenizer
    ids = [tokenizer(prompt, add_special_tokens=False).input_ids for prompt in prompts]
    count = max(-(-len(tokens) // 75) for tokens in ids)
    embeds = []
    for tokens in ids:
        rows = []
        for chunk in range(count):
            row = [tokenizer.bos_token_id, *tokens[75 * chunk : 75 * chunk + 75], tokenizer.eos_token_id]
            rows.append(row + [tokenizer.pad_token_id] * (77 - len(row)))
        with torch.no_grad():
            embeds.append(pipeline.text_encoder(torch.tensor(rows))[0].reshape(1, 77 * count, -1))
    return embeds


def main():
    sd = build_sd("sd", PNDMScheduler(**BETAS, skip_prk_steps=True, steps_offset=1))
    lcm = build_sd("lcm", LCMScheduler(**BETAS), time_cond=8)
    sdxl = build_sdxl()
    sd3 = build_sd3()
    ancestral = EulerAncestralDiscreteScheduler(**BETAS, timestep_spacing="leading", steps_offset=1)
    long = "a red circle above a blue square " * 6
    prompt_embeds, negative_embeds = embed_in_chunks(sd, [long, "blue"])
    given = dict(prompt_embeds=prompt_embeds, negative_prompt_embeds=negative_embeds)
    cases = [
        record("PNDM", "sd", sd, prompt="a red circle", steps=4, guidance=7.5),
        record("a negative prompt, not square", "sd", sd, prompt="a red circle", negative="Blue!", steps=3, guidance=3, width=128),
        record("no guidance", "sd", sd, prompt="Zwölf rote  Kreise, 'cause", steps=2, guidance=1),
        record("a long prompt", "sd", sd, prompt=long, negative="blue", steps=2, guidance=5, **given),
        record("noise at each step", "sd", sd, ancestral, prompt="a red circle", steps=3, guidance=5),
        record("a guidance embedding", "lcm", lcm, prompt="a red circle", steps=4, guidance=7.5),
        record("SDXL, zeros for no negative prompt", "sdxl", sdxl, prompt="a red circle", steps=3, guidance=5),
        record("SDXL, a negative prompt", "sdxl", sdxl, prompt="a red circle", negative="blue", steps=3, guidance=5, height=128),
        record("flow matching", "sd3", sd3, prompt="a red circle", negative="blue", steps=4, guidance=5),
    ]
    versions = dict(diffusers=diffusers.__version__, transformers=transformers.__version__, torch=torch.__version__)
    (HERE / "golden.json").write_text(json.dumps(dict(versions=versions, seed=SEED, cases=cases)) + "\n")


if __name__ == "__main__":
    main()
