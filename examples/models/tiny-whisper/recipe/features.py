"""Whisper's log-mel spectrogram as `WhisperFeatureExtractor` makes it, for batches."""

import torch
from transformers.audio_utils import mel_filter_bank

SAMPLE_RATE = 16000
WINDOW, HOP, BINS = 400, 160, 80

_FILTERS = torch.tensor(mel_filter_bank(1 + WINDOW // 2, BINS, 0.0, SAMPLE_RATE / 2, SAMPLE_RATE, "slaney", "slaney"), dtype=torch.float32)
_HANN = torch.hann_window(WINDOW)


def log_mel(samples):
    """[batch, samples] to [batch, 80, samples / 160]."""
    spectrum = torch.stft(samples, WINDOW, HOP, window=_HANN, return_complex=True)[..., :-1]
    mel = (_FILTERS.T @ (spectrum.real.square() + spectrum.imag.square())).clamp(min=1e-10).log10()
    mel = torch.maximum(mel, mel.amax((1, 2), keepdim=True) - 8.0)
    return (mel + 4.0) / 4.0
