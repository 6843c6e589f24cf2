import { describe, expect, test } from 'vitest';
import { createRng, createXoshiro } from '../../../src/core/sampling/rng.ts';

test('xoshiro128** gives what its C reference gives', () => {
  const words = (state: [number, number, number, number], count: number): number[] =>
    Array.from({ length: count }, createXoshiro(state).nextWord);
  expect(words([0x964d4a0c, 0xd40ab895, 0xad7fdecb, 0x3006f0f0], 4)).toEqual([
    0xf1391922, 0x6fe53806, 0xa5be2840, 0xf510ee70,
  ]);
  expect(words([1, 2, 3, 4], 5)).toEqual([11520, 0, 5927040, 70819200, 2031721883]);
});

test('SplitMix64 fills the state', () => {
  // Its first two outputs for the seed 1234567 are 6457827717110365317 and 3203168211198807973.
  const words = [6457827717110365317n, 3203168211198807973n].flatMap((word) => [
    word & 0xffffffffn,
    word >> 32n,
  ]);
  const [a, b, c, d] = words.map(Number) as [number, number, number, number];
  expect(createRng(1234567).next()).toBe(createXoshiro([a, b, c, d]).next());
});

describe('createRng', () => {
  test('same seed, same stream; neighbouring seeds differ', () => {
    const stream = (seed: number): number[] => {
      const rng = createRng(seed);
      return Array.from({ length: 20 }, () => rng.next());
    };
    expect(stream(5)).toEqual(stream(5));
    for (const seed of [0, 1, 2 ** 31, 2 ** 31 + 4, Number.MAX_SAFE_INTEGER - 1]) {
      expect(stream(seed)).not.toEqual(stream(seed + 1));
    }
  });

  test('numbers are in [0, 1), with mean 1/2 and variance 1/12', () => {
    const rng = createRng(0);
    const numbers = Array.from({ length: 100_000 }, () => rng.next());
    const mean = numbers.reduce((sum, x) => sum + x, 0) / numbers.length;
    const variance = numbers.reduce((sum, x) => sum + (x - mean) ** 2, 0) / numbers.length;
    expect(Math.min(...numbers.slice(0, 50_000))).toBeGreaterThanOrEqual(0);
    expect(Math.max(...numbers.slice(0, 50_000))).toBeLessThan(1);
    expect(mean).toBeCloseTo(0.5, 2);
    expect(variance).toBeCloseTo(1 / 12, 2);
  });

  test.each([-1, 0.5, Number.NaN, Infinity, 2 ** 53])('seed %d is refused', (seed) => {
    expect(() => createRng(seed)).toThrow(RangeError);
  });
});
