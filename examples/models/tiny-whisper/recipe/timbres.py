"""Drawn timbres: voice files for espeak-ng with a random vocal tract, larynx and tone."""

import math


def drawn_timbre(random):
    """The lines of a voice variant: formants as percentages of frequency, strength and width, pitches and tones in hertz."""

    def around(middle, spread, least, most):
        return round(min(most, max(least, middle * math.exp(random.gauss(0, spread)))))

    def either(probability, line):
        return [line] if random.random() < probability else []

    tract, odd = math.exp(random.uniform(math.log(0.8), math.log(1.27))), random.random() < 0.6
    base = around(110 * tract, 0.35, 40, 260)
    lines = ["language variant", "name drawn", f"pitch {base} {around(1.4 * base, 0.15, base, 400)}"]
    for formant in range(9):
        strange = odd and random.random() < 0.4
        frequency = around(100 * tract, 0.2 if strange else 0.05, 60, 160)
        strength = around(100, 0.8 if strange else 0.35, 5, 255)
        lines.append(f"formant {formant} {frequency} {strength} {around(105, 0.3, 50, 220)}")
    lines += either(0.6, f"flutter {random.randint(0, 20)}") + either(0.6, f"roughness {random.randint(0, 5)}")
    lines += either(0.4, f"consonants {random.randint(50, 160)} {random.randint(50, 160)}") + either(0.25, f"voicing {random.randint(40, 140)}")
    lines += either(0.15, f"echo {random.randint(10, 150)} {random.randint(5, 60)}")
    lines += either(0.15, "breath " + " ".join(str(random.randint(0, 8)) for _ in range(8)))
    lines += either(0.1, f"klatt {random.randint(1, 6)}")
    lines += either(0.3, "stressAmp " + " ".join(str(random.randint(14, 32)) for _ in range(8)))
    lines += either(0.3, "stressAdd " + " ".join(str(random.randint(-40, 250)) for _ in range(8)))
    if random.random() < 0.65:
        hertz = sorted(random.randint(100, 6000) for _ in range(random.randint(2, 5)))
        lines.append("tone " + " ".join(f"{at} {round(255 * 10 ** -random.uniform(0, 1.3))}" for at in hertz))
    return "\n".join(lines) + "\n"
