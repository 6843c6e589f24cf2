import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { LargestLogits } from '../../../src/core/sampling/largest-logits.ts';
import { createRng } from '../../../src/core/sampling/rng.ts';
import { createSampler, type SamplerParameters } from '../../../src/core/sampling/sampler.ts';
import { unit, wildLogits } from './helpers.ts';
import { runs } from '../../thorough.ts';

/**
 * What a device gives: the largest, of equals the lower tokens, and a mass in single precision.
 *
 * @param error of the mass, relative
 */
function maxOf(logits: Float32Array, count: number, error = 0): LargestLogits {
  const order = [...logits.keys()].sort((a, b) => logits[b]! - logits[a]! || a - b).slice(0, count);
  const largest = logits[order[0]!]!;
  const mass = logits.reduce((sum, logit) => sum + Math.exp(logit - largest), 0);
  return {
    tokens: Int32Array.from(order),
    logits: Float32Array.from(order, (token) => logits[token]!),
    mass: Math.fround(mass * (1 + error)),
  };
}

const parameters: fc.Arbitrary<SamplerParameters> = fc.record(
  {
    temperature: fc.constantFrom(0, 0.3, 0.7, 1.5),
    topK: fc.constantFrom(0, 0, 1, 5, 40, 300),
    topP: fc.oneof(fc.constant(1), unit),
    minP: fc.oneof(fc.constant(0), unit),
    typicalP: fc.constantFrom(1, 1, 1, 0.5),
    tfsZ: fc.constantFrom(1, 1, 1, 0.7),
    topNSigma: fc.constantFrom(0, 0, 0, 0, 0, 0, 1),
    repeatPenalty: fc.constantFrom(1, 1, 1.1, 1.1, 2, 2, 0.5),
    frequencyPenalty: fc.constantFrom(0, 0, 0.5, 0.5, 1, -0.5),
    presencePenalty: fc.constantFrom(0, 0, 0.5, 1, 1, -1),
    dryMultiplier: fc.constantFrom(0, 0, 1),
    dryAllowedLength: fc.constantFrom(0, 2),
    xtcProbability: fc.constantFrom(0, 0.5),
    xtcThreshold: fc.constantFrom(0.05, 0.3),
    dynatempRange: fc.constantFrom(0, 0.3),
    mirostatMode: fc.constantFrom(0, 0, 0, 0, 0, 0, 1, 2),
    logitBias: fc.constantFrom(new Map(), new Map(), new Map(), new Map(), new Map([[0, 5]])),
  },
  { requiredKeys: [] },
);

/** Peaked as a model's are, or with many equals. */
const steps = fc
  .record({
    seed: fc.nat(),
    size: fc.integer({ min: 2, max: 600 }),
    spread: fc.constantFrom(0.5, 3, 12),
    grain: fc.constantFrom(0, 0, 0.5),
  })
  .map(({ seed, size, spread, grain }) => {
    const rng = createRng(seed);
    const draw = () => {
      const logit = spread * (rng.next() + rng.next() + rng.next() - 1.5) ** 3 * 4;
      return grain === 0 ? logit : Math.round(logit / grain) * grain;
    };
    return Array.from({ length: 6 }, () => Float32Array.from({ length: size }, draw));
  });
const broken = wildLogits.map((logits) => [Float32Array.from(logits)]);

/** Tokens of both ways; −1 where there is none to choose. */
function choose(
  logits: readonly Float32Array[],
  options: SamplerParameters,
  { count, error }: { readonly count: number; readonly error: number },
): { readonly all: number[]; readonly largest: number[]; readonly decided: number } {
  const create = () => createSampler(options, { vocabularySize: logits[0]!.length, seed: 7 });
  const [first, second] = [create(), create()];
  const all: number[] = [];
  const largest: number[] = [];
  let decided = 0;
  const attempt = (sample: () => number): number => {
    try {
      return sample();
    } catch (error_) {
      if (error_ instanceof RangeError) return -1;
      throw error_;
    }
  };
  for (const row of logits) {
    all.push(attempt(() => first.sample(row)));
    let token = second.sampleLargest(maxOf(row, Math.min(count, row.length), error));
    if (token >= 0) decided++;
    else token = attempt(() => second.sample(row));
    largest.push(token);
    if (all.at(-1) === -1) break;
    first.accept(all.at(-1)!);
    if (token >= 0) second.accept(token);
  }
  return { all, largest, decided };
}

test('the largest logits give the same tokens as all of them, whatever the samplers', () => {
  const error = fc.constantFrom(0, 9e-5, -9e-5);
  const count = fc.constantFrom(1, 8, 64, 256);
  let decided = 0;
  fc.assert(
    fc.property(fc.oneof({ weight: 9, arbitrary: steps }, broken), parameters, count, error, (...given) => {
      const [logits, options, most, off] = given;
      const chosen = choose(logits, options, { count: most, error: off });
      decided += chosen.decided;
      expect(chosen.largest).toEqual(chosen.all);
    }),
    { numRuns: runs(500) },
  );
  expect(decided).toBeGreaterThan(0.6 * runs(500));
});

describe('which requests choose by the largest logits', () => {
  const rng = createRng(3);
  const logits = Array.from({ length: 20 }, () =>
    Float32Array.from({ length: 5000 }, () => 4 * (rng.next() + rng.next() + rng.next())),
  );
  for (const row of logits)
    for (let i = 0; i < 12; i++) row[Math.floor(rng.next() * 5000)] = 18 + 3 * rng.next();
  // Of 20 steps.
  test.each<[number, SamplerParameters]>([
    [20, {}],
    [20, { temperature: 0 }],
    [20, { temperature: 0, repeatPenalty: 1.3, frequencyPenalty: 0.5, presencePenalty: 0.5 }],
    [20, { topK: 40, topP: 0.95, minP: 0, typicalP: 0.9, tfsZ: 0.9 }],
    [20, { topK: 40, dryMultiplier: 0.8 }],
    [20, { minP: 0.1, xtcProbability: 0.5, dynatempRange: 0.3 }],
    // The cut is closer to the tolerance of the mass than to the next token once.
    [19, { topP: 0.9, minP: 0 }],
    [0, { topK: 300 }],
    [0, { minP: 0 }],
    [0, { topP: 0.9, minP: 0, dryMultiplier: 0.8 }],
    [0, { typicalP: 0.9 }],
    [0, { tfsZ: 0.9 }],
    [0, { topNSigma: 1 }],
    [0, { mirostatMode: 2 }],
    [0, { logitBias: new Map([[1, -100]]) }],
    [0, { repeatPenalty: 0.9 }],
    [0, { presencePenalty: -0.1 }],
  ])('%i steps of 20 with %o', (expected, options) => {
    const { all, largest, decided } = choose(logits, options, { count: 256, error: 0 });
    expect(largest).toEqual(all);
    expect(decided).toBe(expected);
    expect(createSampler(options, { vocabularySize: 5000, seed: 1 }).needsAllLogits).toBe(expected === 0);
  });
});
