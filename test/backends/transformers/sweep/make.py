"""Makes a random miniature of every architecture that an exporter exists for, and what the reference says to it.

    pip install torch==2.13.0 optimum-onnx==0.1.0 optimum==2.1.0 transformers==4.57.6
    python make.py FOLDER [category/architecture ...]

`run.js` beside it runs them by the backends and writes the table of `docs/supported-models.md`.
"""

import json
import sys
import tempfile
from pathlib import Path

import numpy as np
import onnxruntime
import torch
import transformers
import optimum.exporters.onnx.model_configs  # noqa: F401
from optimum.exporters.onnx import onnx_export_from_model
from optimum.exporters.tasks import TasksManager

sys.path[:0] = [str(Path(__file__).parent.parent / "miniatures"), str(Path(__file__).parents[3] / "contract" / "generate")]
from attempt import attempt  # noqa: E402
from generate import character_tokenizer, chat_template, clip_mean, clip_std, letter_tokenizer, letters, normalized, picture, randomize, rounded, spelled, waveform  # noqa: E402

specials = ["<unk>", "<s>", "</s>"]
vocabulary = 98

sizes = dict(
    vocab_size=vocabulary, hidden_size=32, n_embd=32, d_model=32, word_embed_proj_dim=32, num_hidden_layers=2, n_layer=2, num_layers=2, n_layers=2,
    num_attention_heads=4, n_head=4, num_heads=4, n_heads=4, num_key_value_heads=2, intermediate_size=32, ffn_dim=32, d_ff=32, d_kv=8,
    max_position_embeddings=128, n_positions=128, max_seq_len=128, seq_length=128, bos_token_id=1, eos_token_id=2, pad_token_id=2,
    hidden_dropout=0, attention_dropout=0, attention_probs_dropout_prob=0, hidden_dropout_prob=0, resid_pdrop=0, attn_pdrop=0, embd_pdrop=0, dropout=0,
)
mixture = dict(num_experts=4, num_local_experts=4, n_routed_experts=4, num_experts_per_tok=2, moe_intermediate_size=16, shared_expert_intermediate_size=16)
special_sizes = {
    "gptj": dict(rotary_dim=4), "codegen": dict(rotary_dim=4),
    "gpt_neo": dict(attention_types=[[["global"], 2]]),
    "deepseek_v3": {**mixture, "q_lora_rank": 8, "kv_lora_rank": 8, "qk_rope_head_dim": 4, "qk_nope_head_dim": 4, "v_head_dim": 8, "n_group": 1, "topk_group": 1, "first_k_dense_replace": 1, "num_key_value_heads": 4, "head_dim": 4},
    "qwen3_moe": mixture, "gpt_oss": {**mixture, "head_dim": 8}, "qwen2_moe": mixture,
    "gemma": dict(head_dim=8), "gemma2": dict(head_dim=8, query_pre_attn_scalar=8), "gemma3_text": dict(head_dim=8, query_pre_attn_scalar=8),
    "qwen3": dict(head_dim=8), "helium": dict(head_dim=8), "glm": dict(head_dim=8), "mistral": dict(head_dim=8), "ministral": dict(head_dim=8),
    "granitemoehybrid": dict(layer_types=["attention", "attention"], num_local_experts=0, shared_intermediate_size=32, mamba_n_heads=4, mamba_d_head=16, mamba_expand=2),
    "opt": dict(do_layer_norm_before=True), "phi": dict(partial_rotary_factor=0.5, num_key_value_heads=4, head_dim=8), "stablelm": dict(partial_rotary_factor=0.5),
    "phi3": dict(original_max_position_embeddings=128), "mobilebert": dict(embedding_size=32, intra_bottleneck_size=32, num_feedforward_networks=1),
    "falcon": dict(new_decoder_architecture=False, multi_query=True, alibi=False), "bloom": {}, "mpt": {},
    "mpnet": dict(pad_token_id=1), "roberta": dict(pad_token_id=1), "camembert": dict(pad_token_id=1), "xlm-roberta": dict(pad_token_id=1),
    "electra": dict(embedding_size=32), "albert": dict(embedding_size=32), "xlm": dict(emb_dim=32, n_words=vocabulary),
    "squeezebert": dict(embedding_size=32, q_groups=1, k_groups=1, v_groups=1, post_attention_groups=1, intermediate_groups=1, output_groups=1),
    "esm": dict(position_embedding_type="rotary", pad_token_id=2, mask_token_id=0, emb_layer_norm_before=False, token_dropout=False),
    "distilbert": dict(dim=32, hidden_dim=32), "roformer": dict(embedding_size=32), "convbert": dict(embedding_size=32, head_ratio=2, conv_kernel_size=3),
    "nomic_bert": dict(n_inner=32),
    "hunyuan_v1_dense": dict(head_dim=8),
    "lfm2": dict(layer_types=["full_attention", "conv"], block_ff_dim=32, block_auto_adjust_ff_dim=False),
}
causal = """bloom gpt2 gpt_oss gptj gpt_bigcode gpt_neo gpt_neox codegen llama apertus arcee lfm2 smollm3 olmo olmo2 olmo3 granite granitemoehybrid
cohere cohere2 gemma gemma2 vaultgemma gemma3_text helium glm qwen2 qwen2_moe qwen3 qwen3_moe qwen3_next phi phi3 mpt opt mistral ministral ernie4_5 starcoder2
deepseek_v3 falcon falcon_h1 stablelm modernbert-decoder hunyuan_v1_dense exaone4 nemotron llama4_text""".split()
seq2seq = "t5 longt5 mt5 bart mbart marian m2m_100 blenderbot blenderbot-small".split()
encoders = """bert modernbert roformer electra esm convbert camembert deberta deberta-v2 mpnet albert distilbert roberta xlm xlm-roberta mobilebert squeezebert""".split()
recognizers = "wav2vec2 unispeech unispeech-sat wavlm hubert".split()
detectors = "detr rt_detr rt_detr_v2 d_fine table-transformer yolos".split()
asked = "owlvit".split()


# The exporter has no configuration of their own for these; they take and give what a Llama does.
for family in "apertus olmo3 cohere2 vaultgemma qwen2_moe ministral ernie4_5 starcoder2 hunyuan_v1_dense gpt_oss exaone4 granitemoehybrid modernbert-decoder".split():
    TasksManager._SUPPORTED_MODEL_TYPE.setdefault(family, TasksManager._SUPPORTED_MODEL_TYPE["llama"])


def save(folder, golden, tokenizer=None, files=None):
    if tokenizer:
        (folder / "tokenizer.json").write_text(tokenizer.to_str())
    for name, value in (files or {}).items():
        (folder / name).write_text(json.dumps(value))
    (folder / "golden.json").write_text(json.dumps(golden))


def export(model, folder, task, **options):
    graphs = folder / "onnx"
    onnx_export_from_model(model, graphs, task=task, do_validation=False, **options)
    for path in graphs.glob("*.json"):
        path.rename(folder / path.name)
    for name in ("decoder_model.onnx", "decoder_with_past_model.onnx"):
        (graphs / name).unlink(missing_ok=True)


def make_causal(family, folder):
    config = transformers.AutoConfig.for_model(family, **{**sizes, **special_sizes.get(family, {})})
    model = randomize(transformers.AutoModelForCausalLM.from_config(config), 0.25)
    tokenizer = character_tokenizer(specials)
    ids = torch.tensor([tokenizer.encode("<s>user: Hi<s>assistant: ").ids])
    with torch.no_grad():
        tokens = []
        every = ids
        for _ in range(5):
            logits = model(every, use_cache=False).logits[0, -1]
            tokens.append(int(logits.argmax()))
            every = torch.cat([every, torch.tensor([[tokens[-1]]])], 1)
    export(model, folder, "text-generation-with-past")
    save(folder, {"prompt": ids[0].tolist(), "tokens": tokens, "logits": rounded(logits)}, tokenizer,
         {"tokenizer_config.json": {"eos_token": "</s>", "chat_template": chat_template}})


def make_seq2seq(family, folder):
    half = dict(encoder_layers=1, decoder_layers=1, encoder_attention_heads=4, decoder_attention_heads=4, encoder_ffn_dim=32, decoder_ffn_dim=32,
                num_decoder_layers=2, decoder_start_token_id=0, decoder_vocab_size=vocabulary, forced_eos_token_id=None, local_radius=7)
    if family.endswith("t5"):
        config = transformers.AutoConfig.for_model(family, vocab_size=vocabulary, d_model=32, d_kv=8, d_ff=32, num_layers=1, num_decoder_layers=1, num_heads=4, decoder_start_token_id=0,
                                                   pad_token_id=0, eos_token_id=2, dropout_rate=0, n_positions=128)
    else:
        config = transformers.AutoConfig.for_model(family, **{**sizes, **half, "pad_token_id": 0})
    model = randomize(transformers.AutoModelForSeq2SeqLM.from_config(config), 0.25)
    model.generation_config.forced_eos_token_id = None
    tokenizer = character_tokenizer(specials, "$A </s>")
    ids = torch.tensor([tokenizer.encode("Hello you").ids])
    with torch.no_grad():
        tokens, fed = [], [0]
        for _ in range(5):
            logits = model(input_ids=ids, decoder_input_ids=torch.tensor([fed])).logits[0, -1]
            tokens.append(int(logits.argmax()))
            fed.append(tokens[-1])
    export(model, folder, "text2text-generation-with-past")
    save(folder, {"prompt": ids[0].tolist(), "tokens": tokens, "logits": rounded(logits), "text": "Hello you"}, tokenizer, {"tokenizer_config.json": {"eos_token": "</s>"}})


def make_encoder(family, folder):
    config = transformers.AutoConfig.for_model(family, **{**sizes, "type_vocab_size": 2, **special_sizes.get(family, {})})
    model = randomize(transformers.AutoModel.from_config(config), 0.25)
    tokenizer = character_tokenizer(specials, "<s> $A </s>")
    ids = torch.tensor([tokenizer.encode("a cat").ids])
    with torch.no_grad():
        types = {"token_type_ids": torch.zeros_like(ids)} if family == "xlm" else {}
        vector = model(input_ids=ids, attention_mask=torch.ones_like(ids), **types).last_hidden_state[0].mean(0)
    export(model, folder, "feature-extraction")
    save(folder, {"text": "a cat", "vector": rounded(vector)}, tokenizer, {"tokenizer_config.json": {"eos_token": "</s>", "model_max_length": 64}})


def make_recognizer(family, folder):
    config = transformers.AutoConfig.for_model(
        family, vocab_size=len(letters), hidden_size=16, num_hidden_layers=1, num_attention_heads=2, intermediate_size=16, conv_dim=(8, 8, 8), conv_stride=(5, 8, 8),
        conv_kernel=(10, 8, 8), num_feat_extract_layers=3, num_conv_pos_embeddings=8, num_conv_pos_embedding_groups=2, pad_token_id=0, feat_extract_norm="layer",
        do_stable_layer_norm=True, num_buckets=8, max_bucket_distance=16,
    )
    model = randomize(transformers.AutoModelForCTC.from_config(config), 0.8)
    model.lm_head.bias.data[1:4] = -50
    samples = waveform()
    normal = (samples - samples.mean()) / (samples.var() + 1e-7) ** 0.5
    with torch.no_grad():
        ids = model(input_values=torch.tensor(normal)[None]).logits[0].argmax(-1).tolist()
    export(model, folder, "automatic-speech-recognition")
    extractor = {"feature_extractor_type": "Wav2Vec2FeatureExtractor", "do_normalize": True, "feature_size": 1, "padding_value": 0, "sampling_rate": 16000, "processor_class": "Wav2Vec2Processor"}
    save(folder, {"text": spelled(ids)}, letter_tokenizer(), {"preprocessor_config.json": extractor, "tokenizer_config.json": {"tokenizer_class": "Wav2Vec2CTCTokenizer", "pad_token": "<pad>", "unk_token": "<unk>"}})


def make_detector(family, folder):
    side = 64
    backbone = transformers.ResNetConfig(embedding_size=8, hidden_sizes=[8, 8, 16, 16], depths=[1, 1, 1, 1], layer_type="basic", out_features=["stage2", "stage3", "stage4"], num_labels=2)
    labels = dict(id2label={0: "cat", 1: "dog"}, label2id={"cat": 0, "dog": 1}, num_labels=2)
    if family == "yolos":
        config = transformers.YolosConfig(hidden_size=16, num_hidden_layers=1, num_attention_heads=2, intermediate_size=16, image_size=[side, side], patch_size=16, num_detection_tokens=8, **labels)
    elif family in ("detr", "table-transformer"):
        one = transformers.ResNetConfig(embedding_size=8, hidden_sizes=[8, 8, 16, 16], depths=[1, 1, 1, 1], layer_type="basic", out_features=["stage4"])
        config = transformers.AutoConfig.for_model(family, use_timm_backbone=False, use_pretrained_backbone=False, backbone=None, backbone_config=one, d_model=16, encoder_layers=1, decoder_layers=1,
                                                   encoder_attention_heads=2, decoder_attention_heads=2, encoder_ffn_dim=16, decoder_ffn_dim=16, num_queries=8, **labels)
    else:
        cls = {"rt_detr": transformers.RTDetrConfig, "rt_detr_v2": transformers.RTDetrV2Config, "d_fine": transformers.DFineConfig}[family]
        own = transformers.RTDetrResNetConfig(embedding_size=8, hidden_sizes=[8, 8, 16, 16], depths=[1, 1, 1, 1], layer_type="basic", out_features=["stage2", "stage3", "stage4"])
        config = cls(backbone_config=own, encoder_hidden_dim=16, encoder_in_channels=[8, 16, 16], decoder_in_channels=[16, 16, 16], d_model=16, encoder_layers=1, decoder_layers=2, encoder_ffn_dim=16,
                     decoder_ffn_dim=16, encoder_attention_heads=2, decoder_attention_heads=2, num_queries=8, encode_proj_layers=[2], hidden_expansion=0.5, anchor_image_size=None, num_denoising=0, **labels)
    model = randomize(transformers.AutoModelForObjectDetection.from_config(config), 0.15)
    pixels = torch.tensor(picture(side, side) / 255.0, dtype=torch.float32).permute(2, 0, 1)[None].contiguous()
    export(model, folder, "object-detection")
    # The best of equal queries are others in the graph than in torch, so the graph itself is the reference.
    feeds = {"pixel_values": pixels.numpy(), "pixel_mask": np.ones((1, 64, 64), dtype=np.int64)}
    session = onnxruntime.InferenceSession(folder / "onnx" / "model.onnx")
    [logits] = session.run(["logits"], {given.name: feeds[given.name] for given in session.get_inputs()})
    logits = torch.tensor(logits[0])
    soft = family in ("detr", "table-transformer", "yolos")
    scores = logits.softmax(-1)[:, :-1] if soft else logits.sigmoid()
    processor = {"do_resize": True, "size": {"height": side, "width": side}, "do_rescale": True, "rescale_factor": 1 / 255, "do_normalize": False, "image_processor_type": "DetrImageProcessor"}
    save(folder, {"best": rounded(scores.max())}, None, {"preprocessor_config.json": processor})


def make_asked(family, folder):
    from generate import clip_tokenizer

    side = 32
    tokenizer, tokenizer_config = clip_tokenizer(16)
    text = dict(vocab_size=98, hidden_size=16, intermediate_size=16, num_hidden_layers=1, num_attention_heads=2, max_position_embeddings=16, bos_token_id=1, eos_token_id=2, pad_token_id=0)
    vision = dict(hidden_size=16, intermediate_size=16, num_hidden_layers=1, num_attention_heads=2, image_size=side, patch_size=16)
    model = randomize(transformers.OwlViTForObjectDetection(transformers.OwlViTConfig(text_config=text, vision_config=vision, projection_dim=16)), 0.5)
    words = ["cat", "red box"]
    encoded = [tokenizer.encode(one).ids for one in words]
    ids = torch.tensor([row + [0] * (16 - len(row)) for row in encoded])
    mask = torch.tensor([[1] * len(row) + [0] * (16 - len(row)) for row in encoded])
    with torch.no_grad():
        outputs = model(input_ids=ids, attention_mask=mask, pixel_values=normalized(picture(side, side), clip_mean, clip_std))
    export(model, folder, "zero-shot-object-detection")
    processor = {"do_normalize": True, "do_rescale": True, "do_resize": True, "image_mean": clip_mean, "image_std": clip_std, "image_processor_type": "OwlViTImageProcessor", "resample": 3,
                 "rescale_factor": 1 / 255, "size": {"height": side, "width": side}}
    save(folder, {"words": words, "best": rounded(outputs.logits.sigmoid().max())}, tokenizer, {"tokenizer_config.json": {**tokenizer_config, "pad_token": "<unk>"}, "preprocessor_config.json": processor})


def make_lite_whisper(family, folder):
    """A Whisper whose encoder has layers of low rank: whole ones for the reference, two smaller ones each in the graph."""
    import whisper

    spoken = waveform()
    whisper.tone = lambda kind, seconds: spoken * 32_768
    extractor = whisper.WhisperFeatureExtractor(feature_size=whisper.MELS, chunk_length=whisper.SECONDS)
    with tempfile.TemporaryDirectory() as scratch:
        tokenizer = whisper.make_tokenizer(Path(scratch))
    for seed in range(400):
        model = whisper.make_model(tokenizer, seed)
        pairs = [split_layer(layer) for layer in model.model.encoder.layers]
        case = whisper.transcribe(model, tokenizer, extractor, 0, 1.0, "en")
        if case:
            break
    else:
        raise RuntimeError("no seed fits")
    for found in pairs:
        for owner, name, pair in found:
            setattr(owner, name, pair)
    export(model, folder, "automatic-speech-recognition-with-past", nb_max_frames=whisper.SECONDS * 100)
    for part in (model.generation_config, tokenizer, extractor):
        part.save_pretrained(folder)
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps({**config, "model_type": "lite-whisper", "architectures": ["LiteWhisperForConditionalGeneration"]}))
    text = "".join(segment["text"] for segment in case["segments"]).strip()
    save(folder, {"text": text, "averageLogprob": case["averageLogprob"], "language": "en", "settings": {"voiceActivity": "none"}})


def split_layer(layer, rank=6):
    """Cuts the rank of the linear layers within, and gives each one's owner, name and the two that it is the product of."""
    found = []
    for owner, name in [*((layer.self_attn, f"{part}_proj") for part in ("q", "k", "v", "out")), (layer, "fc1"), (layer, "fc2")]:
        whole = getattr(owner, name)
        left, sizes, right = torch.linalg.svd(whole.weight.data)
        first, second = torch.nn.Linear(whole.in_features, rank, bias=False), torch.nn.Linear(rank, whole.out_features, bias=whole.bias is not None)
        first.weight.data, second.weight.data = sizes[:rank, None] * right[:rank], left[:, :rank].clone()
        if whole.bias is not None:
            second.bias.data = whole.bias.data.clone()
        whole.weight.data = second.weight.data @ first.weight.data
        found.append((owner, name, torch.nn.Sequential(first, second)))
    return found


kinds = {"chat": [(causal, make_causal), (seq2seq, make_seq2seq)], "embedding": [(encoders, make_encoder)], "transcription": [(recognizers, make_recognizer), (["lite-whisper"], make_lite_whisper)],
         "detection": [(detectors, make_detector), (asked, make_asked)]}


def main():
    target = Path(sys.argv[1])
    wanted = set(sys.argv[2:])
    for kind, lists in kinds.items():
        for families, make in lists:
            for family in families:
                attempt(target, wanted, kind, family, make, 120)


if __name__ == "__main__":
    main()
