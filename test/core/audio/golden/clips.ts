/** The clips of `generate.py`, by the same formulas. */
export const clips: readonly Float32Array[] = [
  fromFormula(1, () => 0),
  fromFormula(1, (t) => 0.5 * tone(t, 440)),
  fromFormula(0.4, (t) => 0.5 * tone(t, 440)),
  fromFormula(2, (t) => 0.8 * tone(t ** 2, 1900)),
  withNoise(
    0.3,
    fromFormula(1, () => 0),
  ),
  withNoise(
    1e-4,
    fromFormula(1, () => 0),
  ),
  fromFormula(1, (_, index) => (index % 1234 === 0 ? 1 : 0)),
  fromFormula(2, vowel),
  withNoise(0.01, fromFormula(2, vowel)),
  withNoise(
    1e-3,
    fromFormula(1, (t) => 0.3 * tone(t, 220) + 0.2 * tone(t, 1330) + 0.1 * tone(t, 6100)),
  ),
];

function fromFormula(seconds: number, formula: (t: number, index: number) => number): Float32Array {
  return Float32Array.from({ length: Math.round(seconds * 16_000) }, (_, index) =>
    formula(index / 16_000, index),
  );
}

function withNoise(level: number, samples: Float32Array): Float32Array {
  let state = 1;
  return samples.map((sample) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return sample + level * (state / 2 ** 31 - 1);
  });
}

function tone(t: number, hertz: number): number {
  return Math.sin(2 * Math.PI * hertz * t);
}

/** Harmonics of a pitch that falls from 140 to 100 Hz, under three formants, in syllables. */
function vowel(t: number): number {
  const cycles = 140 * t - 10 * t ** 2;
  let total = 0;
  for (let harmonic = 1; harmonic < 25; harmonic++) {
    let level = 0.01;
    for (const formant of [700, 1220, 2600]) level += Math.exp(-(((120 * harmonic - formant) / 120) ** 2));
    total += level * Math.sin(2 * Math.PI * harmonic * cycles);
  }
  return 0.2 * total * Math.sin(Math.PI * 2.5 * t) ** 2;
}
