import { describe, expect, test } from 'vitest';
import {
  candidatesFrom,
  candidatesInto,
  createCandidates,
  probabilities,
} from '../../../src/core/sampling/candidates.ts';
import { decay } from '../../../src/core/sampling/decay.ts';
import { drawToken } from '../../../src/core/sampling/draw.ts';
import { applyLogitBias } from '../../../src/core/sampling/logit-bias.ts';
import { createRng } from '../../../src/core/sampling/rng.ts';
import { selectDescending } from '../../../src/core/sampling/sort.ts';
import { sortDescendingInto } from '../../../src/core/sampling/sort.ts';
import { fromProbabilities, tokensOf } from './helpers.ts';

const largestFloat32 = 3.4028234663852886e38;

describe('candidatesFrom', () => {
  test.each<[string, number[], number[], number[]]>([
    ['all', [3, 1, 2, 0, -1], [0, 1, 2, 3, 4], [3, 1, 2, 0, -1]],
    ['NaN is no candidate', [1, Number.NaN, 2], [0, 2], [1, 2]],
    ['−∞ is no candidate', [-Infinity, 1, 2, 3, -Infinity], [1, 2, 3], [1, 2, 3]],
    ['+∞ is the largest float', [1, Infinity], [0, 1], [1, largestFloat32]],
    ['none', [-Infinity, Number.NaN], [], []],
  ])('%s', (_, logits, tokens, kept) => {
    const candidates = candidatesFrom(logits);
    expect(tokensOf(candidates)).toEqual(tokens);
    expect([...candidates.logits.subarray(0, candidates.size)]).toEqual(kept);
  });

  test('probabilities need not sum to 1', () => {
    expect([...probabilities(fromProbabilities([1, 0, 3]))]).toEqual(
      [0.25, 0.75].map((p) => expect.closeTo(p, 12)),
    );
  });

  test('a negative probability is refused', () => {
    expect(() => fromProbabilities([0.5, -0.5])).toThrow(
      new RangeError('probabilities[1]: expected a value of at least 0, got -0.5'),
    );
  });
});

describe('candidatesInto', () => {
  test('a mask leaves out tokens', () => {
    const allow = new Uint32Array(3);
    for (const token of [0, 31, 32, 69]) allow[token >> 5]! |= 1 << (token & 31);
    const logits = new Float32Array(70).fill(1);
    logits[32] = Number.NaN;
    expect(tokensOf(candidatesInto(createCandidates(70), logits, allow))).toEqual([0, 31, 69]);
  });

  test('too little room and too short masks are refused', () => {
    expect(() => candidatesInto(createCandidates(3), new Float32Array(4))).toThrow(RangeError);
    expect(() => candidatesInto(createCandidates(33), new Float32Array(33), new Uint32Array(1))).toThrow(
      RangeError,
    );
  });
});

test('exponentials agree with Math.exp to 4e-15', () => {
  let worst = 0;
  for (let x = 0; x < 80; x += 0.00731) worst = Math.max(worst, Math.abs(decay(x) / Math.exp(-x) - 1));
  expect(worst).toBeLessThan(4e-15);
  expect(decay(0)).toBe(1);
  expect(decay(1e300)).toBe(0);
});

describe('logit bias', () => {
  test('is added; tokens that are no candidates are passed over', () => {
    const bias = new Map([
      [1, 2.5],
      [7, 1],
    ]);
    expect([...applyLogitBias(candidatesFrom([1, 1, 1]), bias).logits]).toEqual([1, 3.5, 1]);
  });
  test('−∞ drops a token', () => {
    expect(tokensOf(applyLogitBias(candidatesFrom([1, 1, 1]), [[1, -Infinity]]))).toEqual([0, 2]);
  });
  test('NaN is refused', () => {
    expect(() => applyLogitBias(candidatesFrom([1]), [[0, Number.NaN]])).toThrow(TypeError);
  });
});

describe('drawToken', () => {
  test.each([
    [0, 0],
    [0.1999, 0],
    [0.2001, 2],
    [0.9999, 2],
    [1 - 2 ** -53, 2],
  ])('%d gives token %d', (uniform, token) => {
    expect(drawToken(fromProbabilities([0.2, 0, 0.8]), uniform)).toBe(token);
  });

  test('a token of probability 0 is never drawn', () => {
    expect(drawToken(candidatesFrom([0, 0, -5000]), 1 - 2 ** -53)).toBe(1);
  });

  test('without candidates there is nothing to draw', () => {
    expect(() => drawToken(candidatesFrom([]), 0.5)).toThrow(RangeError);
  });

  test('tokens come as often as they are likely (χ², 9 degrees of freedom, p = 0.001)', () => {
    const expected = [0.3, 0.2, 0.15, 0.1, 0.08, 0.06, 0.05, 0.03, 0.02, 0.01];
    const candidates = fromProbabilities(expected);
    const rng = createRng(2024);
    const draws = 100_000;
    const counts = expected.map(() => 0);
    for (let i = 0; i < draws; i++) counts[drawToken(candidates, rng.next())]!++;
    const statistic = counts.reduce(
      (sum, n, i) => sum + (n - draws * expected[i]!) ** 2 / (draws * expected[i]!),
      0,
    );
    expect(statistic).toBeLessThan(27.88);
  });
});

describe('sorting and selecting', () => {
  const rng = createRng(3);
  const shapes: [string, (i: number) => number][] = [
    ['random', () => rng.next()],
    ['few different', () => Math.floor(rng.next() * 5)],
    ['equal', () => 1],
    ['ascending', (i) => i],
    ['spread over many magnitudes', () => Math.exp(-600 * rng.next())],
    ['crowded beside one far away', (i) => (i === 5 ? 1e9 : rng.next())],
    ['subnormal', () => rng.next() * 1e-310],
  ];
  test.each(shapes)('%s', (_, valueOf) => {
    for (const size of [1, 2, 31, 33, 500, 20_000]) {
      const values = Float64Array.from({ length: size }, (_unused, i) => valueOf(i));
      const sorted = Float64Array.from(values).sort().toReversed();
      for (const rank of [0, size >> 1, size - 1]) {
        expect(selectDescending(Float64Array.from(values), size, rank)).toBe(sorted[rank]);
      }
      const into = new Float64Array(size);
      sortDescendingInto(into, values, size);
      expect(into).toEqual(sorted);
      sortDescendingInto(values, values, size);
      expect(values).toEqual(sorted);
    }
  });
});
