"""The voices: variants of espeak-ng's American and British English, without its echo and flutter."""

import atexit
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Voice:
    """Pitch in Hz from the low to the high end, formants in percent of the plain voice, breath in espeak's units."""

    name: str
    accent: str
    pitch: tuple
    formants: tuple
    breath: int = 0
    consonants: int = 100

    @property
    def variant(self):
        lines = ["language variant", f"name tiny_{self.name}", f"pitch {self.pitch[0]} {self.pitch[1]}", "flutter 0", "roughness 0", f"consonants {self.consonants} {self.consonants}"]
        lines += [f"formant {index} {frequency} {height} {width}" for index, (frequency, height, width) in enumerate(self.formants)]
        if self.breath:
            lines.append("breath 0 " + " ".join([str(self.breath)] * 7))
        return "\n".join(lines) + "\n"

    @property
    def espeak_name(self):
        return f"{self.accent}+tiny_{self.name}"


def formants(first, second, higher, height, width):
    return ((first, 100, width), (first, 100, width), (second, height, width), *[(higher, height, width)] * 6)


VOICES = [
    Voice("af_heart", "en-us", (155, 235), formants(112, 112, 113, 90, 115), breath=2, consonants=110),
    Voice("af_bella", "en-us", (185, 290), formants(120, 122, 122, 85, 120), breath=1, consonants=115),
    Voice("am_adam", "en-us", (82, 126), formants(100, 100, 100, 100, 100)),
    Voice("am_michael", "en-us", (70, 104), formants(93, 93, 92, 95, 105)),
    Voice("bf_emma", "en", (168, 250), formants(115, 116, 116, 88, 115), breath=2, consonants=110),
    Voice("bm_george", "en", (90, 134), formants(96, 97, 97, 95, 105)),
]


def write_espeak_data():
    """A copy of espeak-ng's data with the voices added, until the process ends. Returns its folder."""
    import espeakng_loader

    folder = Path(tempfile.mkdtemp(prefix="tiny-speech-espeak-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    data = folder / "espeak-ng-data"
    shutil.copytree(espeakng_loader.get_data_path(), data)
    for voice in VOICES:
        (data / "voices" / "!v" / f"tiny_{voice.name}").write_text(voice.variant)
    return folder
