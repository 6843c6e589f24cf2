"""What happens to speech on its way: rooms, microphones, telephones, noise."""

import numpy as np

from features import SAMPLE_RATE


def coloured_noise(rng, length, slope):
    """Noise with a power spectrum of 1 / f^slope and a standard deviation of one."""
    size = 1 << (length - 1).bit_length()
    spectrum = np.fft.rfft(rng.standard_normal(size, dtype=np.float32))
    frequency = np.maximum(np.arange(len(spectrum), dtype=np.float32), np.float32(20 * size / SAMPLE_RATE))
    noise = np.fft.irfft(spectrum / frequency ** np.float32(slope / 2), size)[:length]
    return noise / (noise.std() + np.float32(1e-12))


class Noise:
    def __init__(self, seed, strength=1.0):
        self.rng = np.random.default_rng(seed)
        self.strength = strength
        # Noises of several colours, from which pieces are cut.
        self.bank = [coloured_noise(self.rng, 1 << 19, slope) for slope in np.linspace(0, 2, 16)]

    def chance(self, probability):
        return self.rng.random() < probability * self.strength

    def response(self, length):
        """A random curve of gains over the frequencies of a spectrum of that length."""
        rng, curve = self.rng, np.zeros(length)
        grid = np.linspace(0, 1, length)
        if self.chance(0.5):
            curve += np.interp(np.sqrt(grid), np.linspace(0, 1, 7), rng.normal(0, 5, 7))
        hertz = grid * SAMPLE_RATE / 2
        if self.chance(0.12):
            curve += np.where((hertz < 300) | (hertz > 3400), -50, 0)
        elif self.chance(0.3):
            cutoff = rng.uniform(3000, 7800)
            curve += np.clip((cutoff - hertz) * 0.05, -60, 0)
        return (10 ** (curve / 20)).astype(np.float32)

    def room(self):
        """An impulse response, or None."""
        if not self.chance(0.25):
            return None
        seconds = self.rng.uniform(0.05, 0.35)
        time = np.arange(int(seconds * SAMPLE_RATE)) / SAMPLE_RATE
        tail = self.rng.standard_normal(len(time)) * 10 ** (-3 * time / seconds)
        tail *= self.rng.uniform(0.1, 0.6) / np.sqrt((tail**2).sum())
        tail[0] += 1
        return tail.astype(np.float32)

    def apply(self, samples):
        rng, length = self.rng, len(samples)
        loud = np.sqrt((samples**2).mean()) if length else 0.0
        room = self.room()
        if loud > 0 and (room is not None or self.chance(0.7)):
            size = 1 << (length + 6000 - 1).bit_length()
            spectrum = np.fft.rfft(samples, size)
            spectrum = spectrum * self.response(len(spectrum))
            if room is not None:
                spectrum = spectrum * np.fft.rfft(room, size)
            samples = np.fft.irfft(spectrum, size)[:length]
            loud = np.sqrt((samples**2).mean())
        if loud > 0:
            samples = samples * np.float32(10 ** rng.uniform(-2.2, -0.7) / loud if self.chance(0.7) else 0.08 / loud)
            loud = np.sqrt((samples**2).mean())
            if self.chance(0.05):
                samples = np.tanh(samples / loud * rng.uniform(0.3, 1.5)).astype(np.float32) * loud
        if self.chance(0.75):
            level = loud * 10 ** (-rng.uniform(8, 45) / 20) if loud > 0 else 10 ** rng.uniform(-5, -1)
            begin = rng.integers((1 << 19) - length)
            noise = self.bank[rng.integers(len(self.bank))][begin : begin + length]
            if self.chance(0.15):
                time = np.arange(length, dtype=np.float32) / SAMPLE_RATE
                hum = rng.choice([50, 60, 100, 120, rng.uniform(200, 2000)])
                noise = noise + rng.uniform(0.5, 3) * np.sin(2 * np.pi * hum * time).astype(np.float32)
            if self.chance(0.2):
                noise = noise * np.interp(np.arange(length), np.linspace(0, length, 9), rng.uniform(0, 2, 9)).astype(np.float32)
            samples = samples + level * noise
        elif self.chance(0.3):
            samples = samples + rng.uniform(-0.5, 0.5, length).astype(np.float32) / 32768
        return np.clip(samples, -1, 1).astype(np.float32)
