"""Random miniatures of recognisers that no exporter has a graph for, traced from the classes of `transformers`."""

import torch
import traced_parts as parts
import transformers as hf
from generate import character_tokenizer, letter_tokenizer, letters, randomize, rounded, spelled, waveform
from traced_decoders import masks, trace

encoder_sizes = dict(hidden_size=16, num_hidden_layers=1, num_attention_heads=2, intermediate_size=16, num_mel_bins=80, conv_kernel_size=5, subsampling_conv_channels=4)
spectrum = {"feature_size": 80, "sampling_rate": 16000, "hop_length": 160, "n_fft": 512, "win_length": 400, "preemphasis": 0.97, "padding_value": 0.0}
features = ("input_features", "attention_mask")


class Output(torch.nn.Module):
    """A model of which one output counts, with inputs by name."""

    def __init__(self, model, inputs, output):
        super().__init__()
        self.model, self.inputs, self.output = model, inputs, output

    def forward(self, *given):
        fed = dict(zip(self.inputs, given))
        mask = fed.get("attention_mask")
        functions = {}
        if mask is not None and mask.dim() == 2:
            functions = {"create_bidirectional_mask": lambda *_, **__: torch.where(mask[:, None, None] > 0, 0.0, -1e9)}
        with parts.Rewritten(self.model, {}, functions if parts.has(self.model, functions) else {}):
            return getattr(self.model(**fed), self.output)


def write_whole(model, folder, name, inputs, output, growing=None):
    """`inputs` by name; `growing` has the axes that may have other sizes, `{1: "frames"}` for most."""
    axes = {key: {0: "batch_size", **(growing or {1: "frames"})} for key in inputs} | {output: {0: "batch_size", 1: f"{output}_frames"}}
    (folder / "onnx").mkdir(exist_ok=True)
    trace(Output(model, list(inputs), output), tuple(inputs.values()), folder / "onnx" / name, list(inputs), [output], axes)


def heard(extractor):
    found = extractor(waveform(), sampling_rate=16000, return_tensors="pt")
    return {name: found[name].float() if name == "input_features" else found[name].long() for name in features}


def write_ctc(model, inputs, folder, extractor):
    model.config.save_pretrained(folder)
    with torch.no_grad():
        logprobs = model(**inputs).logits[0].log_softmax(-1)
    write_whole(model, folder, "model.onnx", inputs, "logits")
    golden = {"text": spelled(logprobs.argmax(-1).tolist()), "averageLogprob": rounded(logprobs.max(-1).values.mean())}
    return golden, letter_tokenizer(), {"preprocessor_config.json": extractor, "tokenizer_config.json": {"tokenizer_class": "Wav2Vec2CTCTokenizer", "pad_token": "<pad>", "unk_token": "<unk>"}}


def wav2vec2_bert(folder):
    config = hf.Wav2Vec2BertConfig(vocab_size=len(letters), hidden_size=16, num_hidden_layers=1, num_attention_heads=2, intermediate_size=16, feature_projection_input_dim=160,
                                   conv_depthwise_kernel_size=7, pad_token_id=0, left_max_position_embeddings=16, right_max_position_embeddings=4)
    model = randomize(hf.Wav2Vec2BertForCTC._from_config(config, attn_implementation="eager"), 0.6)
    model.lm_head.bias.data[1:4] = -50
    extractor = {"feature_extractor_type": "SeamlessM4TFeatureExtractor", "feature_size": 80, "num_mel_bins": 80, "stride": 2, "padding_value": 0.0, "sampling_rate": 16000, "processor_class": "Wav2Vec2BertProcessor"}
    return write_ctc(model, heard(hf.SeamlessM4TFeatureExtractor(padding_value=0.0)), folder, extractor)


def parakeet_ctc(folder):
    config = hf.ParakeetCTCConfig(vocab_size=len(letters), pad_token_id=0, encoder_config=encoder_sizes)
    model = randomize(hf.ParakeetForCTC._from_config(config, attn_implementation="eager"), 0.5)
    model.ctc_head.bias.data[1:4] = -50
    return write_ctc(model, heard(hf.ParakeetFeatureExtractor(**spectrum)), folder, {**spectrum, "feature_extractor_type": "ParakeetFeatureExtractor", "processor_class": "ParakeetProcessor"})


# --- an encoder and a decoder ------------------------------------------------------------------------------------------


@torch.jit.script
def either(kept: torch.Tensor, past: torch.Tensor, fresh: torch.Tensor):
    """What was kept, or at the first step what the encoder gave."""
    if bool(kept[0]):
        return past
    return fresh


class Half:
    """Keys and values of one kind of attention of a decoder."""

    def __init__(self, whole, kind):
        self.whole, self.kind = whole, kind

    def update(self, key, value, layer, *_, **__):
        return tuple(self.keep(f"{layer}.{self.kind}.{part}", new) for part, new in (("key", key), ("value", value)))

    def keep(self, name, new):
        past = self.whole.past[f"past_key_values.{name}"]
        joined = either(self.whole.kept, past, new) if self.kind == "encoder" else torch.cat((past, new), 2)
        self.whole.present[f"present.{name}"] = joined
        return joined


class PairedCache(hf.EncoderDecoderCache):
    """Of a graph's inputs and outputs."""

    def __init__(self, past, kept, seen):
        self.past, self.present, self.is_updated, self.kept, self.seen = past, {}, {}, kept, seen
        self.self_attention_cache, self.cross_attention_cache = Half(self, "decoder"), Half(self, "encoder")

    def get_seq_length(self, *_):
        return self.seen


class Writing(torch.nn.Module):
    """A step of a decoder that reads what an encoder made; `step(model, fed, cache)` gives its outputs."""

    def __init__(self, step, model, inputs, names):
        super().__init__()
        self.step, self.model, self.inputs, self.names = step, model, inputs, names

    def forward(self, kept, *given):
        fed = dict(zip(self.inputs, given))
        cache = PairedCache(dict(zip(self.names, given[len(self.inputs) :])), kept, 0)
        functions = dict.fromkeys(("create_bidirectional_mask", "create_causal_mask"), lambda *_, **__: None)
        if "attention_mask" in fed:
            count = fed["input_ids"].shape[1]
            found = masks(self.model.config, fed.pop("attention_mask"), count)["create_causal_mask"]
            fed["positions"] = torch.arange(count) + (found.shape[-1] - count)
            cache.seen = fed["positions"][0]
            functions["create_causal_mask"] = lambda *_, **__: found
        with parts.Rewritten(self.model, {}, functions):
            outputs = self.step(self.model, fed, cache)
        return (*outputs, *(cache.present[name.replace("past_key_values", "present")] for name in self.names))


def write_writer(step, model, folder, shape, sample, outputs):
    """`shape` has how many layers, heads and numbers of each there are; `sample` and `outputs` name → tensor or `None` and the axes that grow."""
    layers, heads, size = shape
    rows = next(iter(sample.values()))[0].shape[0]
    names = [f"past_key_values.{layer}.{kind}.{part}" for layer in range(layers) for kind in ("decoder", "encoder") for part in ("key", "value")]
    presents = [name.replace("past_key_values", "present") for name in names]
    axes = {name: axes for name, (_, axes) in {**sample, **outputs}.items()}
    axes |= {name: {0: "batch_size", 2: f"past_{name.split('.')[2]}_sequence_length"} for name in names} | {name: {0: "batch_size", 2: f"{name.split('.')[2]}_sequence_length"} for name in presents}
    past = [torch.randn(rows, heads, 5 if ".decoder." in name else 6, size) for name in names]
    given = (torch.tensor([True]), *(tensor for tensor, _ in sample.values()), *past)
    trace(Writing(step, model, list(sample), names), given, folder / "onnx" / "decoder_model_merged.onnx", ["use_cache_branch", *sample, *names], [*outputs, *presents], axes)


def write_text_writer(step, model, folder, shape):
    states = torch.randn(2, 6, model.config.hidden_size)
    sample = {"input_ids": (torch.randint(3, 90, (2, 3)), {0: "batch_size", 1: "sequence_length"}), "attention_mask": (torch.ones(2, 8, dtype=torch.long), {0: "batch_size", 1: "total_sequence_length"}),
              "encoder_hidden_states": (states, {0: "batch_size", 1: "encoder_sequence_length"})}
    write_writer(step, model, folder, shape, sample, {"logits": (None, {0: "batch_size", 1: "sequence_length"})})


def written(logits_of, start, ends, steps=8):
    """The most likely tokens and the mean of their log probabilities."""
    tokens, total = [], 0.0
    while len(tokens) < steps:
        last = logits_of(torch.tensor([[*start, *tokens]]))[0, -1].log_softmax(-1)
        token = int(last.argmax())
        if token in ends:
            break
        tokens.append(token)
        total += float(last[token])
    return tokens, total / max(len(tokens), 1)


def cohere_asr(folder):
    specials = ["<unk>", "<s>", "</s>", "▁", "<|startofcontext|>", "<|startoftranscript|>", "<|emo:undefined|>", "<|en|>", "<|pnc|>", "<|noitn|>", "<|notimestamp|>", "<|nodiarize|>"]
    start = [specials.index(name) for name in ["▁", "<|startofcontext|>", "<|startoftranscript|>", "<|emo:undefined|>", "<|en|>", "<|en|>", "<|pnc|>", "<|noitn|>", "<|notimestamp|>", "<|nodiarize|>"]]
    tokenizer = character_tokenizer(specials)
    config = hf.CohereAsrConfig(vocab_size=tokenizer.get_vocab_size(), hidden_size=16, num_hidden_layers=1, num_attention_heads=2, intermediate_size=16, max_position_embeddings=64, pad_token_id=0,
                                bos_token_id=1, eos_token_id=2, decoder_start_token_id=start[0], encoder_config={**encoder_sizes, "subsampling_factor": 8})
    model = randomize(hf.CohereAsrForConditionalGeneration._from_config(config, attn_implementation="eager"), 0.6)
    model.proj_out.bias.data[: len(specials)] = -50
    extractor = hf.CohereAsrFeatureExtractor(**spectrum, dither=0.0)
    inputs = heard(extractor)
    with torch.no_grad():
        tokens, average = written(lambda ids: model(**inputs, decoder_input_ids=ids, use_cache=False).logits, start, [2])
    model.config.save_pretrained(folder)
    write_whole(model.model.encoder, folder, "encoder_model.onnx", inputs, "last_hidden_state")

    def step(whole, fed, cache):
        decoded = whole.model.decoder(fed["input_ids"], encoder_hidden_states=fed["encoder_hidden_states"], position_ids=fed["positions"][None], past_key_values=cache, use_cache=True)
        return [whole.proj_out(decoded.last_hidden_state)]

    write_text_writer(step, model, folder, (1, 2, 8))
    preprocessor = {**spectrum, "dither": 0.0, "feature_extractor_type": "CohereAsrFeatureExtractor", "processor_class": "CohereAsrProcessor"}
    return {"text": tokenizer.decode(tokens).strip(), "tokens": tokens, "averageLogprob": average}, tokenizer, {
        "preprocessor_config.json": preprocessor, "processor_config.json": {"processor_class": "CohereAsrProcessor"}, "tokenizer_config.json": {"tokenizer_class": "CohereAsrTokenizer", "eos_token": "</s>"}}


def speecht5(folder):
    specials = ["<unk>", "<s>", "</s>"]
    tokenizer = character_tokenizer(specials)
    config = hf.SpeechT5Config(
        vocab_size=98, hidden_size=16, encoder_layers=1, decoder_layers=1, encoder_attention_heads=2, decoder_attention_heads=2, encoder_ffn_dim=16, decoder_ffn_dim=16, conv_dim=(8, 8, 8),
        conv_stride=(5, 8, 8), conv_kernel=(10, 8, 8), num_conv_pos_embeddings=8, num_conv_pos_embedding_groups=2, max_speech_positions=64, max_text_positions=64, pad_token_id=0, bos_token_id=1,
        eos_token_id=2, decoder_start_token_id=2, feat_extract_norm="layer", encoder_max_relative_position=8,
    )
    model = randomize(hf.SpeechT5ForSpeechToText._from_config(config, attn_implementation="eager"), 0.9)
    samples = torch.tensor(waveform())[None]
    inputs = {"input_values": samples, "attention_mask": torch.ones_like(samples, dtype=torch.long)}
    with torch.no_grad():
        tokens, average = written(lambda ids: model(**inputs, decoder_input_ids=ids, use_cache=False).logits, [2], [2])
    model.config.save_pretrained(folder)
    write_whole(model.speecht5.encoder, folder, "encoder_model.onnx", {"input_values": samples}, "last_hidden_state")

    def step(whole, fed, cache):
        decoded = whole.speecht5.decoder(fed["input_ids"], encoder_hidden_states=fed["encoder_hidden_states"], past_key_values=cache, use_cache=True)
        return [whole.text_decoder_postnet(decoded.last_hidden_state)]

    write_text_writer(step, model, folder, (1, 2, 8))
    preprocessor = {"feature_extractor_type": "SpeechT5FeatureExtractor", "processor_class": "SpeechT5Processor", "do_normalize": False, "sampling_rate": 16000, "feature_size": 1}
    return {"text": tokenizer.decode(tokens).strip(), "tokens": tokens, "averageLogprob": average}, tokenizer, {
        "preprocessor_config.json": preprocessor, "tokenizer_config.json": {"tokenizer_class": "SpeechT5Tokenizer", "eos_token": "</s>"}}


families = {"wav2vec2-bert": wav2vec2_bert, "parakeet_ctc": parakeet_ctc, "cohere_asr": cohere_asr, "speecht5": speecht5}


def make_listener(architecture, folder):
    return families[architecture](folder)
