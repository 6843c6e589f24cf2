"""Phonemes: Kokoro's symbols and their numbers, CMUdict's pronunciations, espeak-ng's mnemonics."""

import re
from pathlib import Path

# Kokoro-82M's own numbers, for the symbols that this model has learned; 0 stands at both ends.
VOCABULARY = {
    ";": 1, ":": 2, ",": 3, ".": 4, "!": 5, "?": 6, "—": 9, "…": 10, '"': 11, "(": 12, ")": 13, "“": 14, "”": 15, " ": 16,
    "A": 24, "I": 25, "O": 31, "Q": 33, "T": 36, "W": 39, "Y": 41, "ᵊ": 42, "b": 44, "d": 46, "f": 48, "h": 50, "i": 51, "j": 52, "k": 53, "l": 54, "m": 55, "n": 56, "p": 58,
    "s": 61, "t": 62, "u": 63, "v": 64, "w": 65, "z": 68, "ɑ": 69, "ɐ": 70, "ɒ": 71, "æ": 72, "ɔ": 76, "ð": 81, "ʤ": 82, "ə": 83, "ɛ": 86, "ɜ": 87,
    "ɡ": 92, "ɪ": 102, "ŋ": 112, "θ": 119, "ɹ": 123, "ɾ": 125, "ʃ": 131, "ʧ": 133, "ʊ": 135, "ʌ": 138, "ʒ": 147, "ˈ": 156, "ˌ": 157, "ᵻ": 177,
}
SYMBOLS = 178
BORDER = 0

# ARPABET: Kokoro's symbol, espeak-ng's mnemonic.
SOUNDS = {
    "AA": ("ɑ", "A:"), "AE": ("æ", "a"), "AH": ("ʌ", "V"), "AO": ("ɔ", "O:"), "AW": ("W", "aU"), "AY": ("I", "aI"), "B": ("b", "b"), "CH": ("ʧ", "tS"),
    "D": ("d", "d"), "DH": ("ð", "D"), "EH": ("ɛ", "E"), "ER": ("ɜɹ", "3:"), "EY": ("A", "eI"), "F": ("f", "f"), "G": ("ɡ", "g"), "HH": ("h", "h"),
    "IH": ("ɪ", "I"), "IY": ("i", "i:"), "JH": ("ʤ", "dZ"), "K": ("k", "k"), "L": ("l", "l"), "M": ("m", "m"), "N": ("n", "n"), "NG": ("ŋ", "N"),
    "OW": ("O", "oU"), "OY": ("Y", "OI"), "P": ("p", "p"), "R": ("ɹ", "r"), "S": ("s", "s"), "SH": ("ʃ", "S"), "T": ("t", "t"), "TH": ("θ", "T"),
    "UH": ("ʊ", "U"), "UW": ("u", "u:"), "V": ("v", "v"), "W": ("w", "w"), "Y": ("j", "j"), "Z": ("z", "z"), "ZH": ("ʒ", "Z"),
}
UNSTRESSED = {"AH": ("ə", "@"), "ER": ("əɹ", "3"), "IY": ("i", "i")}
VOWELS = "AA AE AH AO AW AY EH ER EY IH IY OW OY UH UW".split()
CONSONANTS = [name for name in SOUNDS if name not in VOWELS]
STRESS = {"0": ("", ""), "1": ("ˈ", "'"), "2": ("ˌ", ",")}
# How other phonemizers write the same sounds: some are met in the lessons, the others borrow what was learned for the nearest sound.
ALIASES = {"ə": ("ᵊ", "ɐ"), "ɪ": ("ᵻ",)}
BORROWED = {"T": "d", "ɾ": "d", "Q": "O", "ɒ": "ɑ"}

PAUSES = {",": ",", ";": ";", ":": ":", ".": ".", "!": "!", "?": "?", "—": ",", "…": "..."}
QUOTES = '"()“”'

NPM_DICTIONARY = Path(__file__).resolve().parents[4] / "node_modules" / "cmu-pronouncing-dictionary" / "index.js"


def read_dictionary(path=NPM_DICTIONARY):
    """Words and their first pronunciation, from the npm package cmu-pronouncing-dictionary."""
    entries = re.findall(r'^\s*"([^"(]+)": "([A-Z0-2 ]+)"', Path(path).read_text(encoding="utf-8"), re.M)
    return {word: tuple(sounds.split()) for word, sounds in entries}


def split_sound(sound):
    """Name, Kokoro's symbols, espeak-ng's mnemonic and stress digit of an ARPABET sound."""
    name, digit = (sound[:-1], sound[-1]) if sound[-1].isdigit() else (sound, "")
    symbols, mnemonic = UNSTRESSED.get(name, SOUNDS[name]) if digit == "0" else SOUNDS[name]
    return name, symbols, mnemonic, digit


def to_symbols(sounds):
    """One word in ARPABET as Kokoro's phonemes."""
    parts = []
    for sound in sounds:
        _, symbols, _, digit = split_sound(sound)
        parts.append(STRESS[digit or "0"][0] + symbols)
    return "".join(parts)


def to_ids(symbols):
    return [BORDER, *(VOCABULARY[symbol] for symbol in symbols if symbol in VOCABULARY), BORDER]
