import { describe, expect, test } from 'vitest';
import { applyDry } from '../../../src/core/sampling/dry.ts';
import { applyDynamicTemperature } from '../../../src/core/sampling/temperature.ts';
import { applyMinP } from '../../../src/core/sampling/min-p.ts';
import { applyPenalties } from '../../../src/core/sampling/penalties.ts';
import { applyTailFree } from '../../../src/core/sampling/tail-free.ts';
import { applyTemperature } from '../../../src/core/sampling/temperature.ts';
import { applyTopK } from '../../../src/core/sampling/top-k.ts';
import { applyTopNSigma } from '../../../src/core/sampling/top-n-sigma.ts';
import { applyTopP } from '../../../src/core/sampling/top-p.ts';
import { applyTypicalP } from '../../../src/core/sampling/typical.ts';
import { applyXtc } from '../../../src/core/sampling/xtc.ts';
import type { Candidates } from '../../../src/core/sampling/candidates.ts';
import { descendingProbabilities, fromProbabilities } from './helpers.ts';

/*
 * Probabilities in, parameter, probabilities out, as llama.cpp's tests/test-sampling.cpp has them (tail-free as of its
 * last version with that sampler). Tolerance 1e-5.
 */
function expectProbabilities(candidates: Candidates, expected: readonly number[]): void {
  const actual = descendingProbabilities(candidates);
  expect(actual).toHaveLength(expected.length);
  for (const [i, probability] of expected.entries())
    expect(Math.abs(actual[i]! - probability)).toBeLessThan(1e-5);
}

const ramp = [0.1, 0.2, 0.3, 0.4];

describe.each<
  [string, (candidates: Candidates, parameter: number) => Candidates, [number[], number, number[]][]]
>([
  [
    'temperature',
    applyTemperature,
    [
      [ramp, 1, [0.4, 0.3, 0.2, 0.1]],
      [ramp, 0, [1]],
    ],
  ],
  [
    'dynamic temperature with a range of 0',
    (candidates, temperature) =>
      applyDynamicTemperature(candidates, { temperature, dynatempRange: 0, dynatempExponent: 1 }),
    [
      [ramp, 1, [0.4, 0.3, 0.2, 0.1]],
      [ramp, 0, [1]],
    ],
  ],
  [
    'top n sigma',
    applyTopNSigma,
    [
      [ramp, 1, [0.571429, 0.428571]],
      [ramp, 0, [0.4, 0.3, 0.2, 0.1]],
      [ramp, 3, [0.4, 0.3, 0.2, 0.1]],
    ],
  ],
  [
    'xtc',
    (candidates, threshold) => applyXtc(candidates, { xtcProbability: 0.99, xtcThreshold: threshold }, 0.5),
    [
      [ramp, 0.09, [1]],
      [ramp, 0.19, [0.666667, 0.333333]],
      [ramp, 0.29, [0.5, 0.333333, 0.166667]],
      [ramp, 0.39, [0.4, 0.3, 0.2, 0.1]],
    ],
  ],
  [
    'top k',
    applyTopK,
    [
      [ramp, 1, [1]],
      [ramp, 3, [0.444444, 0.333333, 0.222222]],
      [ramp, 4, [0.4, 0.3, 0.2, 0.1]],
      [ramp, 0, [0.4, 0.3, 0.2, 0.1]],
    ],
  ],
  [
    'top p',
    applyTopP,
    [
      [ramp, 0, [1]],
      [ramp, 0.7, [0.571429, 0.428571]],
      [ramp, 0.8, [0.444444, 0.333333, 0.222222]],
      [ramp, 1, [0.4, 0.3, 0.2, 0.1]],
    ],
  ],
  [
    'min p',
    applyMinP,
    [
      [ramp, 0, [0.4, 0.3, 0.2, 0.1]],
      [ramp, 0.24, [0.4, 0.3, 0.2, 0.1]],
      [ramp, 0.26, [0.444444, 0.333333, 0.222222]],
      [ramp, 0.49, [0.444444, 0.333333, 0.222222]],
      [ramp, 0.51, [0.571429, 0.428571]],
      [ramp, 0.74, [0.571429, 0.428571]],
      [ramp, 0.76, [1]],
      [ramp, 1, [1]],
      [ramp, 1.05, [1]],
    ],
  ],
  [
    'tail-free',
    applyTailFree,
    [
      [[0.1, 0.15, 0.2, 0.25, 0.3], 0.25, [1]],
      [[0.1, 0.15, 0.2, 0.25, 0.3], 0.75, [0.545455, 0.454545]],
      [[0.1, 0.15, 0.2, 0.25, 0.3], 0.99, [0.545455, 0.454545]],
      [[0.1, 0.15, 0.2, 0.25, 0.3], 1, [0.3, 0.25, 0.2, 0.15, 0.1]],
      [[0.4, 0.6], 0, [0.6, 0.4]],
    ],
  ],
  [
    'typical p',
    applyTypicalP,
    [
      [[0.97, 0.01, 0.01, 0.01], 0.5, [1]],
      [[0.4, 0.2, 0.2, 0.2], 0.5, [0.333333, 0.333333, 0.333333]],
      [[0.4, 0.2, 0.2, 0.2], 1, [0.4, 0.2, 0.2, 0.2]],
    ],
  ],
])('%s', (_, apply, cases) => {
  test.each(cases)('%j with %d gives %j', (given, parameter, expected) => {
    expectProbabilities(apply(fromProbabilities(given), parameter), expected);
  });
});

describe('penalties', () => {
  const even = [0.2, 0.2, 0.2, 0.2, 0.2];
  test.each<[number[], number[]]>([
    [[0], [0.25, 0.25, 0.25, 0.25, 0]],
    [
      [0, 1, 2],
      [0.5, 0.5, 0, 0, 0],
    ],
    [
      [0, 1, 2, 0, 0],
      [0.5, 0.5, 0, 0, 0],
    ],
  ])('repeat 50, history %j', (history, expected) => {
    expectProbabilities(applyPenalties(fromProbabilities(even), history, { repeatPenalty: 50 }), expected);
  });
  test.each<[number[], number[]]>([
    [[0], [0.249997, 0.249997, 0.249997, 0.249997, 0.000011]],
    [
      [0, 1, 2],
      [0.499966, 0.499966, 0.000023, 0.000023, 0.000023],
    ],
    [
      [0, 1, 2, 0, 0],
      [0.499977, 0.499977, 0.000023, 0.000023, 0],
    ],
  ])('frequency 5 and presence 5, history %j', (history, expected) => {
    const penalties = { frequencyPenalty: 5, presencePenalty: 5 };
    expectProbabilities(applyPenalties(fromProbabilities(even), history, penalties), expected);
  });
});

describe('DRY', () => {
  const four = [0.25, 0.25, 0.25, 0.25];
  const five = [0.2, 0.2, 0.2, 0.2, 0.2];
  const dryBase = 1.1;
  test.each<[number[], number[], Parameters<typeof applyDry>[2], number[]]>([
    [four, [0, 1], { dryMultiplier: 1, dryBase, dryAllowedLength: 2, dryPenaltyLastN: 4 }, four],
    [
      four,
      [0, 1, 2, 0, 1],
      { dryMultiplier: 1, dryBase, dryAllowedLength: 2, dryPenaltyLastN: 5 },
      [0.296923, 0.296923, 0.296923, 0.109232],
    ],
    [
      five,
      [0, 1, 3, 4, 0, 1],
      {
        dryMultiplier: 1,
        dryBase,
        dryAllowedLength: 2,
        dryPenaltyLastN: 6,
        dryBreakers: new Map([[3, [[]]]]),
      },
      five,
    ],
    [
      five,
      [0, 1, 2, 0, 1],
      { dryMultiplier: 2, dryBase, dryAllowedLength: 2, dryPenaltyLastN: 5 },
      [0.241818, 0.241818, 0.241818, 0.241818, 0.032727],
    ],
    [
      five,
      [0, 1, 2, 3, 4, 0, 1],
      { dryMultiplier: 1, dryBase, dryAllowedLength: 4, dryPenaltyLastN: 7 },
      five,
    ],
  ])('%j after %j with %o', (given, history, options, expected) => {
    expectProbabilities(applyDry(fromProbabilities(given), history, options), expected);
  });
});
