import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { candidatesFrom, probabilities, type Candidates } from '../../../src/core/sampling/candidates.ts';
import { applyDry } from '../../../src/core/sampling/dry.ts';
import type { DryBreakers } from '../../../src/core/sampling/dry-breakers.ts';
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
import {
  anyLogits,
  distributionOf,
  smoothLogits,
  tiedLogits,
  tokensOf,
  unit,
  wildLogits,
} from './helpers.ts';
import * as reference from './reference.ts';
import { runs } from '../../thorough.ts';

type Apply = (candidates: Candidates, parameter: number) => Candidates;
type Reference = (distribution: reference.Distribution, parameter: number) => reference.Distribution;

const count = fc.integer({ min: 0, max: 500 });

const truncating: [string, Apply, Reference, fc.Arbitrary<number>][] = [
  ['top k', applyTopK, reference.topK, count],
  ['top p', applyTopP, reference.topP, unit],
  ['min p', applyMinP, reference.minP, unit],
  ['typical p', applyTypicalP, reference.typicalP, unit],
  ['tail-free', applyTailFree, reference.tailFree, unit],
  [
    'xtc',
    (candidates, threshold) => applyXtc(candidates, { xtcProbability: 1, xtcThreshold: threshold }, 0.5),
    reference.xtc,
    unit,
  ],
];

const sum = (values: ArrayLike<number>): number =>
  Array.from(values).reduce((total, value) => total + value, 0);

describe.each(truncating)('%s', (_, apply, expected, parameters) => {
  test('is what the definition says', () => {
    fc.assert(
      fc.property(anyLogits, parameters, (logits, parameter) => {
        const kept = expected(distributionOf(logits), parameter).map(([token]) => token);
        expect(tokensOf(apply(candidatesFrom(logits), parameter))).toEqual(kept);
      }),
      { numRuns: runs(400) },
    );
  });

  test('keeps a non-empty subset with its logits, in order', () => {
    fc.assert(
      fc.property(wildLogits, parameters, (logits, parameter) => {
        const before = candidatesFrom(logits);
        const size = before.size;
        const given = new Map(tokensOf(before).map((token, i) => [token, before.logits[i]]));
        const after = apply(before, parameter);
        expect(after.size).toBeGreaterThanOrEqual(Math.min(size, 1));
        expect(after.size).toBeLessThanOrEqual(size);
        const tokens = tokensOf(after);
        for (const [i, token] of tokens.entries()) {
          expect(after.logits[i]).toBe(given.get(token));
          if (i > 0) expect(token).toBeGreaterThan(tokens[i - 1]!);
        }
        if (size > 0) expect(sum(probabilities(after))).toBeCloseTo(1, 9);
      }),
    );
  });

  test('depends on differences of logits only', () => {
    fc.assert(
      fc.property(tiedLogits, parameters, fc.integer({ min: -50, max: 50 }), (logits, parameter, shift) => {
        const shifted = logits.map((logit) => logit + shift);
        expect(tokensOf(apply(candidatesFrom(shifted), parameter))).toEqual(
          tokensOf(apply(candidatesFrom(logits), parameter)),
        );
      }),
    );
  });

  test('its neutral value keeps all', () => {
    const neutral = apply === applyTopK || apply === applyMinP ? 0 : 1;
    fc.assert(
      fc.property(anyLogits, (logits) => {
        expect(apply(candidatesFrom(logits), neutral)).toEqual(candidatesFrom(logits));
      }),
    );
  });

  test('NaN is refused', () => {
    expect(() => apply(candidatesFrom([0, 1]), Number.NaN)).toThrow(TypeError);
  });

  test('an empty set stays empty', () => {
    expect(apply(candidatesFrom([]), 0.5).size).toBe(0);
  });
});

describe('idempotence', () => {
  test.each<[string, Apply, fc.Arbitrary<number>]>([
    ['top k', applyTopK, count],
    ['min p', applyMinP, unit],
  ])('%s', (_, apply, parameters) => {
    fc.assert(
      fc.property(anyLogits, parameters, (logits, parameter) => {
        const once = apply(candidatesFrom(logits), parameter);
        const tokens = tokensOf(once);
        expect(tokensOf(apply(once, parameter))).toEqual(tokens);
      }),
    );
  });
});

describe('many candidates', () => {
  const random = (size: number, logitOf: (i: number) => number): Float32Array =>
    Float32Array.from({ length: size }, (_, i) => logitOf(i));
  const noise = (i: number): number =>
    Math.sin(i * 12.9898) * 43758.5453 - Math.floor(Math.sin(i * 12.9898) * 43758.5453);
  const shapes: [string, Float32Array][] = [
    ['equal', random(6000, () => 1)],
    ['flat', random(6000, noise)],
    ['very flat', random(6000, (i) => 1e-3 * noise(i))],
    ['ascending', random(6000, (i) => i / 300)],
    ['descending', random(6000, (i) => -i / 300)],
    ['zipf', random(6000, (i) => -1.2 * Math.log(1 + ((i * 1237) % 6000)) + noise(i))],
    ['peaked', random(6000, (i) => 4 * noise(i) + (i === 4321 ? 25 : 0))],
    ['two levels', random(6000, (i) => (i % 3 === 0 ? 1 : 0))],
    ['crowded', random(6000, (i) => (i === 17 ? 40 : 1e-6 * noise(i)))],
    ['masked by a large number', random(6000, (i) => (i % 2 === 0 ? -65504 : 4 * noise(i)))],
  ];
  describe.each(shapes)('%s', (_, logits) => {
    test.each(truncating)('%s', (name, apply, expected) => {
      for (const parameter of name === 'top k'
        ? [1, 40, 500, 3000, 5999]
        : [0, 0.05, 0.5, 0.9, 0.95, 0.999]) {
        const kept = expected(distributionOf(logits), parameter).map(([token]) => token);
        expect(tokensOf(apply(candidatesFrom(logits), parameter))).toEqual(kept);
      }
    });
  });
});

describe('top n sigma', () => {
  test('is what the definition says', () => {
    // Not multiples at which a logit could lie on the bound itself.
    const multiples = fc.integer({ min: -1, max: 5 }).map((n) => (n * Math.SQRT2) / 3);
    fc.assert(
      fc.property(smoothLogits, multiples, (logits, n) => {
        const kept = reference.topNSigma(distributionOf(logits), n).map(([token]) => token);
        expect(tokensOf(applyTopNSigma(candidatesFrom(logits), n))).toEqual(kept);
      }),
    );
  });

  test.each([0.5, 3, 1e300, Infinity])('keeps equals and one at least: %d', (n) => {
    fc.assert(
      fc.property(wildLogits, (logits) => {
        const size = candidatesFrom(logits).size;
        expect(applyTopNSigma(candidatesFrom(logits), n).size).toBeGreaterThanOrEqual(Math.min(size, 1));
        expect(applyTopNSigma(candidatesFrom(logits.map(() => 7)), n).size).toBe(logits.length);
      }),
    );
  });
});

describe('xtc', () => {
  test.each<[probability: number, uniform: number, size: number]>([
    [0, 0, 4],
    [0.3, 0.29, 1],
    [0.3, 0.3, 4],
    [1, 0.999, 1],
  ])('with probability %d and a draw of %d keeps %d', (probability, uniform, size) => {
    const options = { xtcProbability: probability, xtcThreshold: 0 };
    expect(applyXtc(candidatesFrom([4, 3, 2, 1]), options, uniform).size).toBe(size);
  });
});

describe('dynamic temperature', () => {
  test('is what the definition says', () => {
    const tenths = fc.integer({ min: 0, max: 20 }).map((n) => n / 10);
    fc.assert(
      fc.property(anyLogits, tenths, tenths, tenths, (logits, t, range, exponent) => {
        fc.pre(range > 0);
        const expected = reference.dynamicTemperature(distributionOf(logits), t, { range, exponent });
        const options = { temperature: t, dynatempRange: range, dynatempExponent: exponent };
        const actual = applyDynamicTemperature(candidatesFrom(logits), options);
        expect(tokensOf(actual)).toEqual(expected.map(([token]) => token));
        const chances = probabilities(actual);
        for (const [i, chance] of reference.softmax(expected.map(([, logit]) => logit)).entries())
          expect(chances[i]).toBeCloseTo(chance, 9);
      }),
    );
  });

  test('is lowest for a sure model and highest for an even one', () => {
    const options = { temperature: 1, dynatempRange: 0.5, dynatempExponent: 1 };
    const [sure, even] = [candidatesFrom([800, 0, -8]), candidatesFrom([1, 1, 1 - 1e-9])];
    applyDynamicTemperature(sure, options);
    applyDynamicTemperature(even, options);
    expect(sure.logits[2]! - sure.logits[1]!).toBeCloseTo(-8 / 0.5, 9);
    expect(even.logits[2]! - even.logits[1]!).toBeCloseTo(-1e-9 / 1.5, 14);
  });
});

describe('DRY', () => {
  const sequence = fc.array(fc.nat(3), { minLength: 1, maxLength: 3 });
  const toBreakers = (sequences: readonly (readonly number[])[]): DryBreakers => {
    const breakers = new Map<number, number[][]>();
    for (const [head, ...tail] of sequences) breakers.set(head!, [...(breakers.get(head!) ?? []), tail]);
    return breakers;
  };

  test('is what the definition says', () => {
    fc.assert(
      fc.property(
        fc.array(fc.nat(4), { maxLength: 60 }),
        fc.array(sequence, { maxLength: 3 }),
        fc.record({
          multiplier: fc.constantFrom(0.5, 1),
          base: fc.constantFrom(1, 1.5),
          allowedLength: fc.nat(4),
          lastN: fc.integer({ min: -1, max: 40 }),
        }),
        // Not all tokens are candidates.
        fc.constantFrom([0, 0, 0, 0, 0], [1, -Infinity, 2, 3, 4]),
        (history, breakers, options, logits) => {
          const expected = reference.dry(distributionOf(logits), history, { ...options, breakers });
          const given = {
            dryMultiplier: options.multiplier,
            dryBase: options.base,
            dryAllowedLength: options.allowedLength,
            dryPenaltyLastN: options.lastN,
            dryBreakers: toBreakers(breakers),
          };
          const actual = applyDry(candidatesFrom(logits), history, given);
          expect(tokensOf(actual).map((token, i) => [token, actual.logits[i]])).toEqual(expected);
        },
      ),
      { numRuns: runs(1000) },
    );
  });

  test('its penalty is bounded', () => {
    const history = Array.from({ length: 500 }, () => 1);
    const { logits } = applyDry(candidatesFrom([0, 0]), history, { dryMultiplier: 1, dryBase: 8 });
    expect([...logits]).toEqual([0, -(8 ** 42)]);
  });

  test.each(['dryMultiplier', 'dryBase', 'dryAllowedLength', 'dryPenaltyLastN'])(
    'NaN is refused as %s',
    (name) => {
      const options = { dryMultiplier: 1, [name]: Number.NaN };
      expect(() => applyDry(candidatesFrom([0]), [], options)).toThrow(TypeError);
    },
  );
});

describe('temperature', () => {
  test('is what the definition says', () => {
    fc.assert(
      fc.property(anyLogits, fc.integer({ min: 1, max: 40 }), (logits, twentieths) => {
        const t = twentieths / 20;
        const expected = reference.temperature(distributionOf(logits), t).map(([, logit]) => logit);
        const actual = probabilities(applyTemperature(candidatesFrom(logits), t));
        for (const [i, probability] of reference.softmax(expected).entries()) {
          expect(actual[i]).toBeCloseTo(probability, 10);
        }
      }),
    );
  });

  test('0 keeps the first of the largest', () => {
    fc.assert(
      fc.property(tiedLogits, (logits) => {
        expect(tokensOf(applyTemperature(candidatesFrom(logits), 0))).toEqual([
          logits.indexOf(Math.max(...logits)),
        ]);
      }),
    );
  });

  test.each([Number.MIN_VALUE, 1e-40, 1e-10, 2])('%d gives probabilities, whatever the logits', (t) => {
    fc.assert(
      fc.property(wildLogits, (logits) => {
        const candidates = applyTemperature(candidatesFrom(logits), t);
        if (candidates.size > 0) expect(sum(probabilities(candidates))).toBeCloseTo(1, 9);
      }),
    );
  });
});

describe('penalties', () => {
  const penaltyParameters = fc.record({
    repeat: fc.constantFrom(0.5, 1, 1.1, 3),
    frequency: fc.constantFrom(-2, 0, 0.25, 2),
    presence: fc.constantFrom(-2, 0, 0.5, 2),
  });

  test('are what the definition says', () => {
    fc.assert(
      fc.property(
        smoothLogits,
        fc.array(fc.nat(320), { maxLength: 150 }),
        penaltyParameters,
        (logits, history, given) => {
          const { repeat: repeatPenalty, frequency: frequencyPenalty, presence: presencePenalty } = given;
          const expected = reference
            .penalties(distributionOf(logits), history, given)
            .map(([, logit]) => logit);
          const { logits: actual } = applyPenalties(candidatesFrom(logits), history, {
            repeatPenalty,
            frequencyPenalty,
            presencePenalty,
          });
          for (const [i, logit] of expected.entries()) expect(actual[i]).toBeCloseTo(logit, 9);
        },
      ),
    );
  });

  test('a repeat penalty of 0 acts as the limit', () => {
    const { logits } = applyPenalties(candidatesFrom([2, -2, 0, 1]), [0, 1, 2], { repeatPenalty: 0 });
    expect([...logits]).toEqual([3.4028234663852886e38, -0, 0, 1]);
  });

  test('only the last 64 tokens count', () => {
    const history = [0, ...Array.from({ length: 64 }, () => 1)];
    const { logits } = applyPenalties(candidatesFrom([2, 2]), history, {
      repeatPenalty: 2,
      frequencyPenalty: 0.5,
    });
    expect([...logits]).toEqual([2, 1 - 32]);
  });

  test('what is no token penalises nothing', () => {
    const history = [-1, 0.5, Number.NaN, 2 ** 32, 7];
    expect(applyPenalties(candidatesFrom([2, 2]), history, { presencePenalty: 1 })).toEqual(
      candidatesFrom([2, 2]),
    );
  });
});
