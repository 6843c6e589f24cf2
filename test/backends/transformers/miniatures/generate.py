"""Makes the miniatures of this folder: models of true architecture with a few random weights, and what the reference says to them.

    pip install torch==2.13.0 optimum-onnx==0.1.0 optimum==2.1.0 transformers==4.57.6
    python generate.py [name ...]

Graphs are written by the exporter of optimum where it has one for the layout, else by `torch.onnx.export`; they are
compressed, because the tests unpack them. Weights are multiples of 1/16, so that they take little room.
"""

import gzip
import json
import os
import shutil
import sys
import tempfile
from pathlib import Path

import numpy as np
import onnx
import torch
import transformers
from tokenizers import Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors

here = Path(__file__).parent
seed = 7
characters = [chr(code) for code in range(32, 127)]


def randomize(model, scale=0.35):
    generator = torch.Generator().manual_seed(seed)
    for name, parameter in model.named_parameters():
        if parameter.dim() < 2:
            continue
        values = torch.randn(parameter.shape, generator=generator) * scale
        parameter.data.copy_(torch.round(values * 16) / 16)
    return model.eval()


def rounded(tensor, digits=6):
    return np.round(np.asarray(tensor, dtype=np.float64), digits).tolist()


def character_tokenizer(specials, template=None):
    vocabulary = {token: index for index, token in enumerate([*specials, *characters])}
    tokenizer = Tokenizer(models.BPE(vocab=vocabulary, merges=[], unk_token=specials[0]))
    tokenizer.pre_tokenizer = pre_tokenizers.Split(Regex(""), "isolated")
    tokenizer.decoder = decoders.Fuse()
    tokenizer.add_special_tokens(specials)
    if template:
        pairs = [(token, vocabulary[token]) for token in specials if token in template]
        tokenizer.post_processor = processors.TemplateProcessing(single=template, special_tokens=pairs)
    return tokenizer


def write_json(folder, name, value):
    (folder / name).write_text(json.dumps(value, separators=(",", ":")) + "\n")


def write(name, golden, exported, tokenizer=None, files=None):
    """Packs graphs, configs and what the reference said."""
    folder = here / name
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "onnx").mkdir(parents=True)
    for path in sorted(Path(exported).rglob("*")):
        if path.suffix == ".onnx":
            if path.name in ("decoder_model.onnx", "decoder_with_past_model.onnx"):
                continue
            graph = onnx.load(path)
            strip(graph.graph)
            packed = gzip.compress(graph.SerializeToString(), 9, mtime=0)
            (folder / "onnx" / f"{path.name}.gz").write_bytes(packed)
        elif path.name in ("config.json", "generation_config.json"):
            shutil.copy(path, folder / path.name)
    if tokenizer:
        write_json(folder, "tokenizer.json", json.loads(tokenizer.to_str()))
    for file, value in (files or {}).items():
        write_json(folder, file, value)
    made_by = {"torch": torch.__version__, "transformers": transformers.__version__, "onnx": onnx.__version__, "seed": seed}
    write_json(folder, "golden.json", {"made_by": made_by, **golden})


def strip(graph):
    """Names of nodes, and where in the source they come from, are of no use here."""
    for node in graph.node:
        node.name = ""
        node.doc_string = ""
        del node.metadata_props[:]
        for attribute in node.attribute:
            if attribute.HasField("g"):
                strip(attribute.g)
    del graph.value_info[:]


def export(model, task, **options):
    from optimum.exporters.onnx import onnx_export_from_model

    folder = tempfile.mkdtemp()
    onnx_export_from_model(model, folder, task=task, do_validation=False, no_post_process=False, **options)
    return folder


def graph_by_hand(model, inputs, names, outputs, axes, file, folder):
    torch.onnx.export(
        model, inputs, os.path.join(folder, file), input_names=names, output_names=outputs,
        dynamic_axes=axes, opset_version=17, dynamo=False, do_constant_folding=True,
    )


chat_template = "{% for message in messages %}<s>{{ message.role }}: {{ message.content }}{% endfor %}<s>assistant: "


def gpt2():
    specials = ["<unk>", "<s>", "</s>"]
    config = transformers.GPT2Config(
        vocab_size=len(specials) + len(characters), n_positions=128, n_embd=32, n_layer=2, n_head=2,
        bos_token_id=1, eos_token_id=2, attn_pdrop=0, embd_pdrop=0, resid_pdrop=0,
    )
    model = randomize(transformers.GPT2LMHeadModel(config))
    tokenizer = character_tokenizer(specials)
    prompt = "<s>user: Hello<s>assistant: "
    ids = torch.tensor([tokenizer.encode(prompt).ids])
    with torch.no_grad():
        tokens = model.generate(ids, max_new_tokens=16, do_sample=False, pad_token_id=2)[0, ids.shape[1]:]
        logits = model(torch.cat([ids[0], tokens])[None]).logits[0, ids.shape[1] - 1 : -1]
    golden = {"prompt": ids[0].tolist(), "tokens": tokens.tolist(), "logits": rounded(logits[:4])}
    files = {"tokenizer_config.json": {"tokenizer_class": "GPT2Tokenizer", "eos_token": "</s>", "chat_template": chat_template}}
    write("gpt2", golden, export(model, "text-generation-with-past"), tokenizer, files)


def t5():
    specials = ["<pad>", "</s>", "<unk>"]
    config = transformers.T5Config(
        vocab_size=len(specials) + len(characters), d_model=32, d_kv=16, d_ff=32, num_layers=1, num_decoder_layers=1,
        num_heads=2, decoder_start_token_id=0, pad_token_id=0, eos_token_id=1, dropout_rate=0, n_positions=128,
    )
    model = randomize(transformers.T5ForConditionalGeneration(config))
    model.config.n_positions = 128
    tokenizer = character_tokenizer(specials, "$A </s>")
    text = "translate: Hello"
    ids = torch.tensor([tokenizer.encode(text).ids])
    with torch.no_grad():
        tokens = model.generate(ids, max_new_tokens=12, do_sample=False)[0, 1:]
        fed = torch.cat([torch.tensor([0]), tokens[:-1]])[None]
        logits = model(input_ids=ids, decoder_input_ids=fed).logits[0]
    golden = {"text": text, "prompt": ids[0].tolist(), "tokens": tokens.tolist(), "logits": rounded(logits[:4])}
    files = {"tokenizer_config.json": {"tokenizer_class": "T5Tokenizer", "eos_token": "</s>"}}
    write("t5", golden, export(model, "text2text-generation-with-past"), tokenizer, files)


def waveform(seconds=1.0):
    time = np.arange(int(16_000 * seconds)) / 16_000
    return np.round(0.3 * np.sin(2 * np.pi * (200 + 300 * time) * time) * (1 + np.sin(2 * np.pi * 3 * time)) / 2, 4).astype(np.float32)


letters = ["<pad>", "<s>", "</s>", "<unk>", "|", *"EAINOT"]


def letter_tokenizer():
    tokenizer = Tokenizer(models.WordLevel({letter: index for index, letter in enumerate(letters)}, unk_token="<unk>"))
    tokenizer.pre_tokenizer = pre_tokenizers.Split(Regex(""), "isolated")
    tokenizer.decoder = decoders.CTC("<pad>", "|", True)
    tokenizer.add_special_tokens(["<pad>", "<s>", "</s>", "<unk>"])
    return tokenizer


def spelled(ids):
    """The text of the best letters of frames."""
    collapsed = [token for at, token in enumerate(ids) if token != 0 and (at == 0 or ids[at - 1] != token)]
    return " ".join("".join(letters[token] for token in collapsed).replace("|", " ").split())


def wav2vec2():
    config = transformers.Wav2Vec2Config(
        vocab_size=len(letters), hidden_size=16, num_hidden_layers=1, num_attention_heads=2, intermediate_size=16,
        conv_dim=(8, 8, 8), conv_stride=(5, 8, 8), conv_kernel=(10, 8, 8), num_feat_extract_layers=3,
        num_conv_pos_embeddings=8, num_conv_pos_embedding_groups=2, pad_token_id=0, feat_extract_norm="layer",
        do_stable_layer_norm=True,
    )
    model = randomize(transformers.Wav2Vec2ForCTC(config), 0.8)
    # Tokens that no recording is trained to give.
    model.lm_head.bias.data[1:4] = -50
    samples = waveform()
    normal = (samples - samples.mean()) / np.sqrt(samples.var() + 1e-7)
    with torch.no_grad():
        logits = model(torch.tensor(normal)[None]).logits[0]
    ids = logits.argmax(-1).tolist()
    vocabulary = Path(tempfile.mkdtemp()) / "vocab.json"
    vocabulary.write_text(json.dumps({letter: index for index, letter in enumerate(letters)}))
    text = transformers.Wav2Vec2CTCTokenizer(vocabulary).decode(ids)
    golden = {"frames": ids, "text": text, "logits": rounded(logits[:8])}
    extractor = {"do_normalize": True, "feature_extractor_type": "Wav2Vec2FeatureExtractor", "feature_size": 1, "padding_value": 0,
                 "processor_class": "Wav2Vec2Processor", "return_attention_mask": False, "sampling_rate": 16000}
    files = {"preprocessor_config.json": extractor,
             "tokenizer_config.json": {"tokenizer_class": "Wav2Vec2CTCTokenizer", "pad_token": "<pad>", "word_delimiter_token": "|", "clean_up_tokenization_spaces": True}}
    write("wav2vec2", golden, export(model, "automatic-speech-recognition"), letter_tokenizer(), files)


def moonshine():
    specials = ["<unk>", "<s>", "</s>"]
    config = transformers.MoonshineConfig(
        vocab_size=len(specials) + len(characters), hidden_size=32, intermediate_size=32, encoder_num_hidden_layers=1,
        decoder_num_hidden_layers=1, encoder_num_attention_heads=2, decoder_num_attention_heads=2,
        max_position_embeddings=64, bos_token_id=1, eos_token_id=2, decoder_start_token_id=1, pad_token_id=2,
    )
    model = randomize(transformers.MoonshineForConditionalGeneration(config))
    tokenizer = character_tokenizer(specials)
    samples = torch.tensor(waveform())[None]
    with torch.no_grad():
        tokens = model.generate(input_values=samples, max_new_tokens=8, do_sample=False)[0, 1:]
    golden = {"tokens": tokens.tolist(), "text": tokenizer.decode(tokens.tolist())}
    extractor = {"do_normalize": False, "feature_extractor_type": "MoonshineFeatureExtractor", "feature_size": 1, "padding_value": 0,
                 "processor_class": "MoonshineProcessor", "return_attention_mask": True, "sampling_rate": 16000}
    files = {"preprocessor_config.json": extractor, "tokenizer_config.json": {"tokenizer_class": "PreTrainedTokenizerFast", "eos_token": "</s>"}}
    write("moonshine", golden, export(model, "automatic-speech-recognition-with-past"), tokenizer, files)


def vits():
    symbols = ["_", *"abcdefgh "]
    config = transformers.VitsConfig(
        vocab_size=len(symbols), hidden_size=16, num_hidden_layers=1, num_attention_heads=2, window_size=2, ffn_dim=16,
        flow_size=8, spectrogram_bins=16, use_stochastic_duration_prediction=False, upsample_initial_channel=16,
        upsample_rates=[8, 4], upsample_kernel_sizes=[16, 8], resblock_kernel_sizes=[3], resblock_dilation_sizes=[[1]],
        prior_encoder_num_flows=2, prior_encoder_num_wavenet_layers=1, posterior_encoder_num_wavenet_layers=1, wavenet_dropout=0,
        duration_predictor_filter_channels=8, noise_scale=0.0, noise_scale_duration=0.0, sampling_rate=16000, hidden_dropout=0,
        attention_dropout=0, activation_dropout=0, layerdrop=0, duration_predictor_dropout=0,
    )
    model = randomize(transformers.VitsModel(config), 0.3)
    tokenizer = Tokenizer(models.WordLevel({symbol: index for index, symbol in enumerate(symbols)}, unk_token="_"))
    tokenizer.normalizer = normalizers.Sequence([normalizers.Lowercase(), normalizers.Replace(Regex("[^a-h ]"), "")])
    tokenizer.pre_tokenizer = pre_tokenizers.Split(Regex(""), "isolated")
    text = "bad cafe"
    ids = torch.tensor([tokenizer.encode(text).ids])
    with torch.no_grad():
        samples = model(input_ids=ids, attention_mask=torch.ones_like(ids)).waveform[0]
    golden = {"text": text, "ids": ids[0].tolist(), "length": samples.shape[0], "samples": rounded(samples[:256])}
    files = {"tokenizer_config.json": {"tokenizer_class": "VitsTokenizer", "pad_token": "_"}}
    write("vits", golden, export(model, "text-to-audio"), tokenizer, files)


def picture(width=40, height=24):
    rows, columns = np.mgrid[0:height, 0:width]
    pixels = np.stack([columns * 6, rows * 10, (rows + columns) * 3], axis=-1)
    return (pixels % 256).astype(np.uint8)


def normalized(pixels, mean, std):
    values = torch.tensor(pixels / 255.0, dtype=torch.float32)
    values = (values - torch.tensor(mean)) / torch.tensor(std)
    return values.permute(2, 0, 1)[None].contiguous()


clip_mean = [0.48145466, 0.4578275, 0.40821073]
clip_std = [0.26862954, 0.26130258, 0.27577711]


def clip_tokenizer(length):
    specials = ["<unk>", "<s>", "</s>"]
    tokenizer = character_tokenizer(specials, "<s> $A </s>")
    return tokenizer, {"tokenizer_class": "CLIPTokenizer", "model_max_length": length, "pad_token": "</s>", "eos_token": "</s>", "bos_token": "<s>"}


def clip():
    side = 32
    tokenizer, tokenizer_config = clip_tokenizer(16)
    text = dict(vocab_size=98, hidden_size=16, intermediate_size=16, num_hidden_layers=1, num_attention_heads=2,
                max_position_embeddings=16, bos_token_id=1, eos_token_id=2, pad_token_id=2)
    vision = dict(hidden_size=16, intermediate_size=16, num_hidden_layers=1, num_attention_heads=2, image_size=side, patch_size=16)
    config = transformers.CLIPConfig(text_config=text, vision_config=vision, projection_dim=8)
    model = randomize(transformers.CLIPModel(config))
    words = transformers.CLIPTextModelWithProjection(model.config.text_config)
    eyes = transformers.CLIPVisionModelWithProjection(model.config.vision_config)
    for part in (words, eyes):
        part.config.projection_dim = 8
    words = transformers.CLIPTextModelWithProjection(words.config).eval()
    eyes = transformers.CLIPVisionModelWithProjection(eyes.config).eval()
    words.load_state_dict(model.state_dict(), strict=False)
    eyes.load_state_dict(model.state_dict(), strict=False)
    texts = ["a cat", "blue boat"]
    encoded = [tokenizer.encode(one).ids for one in texts]
    pixels = picture(side, side)
    with torch.no_grad():
        vectors = [words(torch.tensor([ids])).text_embeds[0] for ids in encoded]
        seen = eyes(normalized(pixels, clip_mean, clip_std)).image_embeds[0]
    folder = tempfile.mkdtemp()
    batch = {0: "batch", 1: "tokens"}
    graph_by_hand(Only(words, "text_embeds"), (torch.tensor([encoded[0]]),), ["input_ids"], ["text_embeds"],
                  {"input_ids": batch, "text_embeds": {0: "batch"}}, "text_model.onnx", folder)
    graph_by_hand(Only(eyes, "image_embeds"), (normalized(pixels, clip_mean, clip_std),), ["pixel_values"], ["image_embeds"],
                  {"pixel_values": {0: "batch"}, "image_embeds": {0: "batch"}}, "vision_model.onnx", folder)
    model.config.architectures = ["CLIPModel"]
    model.config.save_pretrained(folder)
    processor = {"crop_size": {"height": side, "width": side}, "do_center_crop": True, "do_normalize": True, "do_rescale": True, "do_resize": True,
                 "image_mean": clip_mean, "image_std": clip_std, "image_processor_type": "CLIPImageProcessor", "resample": 3,
                 "rescale_factor": 1 / 255, "size": {"shortest_edge": side}}
    golden = {"texts": texts, "vectors": rounded(torch.stack(vectors)), "picture": rounded(seen)}
    write("clip", golden, folder, tokenizer, {"tokenizer_config.json": tokenizer_config, "preprocessor_config.json": processor})


class Only(torch.nn.Module):
    """A model of which one output counts."""

    def __init__(self, model, output):
        super().__init__()
        self.model = model
        self.output = output

    def forward(self, *inputs):
        return getattr(self.model(*inputs), self.output)


def owlv2():
    side = 32
    tokenizer, tokenizer_config = clip_tokenizer(16)
    tokenizer_config = {**tokenizer_config, "pad_token": "<unk>"}
    text = dict(vocab_size=98, hidden_size=16, intermediate_size=16, num_hidden_layers=1, num_attention_heads=2,
                max_position_embeddings=16, bos_token_id=1, eos_token_id=2, pad_token_id=0)
    vision = dict(hidden_size=16, intermediate_size=16, num_hidden_layers=1, num_attention_heads=2, image_size=side, patch_size=16)
    config = transformers.Owlv2Config(text_config=text, vision_config=vision, projection_dim=16)
    model = randomize(transformers.Owlv2ForObjectDetection(config), 0.5)
    words = ["cat", "red box"]
    encoded = [tokenizer.encode(one).ids for one in words]
    ids = torch.tensor([row + [0] * (16 - len(row)) for row in encoded])
    mask = torch.tensor([[1] * len(row) + [0] * (16 - len(row)) for row in encoded])
    pixels = picture(side, side)
    with torch.no_grad():
        outputs = model(input_ids=ids, attention_mask=mask, pixel_values=normalized(pixels, clip_mean, clip_std))
    processor = {"do_normalize": True, "do_pad": True, "do_rescale": True, "do_resize": True, "image_mean": clip_mean, "image_std": clip_std,
                 "image_processor_type": "Owlv2ImageProcessor", "resample": 2, "rescale_factor": 1 / 255, "size": {"height": side, "width": side}}
    golden = {"words": words, "logits": rounded(outputs.logits[0]), "boxes": rounded(outputs.pred_boxes[0])}
    write("owlv2", golden, export(model, "zero-shot-object-detection"), tokenizer,
          {"tokenizer_config.json": tokenizer_config, "preprocessor_config.json": processor})


makers = [gpt2, t5, wav2vec2, moonshine, vits, clip, owlv2]

if __name__ == "__main__":
    wanted = sys.argv[1:] or [maker.__name__ for maker in makers]
    for maker in makers:
        if maker.__name__ in wanted:
            torch.manual_seed(seed)
            maker()
            print(maker.__name__, "made")
