"""A random miniature of SpeechT5's voice, traced from the classes of `transformers`."""

import json

import numpy as np
import torch
import transformers as hf
from generate import character_tokenizer, randomize, rounded
from traced_decoders import specials, trace
from traced_listeners import write_writer

bins = 8


class Reading(torch.nn.Module):
    def __init__(self, encoder):
        super().__init__()
        self.encoder = encoder

    def forward(self, input_ids):
        mask = torch.ones_like(input_ids)
        return self.encoder(input_values=input_ids).last_hidden_state, mask


class Sounding(torch.nn.Module):
    """The net behind the frames, and the vocoder."""

    def __init__(self, net, vocoder):
        super().__init__()
        self.net, self.vocoder = net, vocoder

    def forward(self, spectrogram):
        return self.vocoder(self.net.postnet(spectrogram[None])[0])


def frame_step(model, fed, cache):
    """Frames so far, which begin with an empty one → all of them with the next, those of this step, and whether it is the last."""
    frames = fed["output_sequence"]
    hidden = model.speecht5.decoder.prenet(frames, fed["speaker_embeddings"])
    decoded = model.speecht5.decoder.wrapped_decoder(hidden_states=hidden[:, -1:], encoder_hidden_states=fed["encoder_hidden_states"], past_key_values=cache, use_cache=True)
    last = decoded.last_hidden_state[0, -1]
    spectrum = model.speech_decoder_postnet.feat_out(last).view(model.config.reduction_factor, bins)
    return torch.cat((frames, spectrum[-1].view(1, 1, bins)), 1), spectrum, torch.sigmoid(model.speech_decoder_postnet.prob_out(last))


def speecht5(folder):
    config = hf.SpeechT5Config(
        vocab_size=98, hidden_size=16, encoder_layers=1, decoder_layers=1, encoder_attention_heads=2, decoder_attention_heads=2, encoder_ffn_dim=16, decoder_ffn_dim=16, num_mel_bins=bins,
        reduction_factor=2, speech_decoder_prenet_units=16, speech_decoder_postnet_layers=2, speech_decoder_postnet_units=8, speaker_embedding_dim=4,
        max_speech_positions=256, max_text_positions=64, pad_token_id=0, bos_token_id=1, eos_token_id=2, encoder_max_relative_position=8,
    )
    model = randomize(hf.SpeechT5ForTextToSpeech._from_config(config, attn_implementation="eager"), 0.4)
    model.speecht5.decoder.prenet._consistent_dropout = lambda frames, share: frames  # what is drawn by chance can't be compared
    model.speech_decoder_postnet.prob_out.bias.data.fill_(-4.0)
    upsampling = dict(model_in_dim=bins, upsample_initial_channel=8, upsample_rates=[4, 4], upsample_kernel_sizes=[8, 8], resblock_kernel_sizes=[3], resblock_dilation_sizes=[[1]])
    vocoder = hf.SpeechT5HifiGan(hf.SpeechT5HifiGanConfig(**upsampling))
    randomize(vocoder, 0.15)
    tokenizer = character_tokenizer(specials, "$A </s>")
    text, voice = "bad", np.array([0.5, -0.25, 0.75, 0.1], dtype=np.float32)
    ids = torch.tensor([tokenizer.encode(text).ids])
    with torch.no_grad():
        samples = model.generate_speech(ids, torch.tensor(voice)[None], vocoder=vocoder)
    model.config.save_pretrained(folder)
    for name in ("onnx", "vocoder/onnx", "voices"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    trace(Reading(model.speecht5.encoder), (ids,), folder / "onnx" / "encoder_model.onnx", ["input_ids"], ["encoder_outputs", "encoder_attention_mask"],
          {name: {1: "encoder_sequence_length"} for name in ("input_ids", "encoder_outputs", "encoder_attention_mask")})
    sample = {"output_sequence": (torch.randn(1, 6, bins), {1: "decoder_sequence_length"}), "speaker_embeddings": (torch.tensor(voice)[None], {}),
              "encoder_hidden_states": (torch.randn(1, 6, 16), {1: "encoder_sequence_length"})}
    write_writer(frame_step, model, folder, (1, 2, 8), sample, {"output_sequence_out": (None, {1: "decoder_sequence_length_out"}), "spectrum": (None, {}), "prob": (None, {})})
    trace(Sounding(model.speech_decoder_postnet, vocoder), (torch.randn(6, bins),), folder / "vocoder" / "onnx" / "model.onnx", ["spectrogram"], ["waveform"], {"spectrogram": {0: "frames"}, "waveform": {0: "samples"}})
    (folder / "vocoder" / "config.json").write_text(json.dumps({"model_type": "hifigan"}))
    (folder / "voices" / "anna.bin").write_bytes(voice.tobytes())
    files = {"preprocessor_config.json": {"feature_extractor_type": "SpeechT5FeatureExtractor", "processor_class": "SpeechT5Processor", "sampling_rate": 16000},
             "tokenizer_config.json": {"tokenizer_class": "SpeechT5Tokenizer", "eos_token": "</s>"}}
    return {"text": text, "samples": rounded(samples)}, tokenizer, files


families = {"speecht5": speecht5}


def make_speaker(architecture, folder):
    return families[architecture](folder)
