// Twenty recordings of ten seconds in which nobody speaks, the same wherever they are made: `node noises.js FOLDER` writes them as WAV files for noises.py.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const rate = 16_000;
const length = 10 * rate;

/** @param {number} seed @returns {() => number} uniform from −1 to 1, by a linear congruential generator */
function uniform(seed) {
  let state = seed;
  return () => (state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0) / 2 ** 31 - 1;
}

/** @param {(second: number) => number} wave */
const sampled = (wave) => Float32Array.from({ length }, (_, index) => wave(index / rate));

/** @param {Float32Array} samples @param {number} decibels of full scale, root mean square */
function atLevel(samples, decibels) {
  const power = samples.reduce((sum, sample) => sum + sample * sample, 0) / length;
  const gain = 10 ** (decibels / 20) / Math.sqrt(power);
  return samples.map((sample) => Math.max(-1, Math.min(1, sample * gain)));
}

/** @param {number} seed */
function white(seed) {
  const next = uniform(seed);
  return sampled(() => next());
}

/** Equal power in each octave: sums of noises that change at half the rate of the one before. @param {number} seed */
function pink(seed) {
  const next = uniform(seed);
  const rows = Array.from({ length: 12 }, next);
  return Float32Array.from({ length }, (_, index) => {
    for (const row of rows.keys()) if (index % 2 ** row === 0) rows[row] = next();
    return rows.reduce((sum, value) => sum + value, 0);
  });
}

/** @param {number} seed */
function brown(seed) {
  let sum = 0;
  return white(seed).map((step) => (sum = 0.998 * sum + step));
}

const sine = (/** @type {number} */ hertz, /** @type {number} */ second) =>
  Math.sin(2 * Math.PI * hertz * second);
/** A note with six partials. */
const note = (/** @type {number} */ hertz, /** @type {number} */ second) =>
  [1, 2, 3, 4, 5, 6].reduce((sum, partial) => sum + sine(partial * hertz, second) / partial ** 1.5, 0);
const key = (/** @type {number} */ semitones) => 220 * 2 ** (semitones / 12);

const chords = [
  [0, 4, 7],
  [5, 9, 12],
  [7, 11, 14],
  [0, 4, 12],
];
const scale = [0, 2, 4, 5, 7, 9, 11, 12];

/** @type {Readonly<Record<string, () => Float32Array>>} */
const makers = {
  ...Object.fromEntries(
    Object.entries({ white, pink, brown }).flatMap(([name, make], kind) =>
      [-20, -35, -50].map((level) => [`${name} ${level} dB`, () => atLevel(make(kind + 1), level)]),
    ),
  ),
  'hum -20 dB': () =>
    atLevel(
      sampled((second) => sine(50, second)),
      -20,
    ),
  'hum with harmonics -20 dB': () =>
    atLevel(
      sampled((second) => note(50, second)),
      -20,
    ),
  'hum and hiss -40 dB': () => {
    const hiss = uniform(7);
    return atLevel(
      sampled((second) => note(50, second) + hiss() / 4),
      -40,
    );
  },
  chords: () =>
    atLevel(
      sampled((second) => {
        const beat = second % 1;
        const sum = /** @type {number[]} */ (chords[Math.floor(second) % 4]).reduce(
          (all, one) => all + note(key(one), second),
          0,
        );
        return sum * Math.exp(-2 * beat) * Math.min(1, 50 * beat);
      }),
      -20,
    ),
  'a melody': () =>
    atLevel(
      sampled((second) => {
        const beat = (4 * second) % 1;
        return (
          note(key(12 + /** @type {number} */ (scale[(5 * Math.floor(4 * second)) % 8])), second) *
          Math.exp(-3 * beat) *
          Math.min(1, 20 * beat)
        );
      }),
      -20,
    ),
  'an organ': () =>
    atLevel(
      sampled((second) =>
        /** @type {number[]} */ (chords[Math.floor(second / 2.5)]).reduce(
          (sum, one) => sum + note(key(one), second),
          0,
        ),
      ),
      -20,
    ),
  drums: () => {
    const next = uniform(9);
    return atLevel(
      sampled((second) => {
        const beat = second % 0.5;
        const kick = second % 1 < 0.5 ? sine(60, beat) * Math.exp(-12 * beat) : 0;
        return kick + next() * Math.exp(-(second % 1 < 0.5 ? 60 : 18) * (second % 0.25)) * 0.5;
      }),
      -20,
    );
  },
  clicks: () => {
    const next = uniform(11);
    return sampled((second) => 0.8 * next() * Math.exp(-400 * ((second * 3.7) % 1)));
  },
  wind: () => {
    const noise = pink(13);
    return atLevel(
      noise.map((sample, index) => sample * (1.1 + sine(0.3, index / rate) * sine(0.11, index / rate))),
      -25,
    );
  },
  'a telephone ringing': () =>
    atLevel(
      sampled((second) => (second % 4 < 2 ? sine(440, second) + sine(480, second) : 0)),
      -20,
    ),
  silence: () => new Float32Array(length),
};

export const names = Object.keys(makers);

/** @param {string} name @returns {Uint8Array} a WAV file of 16 bits */
export function recordingOf(name) {
  const samples = /** @type {() => Float32Array} */ (makers[name])();
  const file = Buffer.alloc(44 + 2 * length);
  file.write('RIFF', 0);
  file.writeUInt32LE(36 + 2 * length, 4);
  file.write('WAVEfmt ', 8);
  file.writeUInt32LE(16, 16);
  file.writeUInt16LE(1, 20);
  file.writeUInt16LE(1, 22);
  file.writeUInt32LE(rate, 24);
  file.writeUInt32LE(2 * rate, 28);
  file.writeUInt16LE(2, 32);
  file.writeUInt16LE(16, 34);
  file.write('data', 36);
  file.writeUInt32LE(2 * length, 40);
  samples.forEach((sample, index) => file.writeInt16LE(Math.round(sample * 32_767), 44 + 2 * index));
  return file;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const folder = process.argv[2];
  if (folder === undefined) throw new Error('expected a folder');
  mkdirSync(folder, { recursive: true });
  for (const name of names) writeFileSync(join(folder, `${name}.wav`), recordingOf(name));
}
