import { describe, expect, test } from 'vitest';
import { candidatesFrom, type Candidates } from '../../../src/core/sampling/candidates.ts';
import { drawToken } from '../../../src/core/sampling/draw.ts';
import { createMirostat } from '../../../src/core/sampling/mirostat.ts';
import { createRng } from '../../../src/core/sampling/rng.ts';
import { fromProbabilities, tokensOf } from './helpers.ts';

const eighths = [1 / 2, 1 / 4, 1 / 8, 1 / 16, 1 / 16];

describe('version 2', () => {
  const mirostat = (tau: number, eta = 0.1) =>
    createMirostat({ mirostatMode: 2, mirostatTau: tau, mirostatEta: eta, vocabularySize: 5 });

  test.each([
    [2.25, [0, 1, 2, 3, 4]],
    [1.75, [0, 1, 2]],
    [1.25, [0, 1]],
    [0.75, [0]],
    [0, [0]],
  ])('with τ %d, candidates of at most 2 τ bits stay: %j', (tau, tokens) => {
    expect(tokensOf(mirostat(tau).apply(fromProbabilities(eighths)))).toEqual(tokens);
  });

  test('candidates of just 2 τ bits stay, however that is rounded', () => {
    for (let size = 2; size < 60; size++) {
      const even = candidatesFrom(new Float32Array(size).fill(1 / 3));
      expect(mirostat(Math.log2(size) / 2).apply(even).size).toBe(size);
    }
  });

  test('too strict, it keeps the first of the most likely', () => {
    expect(tokensOf(mirostat(0.1).apply(fromProbabilities([0.2, 0.4, 0.4])))).toEqual([1]);
  });

  test('μ moves by η times the miss, with what is left renormalized', () => {
    const steered = mirostat(1.25, 0.2);
    expect(steered.mu).toBe(2.5);
    const candidates = steered.apply(fromProbabilities(eighths)); // 1/2 and 1/4 stay: 2/3 and 1/3
    steered.update(candidates, 1);
    expect(steered.mu).toBeCloseTo(2.5 - 0.2 * (Math.log2(3) - 1.25), 12);
    steered.update(candidates, 0);
    expect(steered.mu).toBeCloseTo(2.5 - 0.2 * (Math.log2(3) - 1.25) - 0.2 * (Math.log2(1.5) - 1.25), 12);
  });
});

describe('version 1', () => {
  const zipf = (exponent: number, size: number): Candidates =>
    candidatesFrom(Array.from({ length: size }, (_, rank) => -exponent * Math.log(rank + 1)));

  test.each([
    [1.5, 2, 1000],
    [1.1, 3, 1000],
    [0.9, 4, 1000],
    [2, 5, 50],
  ])('Zipf exponent %d, τ %d, %d tokens: k as the paper has it', (exponent, tau, size) => {
    const excess = exponent - 1;
    const k = ((excess * 2 ** (2 * tau)) / (1 - size ** -excess)) ** (1 / exponent);
    const mirostat = createMirostat({
      mirostatMode: 1,
      mirostatTau: tau,
      mirostatEta: 0.1,
      vocabularySize: size,
    });
    expect(mirostat.apply(zipf(exponent, size)).size).toBe(Math.max(1, Math.min(size, Math.floor(k))));
  });

  test('an exponent of 1 takes the limit', () => {
    const mirostat = createMirostat({
      mirostatMode: 1,
      mirostatTau: 3,
      mirostatEta: 0.1,
      vocabularySize: 1000,
    });
    expect(mirostat.apply(zipf(1, 1000)).size).toBe(Math.floor(2 ** 6 / Math.log(1000)));
  });

  test.each<[string, number[], number]>([
    ['one candidate', [0], 0.5],
    ['two candidates', [0, 1], 3],
    ['equal candidates', [0, 0, 0], 3],
    ['equal candidates at k = 1', [0, 0, 0], 0.5],
    ['hopeless candidates', [0, -1e38, -3e38], 10],
  ])('%s: at least one stays and μ stays finite', (_, logits, tau) => {
    const mirostat = createMirostat({
      mirostatMode: 1,
      mirostatTau: tau,
      mirostatEta: 1,
      vocabularySize: logits.length,
    });
    for (let i = 0; i < 3; i++) {
      const candidates = mirostat.apply(candidatesFrom(logits));
      mirostat.update(candidates, drawToken(candidates, 0.5));
    }
    expect(Number.isFinite(mirostat.mu)).toBe(true);
  });
});

test.each<[1 | 2, number]>([
  [1, 3],
  [1, 5],
  [2, 3],
  [2, 5],
])('version %d: the mean surprise approaches τ = %d', (mode, tau) => {
  const mirostat = createMirostat({
    mirostatMode: mode,
    mirostatTau: tau,
    mirostatEta: 0.1,
    vocabularySize: 2000,
  });
  const rng = createRng(1);
  const steps = 3000;
  const logits = Float32Array.from({ length: 2000 }, (_, rank) => -1.1 * Math.log(rank + 1));
  let surprise = 0;
  for (let step = 0; step < steps; step++) {
    const candidates = mirostat.apply(candidatesFrom(logits));
    const before = mirostat.mu;
    mirostat.update(candidates, drawToken(candidates, rng.next()));
    surprise += (before - mirostat.mu) / 0.1 + tau;
  }
  expect(surprise / steps).toBeCloseTo(tau, 1);
});

test('options out of their domain are refused', () => {
  const options = { mirostatMode: 1, mirostatTau: 5, mirostatEta: 0.1, vocabularySize: 10 };
  expect(() => createMirostat({ ...options, mirostatMode: 3 })).toThrow(RangeError);
  expect(() => createMirostat({ ...options, mirostatTau: Number.NaN })).toThrow(TypeError);
  expect(() => createMirostat(options).update(candidatesFrom([1, 2]), 2)).toThrow(RangeError);
});
