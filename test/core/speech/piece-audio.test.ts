import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fadeEdgesInPlace, restAfter, trimSilence } from '../../../src/core/speech/piece-audio.ts';

describe('restAfter', () => {
  it.each([
    ['bˈi.', 0.3],
    ['bˈi?"', 0.3],
    ['bˈi!)', 0.3],
    ['bˈi…', 0.45],
    ['bˈi;', 0.2],
    ['bˈi —', 0.2],
    ['bˈi, ', 0.12],
    ['bˈi', 0],
    ['', 0],
  ])('%j is %f s', (phonemes, seconds) => {
    expect(restAfter(phonemes)).toBe(seconds);
  });
});

describe('trimSilence', () => {
  const samples = Float32Array.of(0, 0.001, 0, 0.5, 0, -0.5, 0.001, Number.NaN, 0);

  it.each<[number, number[]]>([
    [0, [0.5, 0, -0.5]],
    [1, [0, 0.5, 0, -0.5, Math.fround(0.001)]],
    [100, [...samples]],
  ])('keeps a margin of %i', (margin, expected) => {
    expect([...trimSilence(samples, { threshold: 0.01, margin })]).toEqual(expected);
  });

  it.each([[[]], [[0, 0.001, Number.NaN]]])('leaves nothing of silence %j', (silence) => {
    expect(trimSilence(Float32Array.from(silence), { threshold: 0.01, margin: 5 })).toHaveLength(0);
  });
});

describe('fadeEdgesInPlace', () => {
  it('rises from zero and falls to zero, and leaves the middle alone', () => {
    const faded = fadeEdgesInPlace(new Float32Array(100).fill(1), 10);
    expect(faded[0]).toBe(0);
    expect(faded[5]).toBeCloseTo(0.5, 6);
    expect([...faded.subarray(10, 90)].every((sample) => sample === 1)).toBe(true);
    expect(faded[94]).toBeCloseTo(0.5, 6);
    expect(faded[99]).toBe(0);
  });

  it('takes no step larger than a fade of this length has to', () => {
    fc.assert(
      fc.property(fc.integer({ min: 2, max: 300 }), fc.integer({ min: 2, max: 200 }), (count, length) => {
        const faded = fadeEdgesInPlace(new Float32Array(count).fill(1), length);
        const steps = Math.min(length, count >> 1);
        const largest = faded
          .slice(1)
          .reduce((most, sample, at) => Math.max(most, Math.abs(sample - faded[at]!)), 0);
        expect(Math.max(faded[0]!, faded.at(-1)!)).toBe(0);
        expect(largest).toBeLessThanOrEqual(Math.PI / 2 / steps + 1e-6);
      }),
    );
  });

  it.each([0, 1])('%i samples are no trouble', (count) => {
    expect(fadeEdgesInPlace(new Float32Array(count).fill(1), 10)).toHaveLength(count);
  });
});
