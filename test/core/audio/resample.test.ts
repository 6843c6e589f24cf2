import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createResampler, resample, type SampleRates } from '../../../src/core/audio/resample.ts';
import { runs } from '../../thorough.ts';

const seconds = 0.25;
const pairs: SampleRates[] = [
  { fromHz: 48_000, toHz: 16_000 },
  { fromHz: 44_100, toHz: 16_000 },
  { fromHz: 22_050, toHz: 16_000 },
  { fromHz: 11_025, toHz: 16_000 },
  { fromHz: 8000, toHz: 16_000 },
  { fromHz: 22_050, toHz: 24_000 },
  { fromHz: 24_000, toHz: 16_000 },
  { fromHz: 96_000, toHz: 16_000 },
  { fromHz: 192_000, toHz: 16_000 },
  { fromHz: 44_101, toHz: 15_999 }, // too many phases for a table: interpolated
  { fromHz: 15_999, toHz: 44_101 },
];

describe('a sweep of tones', () => {
  it.each(pairs)('passes within 0.1 dB, without images: $fromHz → $toHz Hz', (rates) => {
    const edge = 0.9 * (Math.min(rates.fromHz, rates.toHz) / 2);
    for (let step = 1; step <= runs(25); step++) {
      const hertz = (edge * step) / runs(25);
      const { gainDb, restDb } = response(rates, hertz);
      expect(Math.abs(gainDb), `${hertz} Hz`).toBeLessThan(0.01);
      expect(restDb, `beside ${hertz} Hz`).toBeLessThan(-85);
    }
  });

  it.each(pairs.filter(({ fromHz, toHz }) => toHz < fromHz))(
    'folds nothing back above −80 dB: $fromHz → $toHz Hz',
    (rates) => {
      const [low, high] = [rates.toHz / 2, rates.fromHz / 2];
      for (let step = 0; step < runs(40); step++) {
        const hertz = low + ((high - low) * step) / runs(40);
        expect(levelDb(middle(resample(tone(rates.fromHz, hertz), rates))), `${hertz} Hz`).toBeLessThan(-85);
      }
    },
  );
});

describe('resample', () => {
  const rate = fc.oneof(
    fc.constantFrom(1000, 8000, 11_025, 16_000, 22_050, 24_000, 44_100, 48_000, 96_000),
    fc.integer({ min: 1000, max: 50_000 }),
  );
  const rates = fc.record({ fromHz: rate, toHz: rate });
  const samples = fc.float32Array({ min: -1, max: 1, noNaN: true, maxLength: 3000 });

  it('gives the same in pieces as in one, and the length that the rates tell', () => {
    const lengths = fc.array(fc.nat({ max: 1500 }), { maxLength: 8 });
    fc.assert(
      fc.property(samples, rates, lengths, (audio, pair, pieces) => {
        const whole = resample(audio, pair);
        expect(whole.length).toBe(Math.round((audio.length * pair.toHz) / pair.fromHz));
        const resampler = createResampler(pair);
        for (let use = 0; use < 2; use++) {
          const out: number[] = [];
          let at = 0;
          for (const length of pieces) {
            out.push(...resampler.push(audio.subarray(at, at + length)));
            at += length;
          }
          out.push(...resampler.push(audio.subarray(at)), ...resampler.flush());
          expect(Float32Array.from(out)).toEqual(whole);
        }
      }),
      { numRuns: runs(60) },
    );
  });

  it('holds no sample back for longer than the filter is', () => {
    for (const pair of pairs) {
      const out = createResampler(pair).push(new Float32Array(pair.fromHz));
      const lower = Math.min(pair.fromHz, pair.toHz);
      expect(pair.toHz - out.length).toBeLessThan((60 * pair.toHz) / lower);
    }
  });

  it('keeps a constant', () => {
    fc.assert(
      fc.property(rates, (pair) => {
        const out = middle(resample(new Float32Array(pair.fromHz).fill(0.5), pair));
        expect(Math.max(...out.map((value) => Math.abs(value - 0.5)))).toBeLessThan(1e-4);
      }),
      { numRuns: runs(30) },
    );
  });

  it.each([...pairs, { fromHz: 1000, toHz: 768_000 }, { fromHz: 767_999, toHz: 1000 }])(
    'puts an impulse where it was: $fromHz → $toHz Hz',
    (pair) => {
      const audio = new Float32Array(pair.fromHz);
      const place = Math.floor(pair.fromHz / 3);
      audio[place] = 1;
      const out = resample(audio, pair);
      let [weight, moment] = [0, 0];
      out.forEach((value, index) => {
        weight += value ** 2;
        moment += value ** 2 * index;
      });
      expect(moment / weight / pair.toHz).toBeCloseTo(place / pair.fromHz, 4);
    },
  );

  it('copies where nothing is to do', () => {
    const audio = Float32Array.of(0.1, -0.2, 0.3);
    const out = resample(audio, { fromHz: 16_000, toHz: 16_000 });
    expect(out).toEqual(audio);
    expect(out.buffer).not.toBe(audio.buffer);
  });

  it('has a table of bounded size', () => {
    // With a row for every phase these would take gigabytes.
    for (const pair of [
      { fromHz: 767_999, toHz: 1000 },
      { fromHz: 1000, toHz: 767_999 },
      { fromHz: 767_999, toHz: 768_000 },
    ]) {
      const before = process.memoryUsage().arrayBuffers;
      const resampler = createResampler(pair);
      expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(6e6);
      expect(resampler.push(new Float32Array(10)).length).toBe(0);
    }
  });

  it.each([
    [{ fromHz: 999, toHz: 16_000 }, 'fromHz: expected an integer from 1000 to 768000, got 999'],
    [{ fromHz: 16_000, toHz: 768_001 }, 'toHz: expected an integer from 1000 to 768000, got 768001'],
    [{ fromHz: 16_000.5, toHz: 16_000 }, 'fromHz: expected an integer from 1000 to 768000, got 16000.5'],
  ])('refuses %j', (pair, message) => {
    expect(() => createResampler(pair)).toThrow(new RangeError(message));
  });

  it('refuses what is no audio and no rate', () => {
    const pair = { fromHz: 8000, toHz: 16_000 };
    expect(() => resample([0] as unknown as Float32Array, pair)).toThrow(TypeError);
    expect(() => resample(new Float32Array(1), { ...pair, toHz: '16000' as unknown as number })).toThrow(
      new TypeError('toHz: expected a number, got string'),
    );
  });
});

function tone(rateHz: number, hertz: number): Float32Array {
  return Float32Array.from({ length: rateHz * seconds }, (_, index) =>
    Math.sin((2 * Math.PI * hertz * index) / rateHz + 0.7),
  );
}

/** Without the ends, where the filter sees the silence around. */
function middle(samples: Float32Array): Float32Array {
  return samples.subarray(Math.floor(samples.length * 0.3), Math.ceil(samples.length * 0.7));
}

/** Relative to a tone of amplitude 1. */
function levelDb(samples: ArrayLike<number>): number {
  let squares = 0;
  for (let index = 0; index < samples.length; index++) squares += samples[index]! ** 2;
  return 10 * Math.log10((2 * squares) / samples.length + 1e-30);
}

/** What becomes of a tone of amplitude 1: its level at its own time and phase, and the level of everything else. */
function response(rates: SampleRates, hertz: number): { gainDb: number; restDb: number } {
  const out = resample(tone(rates.fromHz, hertz), rates);
  const expected = out.map((_, index) => Math.sin((2 * Math.PI * hertz * index) / rates.toHz + 0.7));
  const [actual, reference] = [middle(out), middle(expected)];
  let [product, squares] = [0, 0];
  actual.forEach((value, index) => {
    product += value * reference[index]!;
    squares += reference[index]! ** 2;
  });
  const gain = product / squares;
  return {
    gainDb: 20 * Math.log10(gain),
    restDb: levelDb(actual.map((value, index) => value - gain * reference[index]!)),
  };
}
