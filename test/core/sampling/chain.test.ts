import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { resolveParameters } from '../../../src/core/parameters/descriptor.ts';
import { samplingParameters, type SamplingParameters } from '../../../src/core/sampling/samplers.ts';
import { candidatesFrom, probabilities, type Candidates } from '../../../src/core/sampling/candidates.ts';
import { createChain, type Chain } from '../../../src/core/sampling/chain.ts';
import { applyDry } from '../../../src/core/sampling/dry.ts';
import type { DryBreakers } from '../../../src/core/sampling/dry-breakers.ts';
import { applyDynamicTemperature } from '../../../src/core/sampling/temperature.ts';
import { applyLogitBias } from '../../../src/core/sampling/logit-bias.ts';
import { applyMinP } from '../../../src/core/sampling/min-p.ts';
import { createMirostat } from '../../../src/core/sampling/mirostat.ts';
import { applyPenalties } from '../../../src/core/sampling/penalties.ts';
import { createRng } from '../../../src/core/sampling/rng.ts';
import { applyTailFree } from '../../../src/core/sampling/tail-free.ts';
import { applyTopK } from '../../../src/core/sampling/top-k.ts';
import { applyTopNSigma } from '../../../src/core/sampling/top-n-sigma.ts';
import { applyTopP } from '../../../src/core/sampling/top-p.ts';
import { applyTypicalP } from '../../../src/core/sampling/typical.ts';
import { applyXtc } from '../../../src/core/sampling/xtc.ts';
import { tokensOf } from './helpers.ts';
import { runs } from '../../thorough.ts';

const seed = 5;
const dryBreakers: DryBreakers = new Map([
  [3, [[]]],
  [5, [[6]]],
]);

type Bias = readonly (readonly [number, number])[];

function chainOfAll(parameters: SamplingParameters, logitBias: Bias, vocabularySize: number): Chain {
  const context = { rng: createRng(seed), vocabularySize, isWord: () => true, dryBreakers };
  return createChain(parameters, logitBias, context);
}

/** None where nothing is left out. */
function maskWithout(excluded: readonly number[], length: number): Uint32Array | undefined {
  if (excluded.length === 0) return undefined;
  const mask = new Uint32Array(Math.ceil(length / 32)).fill(0xffff_ffff);
  for (const token of excluded) mask[token >>> 5]! &= ~(1 << (token & 31));
  return mask;
}

/** The order that the chain promises, one function after the other. */
function composed(
  logits: ArrayLike<number>,
  given: SamplingParameters,
  bias: Bias,
  history: readonly number[],
): Candidates {
  const candidates = applyPenalties(applyLogitBias(candidatesFrom(logits), bias), history, given);
  const isTruncated = given.temperature > 0 && given.mirostatMode === 0;
  if (given.mirostatMode === 0) applyDry(candidates, history, { ...given, dryBreakers });
  if (isTruncated) {
    applyTopNSigma(candidates, given.topNSigma);
    applyTopK(candidates, given.topK);
    applyTailFree(candidates, given.tfsZ);
    applyTypicalP(candidates, given.typicalP);
    applyTopP(candidates, given.topP);
    applyMinP(candidates, given.minP);
    applyXtc(candidates, given, createRng(seed).next());
  }
  applyDynamicTemperature(candidates, { ...given, ...(!isTruncated && { dynatempRange: 0 }) });
  const { mirostatMode, mirostatTau, mirostatEta } = given;
  if (given.temperature === 0 || mirostatMode === 0) return candidates;
  const vocabularySize = logits.length;
  return createMirostat({ mirostatMode, mirostatTau, mirostatEta, vocabularySize }).apply(candidates);
}

function expectSameAsComposed(
  logits: Float32Array,
  parameters: Partial<SamplingParameters>,
  bias: Bias = [],
  history: readonly number[] = [],
  excluded: readonly number[] = [],
): void {
  const resolved = resolveParameters(samplingParameters, parameters);
  const chain = chainOfAll(resolved, bias, logits.length);
  for (const token of history) chain.accept(token);
  const before = Float32Array.from(logits);
  const actual = chain.run(logits, maskWithout(excluded, logits.length));
  const left = new Set(excluded);
  const allowed = logits.map((logit, token) => (left.has(token) ? -Infinity : logit));
  const expected = composed(allowed, resolved, bias, history);
  expect(tokensOf(actual).join()).toBe(tokensOf(expected).join());
  const chances = probabilities(actual);
  const differences = probabilities(expected).map((chance, i) => Math.abs(chances[i]! - chance));
  expect(differences.filter((difference) => !(difference < 1e-6))).toHaveLength(0);
  expect(Buffer.from(logits.buffer).equals(Buffer.from(before.buffer))).toBe(true);
}

const percent = fc.integer({ min: 0, max: 100 }).map((n) => n / 100);
const orNeutral = <T>(neutral: T, values: fc.Arbitrary<T>): fc.Arbitrary<T> =>
  fc.oneof(fc.constant(neutral), values);

const anyParameters: fc.Arbitrary<Partial<SamplingParameters>> = fc.record({
  temperature: fc.constantFrom(0, 0.1, 0.7, 1, 2),
  topP: orNeutral(1, percent),
  frequencyPenalty: fc.constantFrom(-2, 0, 0.5, 2),
  presencePenalty: fc.constantFrom(-2, 0, 0.5, 2),
  repeatPenalty: fc.constantFrom(0, 0.5, 1, 1.1, 3),
  topK: orNeutral(0, fc.integer({ min: 1, max: 50 })),
  minP: orNeutral(0, percent),
  typicalP: orNeutral(1, percent),
  tfsZ: orNeutral(1, percent),
  mirostatMode: fc.constantFrom(0, 0, 0, 0, 1, 2),
  dryMultiplier: fc.constantFrom(0, 0, 0.8),
  dryBase: fc.constantFrom(1, 1.75),
  dryAllowedLength: fc.nat(3),
  dryPenaltyLastN: fc.constantFrom(-1, 0, 20),
  xtcProbability: fc.constantFrom(0, 0, 0.5, 1),
  xtcThreshold: fc.constantFrom(0.05, 0.1, 0.6),
  topNSigma: fc.constantFrom(-1, -1, 0, 1, 2.5),
  dynatempRange: fc.constantFrom(0, 0, 0.5, 2),
  dynatempExponent: fc.constantFrom(0.5, 1, 3),
});

const vocabularies = fc
  .array(fc.oneof({ arbitrary: fc.float({ min: -20, max: 20 }), weight: 9 }, fc.float()), {
    minLength: 1,
    maxLength: 200,
  })
  .map((logits) => Float32Array.from(logits));

test('equals its samplers one after the other', () => {
  fc.assert(
    fc.property(
      vocabularies.chain((logits) =>
        fc.tuple(
          fc.constant(logits),
          fc.uniqueArray(fc.tuple(fc.nat(logits.length - 1), fc.integer({ min: -100, max: 100 })), {
            selector: ([token]) => token,
          }),
          fc.array(fc.nat(logits.length - 1), { maxLength: 100 }),
          orNeutral([], fc.array(fc.nat(logits.length - 1), { maxLength: 150 })),
        ),
      ),
      anyParameters,
      ([logits, bias, history, excluded], parameters) => {
        expectSameAsComposed(
          logits,
          parameters,
          bias.sort(([a], [b]) => a - b),
          history,
          excluded,
        );
      },
    ),
    { numRuns: runs(600) },
  );
});

test('spares tokens of a large vocabulary as if they had not been said', () => {
  const logits = Float32Array.from({ length: 20_000 }, (_, i) => Math.sin(i * i));
  const said = Array.from({ length: 60 }, (_, i) => i * 331);
  const resolved = resolveParameters(samplingParameters, { repeatPenalty: 1.3, frequencyPenalty: 0.4 });
  const isPenalized = (token: number): boolean => token % 2 === 0;
  const bias = [[331, 3]] as const;
  const chains = [said, said.filter(isPenalized)].map((history) => {
    const chain = chainOfAll(resolved, bias, logits.length);
    for (const token of history) chain.accept(token);
    return chain;
  });
  for (const excluded of [[], [331, 662], said.slice(5, 50)]) {
    const allow = maskWithout(excluded, logits.length);
    const spared = tokensOf(chains[0]!.run(logits, allow, isPenalized)).join();
    expect(spared).toBe(tokensOf(chains[1]!.run(logits, allow)).join());
  }
});

describe('large vocabularies equal it too', () => {
  const size = 20_000;
  const noise = (i: number): number => (Math.sin(i * 12.9898) * 43758.5453) % 1;
  const shapes: [string, (i: number) => number][] = [
    ['flat', noise],
    ['equal', () => 0],
    ['ascending', (i) => i / 100],
    ['descending', (i) => -i / 100],
    ['misleading to a sample', (i) => (i % Math.floor(size / 1024) === 0 ? 5 + noise(i) : noise(i))],
    ['misleading to a sample the other way', (i) => (i % Math.floor(size / 1024) === 0 ? -5 : noise(i))],
    ['peaked', (i) => 2 * noise(i) + (i === 7000 ? 25 : 0)],
    ['zipf', (i) => -1.2 * Math.log(1 + ((i * 7919) % size))],
    ['partly −∞ and NaN', (i) => (i % 3 === 0 ? -Infinity : i % 7 === 0 ? Number.NaN : 4 * noise(i))],
  ];
  const settings: [string, Partial<SamplingParameters>][] = [
    ['defaults', {}],
    ['greedy', { temperature: 0 }],
    ['top k 40', { topK: 40, minP: 0 }],
    ['top k 500', { topK: 500 }],
    ['min p 1', { minP: 1 }],
    [
      'all',
      { topK: 500, topP: 0.95, typicalP: 0.95, tfsZ: 0.99, frequencyPenalty: 0.5, presencePenalty: -0.5 },
    ],
    [
      'the newer ones',
      {
        dryMultiplier: 1,
        dryAllowedLength: 0,
        topNSigma: 2,
        topK: 40,
        minP: 0.01,
        xtcProbability: 1,
        xtcThreshold: 0.05,
        dynatempRange: 0.5,
      },
    ],
    ['DRY and greedy', { dryMultiplier: 1, dryAllowedLength: 0, temperature: 0 }],
    ['without top k', { topP: 0.95, typicalP: 0.95, tfsZ: 0.99 }],
  ];
  const history = Array.from({ length: 100 }, (_, i) => (i * 997) % size);
  const bias = [0, 1, 6999, 7000, 19_999].map((token, i) => [token, i - 2] as const);
  describe.each(shapes)('%s', (_, logitOf) => {
    const logits = Float32Array.from({ length: size }, (_unused, i) => logitOf(i));
    const few = [0, 1, 31, 32, 63, 6999, 7000, 19_999];
    const half = Array.from({ length: size / 2 }, (_unused, i) => 2 * i);
    const most = Array.from({ length: size }, (_unused, i) => i).filter((token) => token % 50 > 0);
    const excluded = { nothing: [], few, many: [...few, ...history], half, most };
    describe.each(Object.entries(excluded))('without %s', (_without, tokens) => {
      test.each(settings)('%s', (_name, parameters) =>
        expectSameAsComposed(logits, parameters, bias, history, tokens),
      );
    });
  });
});

describe('order', () => {
  const survivors = (
    weights: readonly number[],
    parameters: Partial<SamplingParameters>,
    history: readonly number[] = [],
  ) => {
    const neutral = { temperature: 1, repeatPenalty: 1, minP: 0 };
    const resolved = resolveParameters(samplingParameters, { ...neutral, ...parameters });
    const chain = chainOfAll(resolved, [], weights.length);
    for (const token of history) chain.accept(token);
    return tokensOf(chain.run(Float32Array.from(weights, Math.log)));
  };

  test.each<[string, number[], Partial<SamplingParameters>, number[]]>([
    // Of the three largest, 4/9 + 3/9 is enough; of all, 0.4 + 0.3 is not.
    ['top k before top p', [0.1, 0.2, 0.3, 0.4], { topK: 3, topP: 0.75 }, [2, 3]],
    // Typical keeps the three equals; top p of these takes two, of all it would have taken the first as well.
    ['typical before top p', [0.4, 0.2, 0.2, 0.2], { typicalP: 0.5, topP: 0.5 }, [1, 2]],
    // Tail-free leaves one; typical of all would have kept others.
    ['tail-free before typical', [0.4, 0.2, 0.2, 0.2], { tfsZ: 0, typicalP: 0.5 }, [0]],
    ['top k before tail-free', [0.1, 0.15, 0.2, 0.25, 0.3], { topK: 2, tfsZ: 0.25 }, [3, 4]],
    // 0.2 is nearly half of 0.4, whatever the temperature does afterwards.
    ['min p before temperature', [0.1, 0.2, 0.3, 0.4], { minP: 0.49, temperature: 0.1 }, [1, 2, 3]],
    ['top p before temperature', [0.1, 0.2, 0.3, 0.4], { topP: 0.7, temperature: 2 }, [2, 3]],
  ])('%s', (_, weights, parameters, expected) => expect(survivors(weights, parameters)).toEqual(expected));

  test.each<[string, number[], Partial<SamplingParameters>, number[], number[]]>([
    ['DRY before top k', [0.1, 0.2, 0.3, 0.4], { dryMultiplier: 5, topK: 1 }, [0, 1, 2, 0, 1], [3]],
    ['DRY penalises', [0.1, 0.2, 0.4, 0.3], { dryMultiplier: 5, topK: 1 }, [0, 1, 2, 0, 1], [3]],
    // Token 2 falls far below the others, which makes one deviation wide enough for all of these.
    [
      'DRY before top n sigma',
      [0.2, 0.24, 0.3, 0.26],
      { dryMultiplier: 5, topNSigma: 1 },
      [0, 1, 2, 0, 1],
      [0, 1, 3],
    ],
    // Of all, one deviation reaches to 0.3; of the three largest, to 0.4 alone.
    ['top n sigma before top k', [0.1, 0.2, 0.3, 0.4], { topNSigma: 1, topK: 3 }, [], [2, 3]],
    // Of the two that are left, both are top choices; of all, only the first would be.
    [
      'min p before XTC',
      [0.5, 0.18, 0.16, 0.16],
      { minP: 0.35, xtcProbability: 1, xtcThreshold: 0.25 },
      [],
      [1],
    ],
    [
      'XTC before temperature',
      [0.4, 0.3, 0.2, 0.1],
      { xtcProbability: 1, xtcThreshold: 0.19, temperature: 0.1 },
      [],
      [2, 3],
    ],
  ])('%s', (_, weights, parameters, history, expected) =>
    expect(survivors(weights, parameters, history)).toEqual(expected),
  );

  test('penalties before top k', () => {
    expect(survivors([0.1, 0.2, 0.3, 0.4], { topK: 1, presencePenalty: 2 }, [3])).toEqual([2]);
  });

  test('temperature 0 is arg max even where typical p would drop the most likely', () => {
    expect(
      survivors([0.4, 0.2, 0.2, 0.2], { temperature: 0, typicalP: 0.5, xtcProbability: 1, dynatempRange: 2 }),
    ).toEqual([0]);
  });

  test('mirostat switches truncation off, not the penalties', () => {
    const truncation = {
      topK: 1,
      topP: 0.1,
      minP: 1,
      typicalP: 0.1,
      tfsZ: 0.1,
      topNSigma: 0.1,
      xtcProbability: 1,
    };
    for (const mirostatMode of [1, 2]) {
      expect(survivors([0.1, 0.2, 0.3, 0.4], { ...truncation, mirostatMode })).toEqual([0, 1, 2, 3]);
      expect(
        survivors([0.1, 0.2, 0.3, 0.4], { temperature: 0, presencePenalty: 2, mirostatMode }, [3]),
      ).toEqual([2]);
    }
  });
});
