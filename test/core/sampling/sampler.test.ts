import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { samplingParameters, type SamplingParameters } from '../../../src/core/sampling/samplers.ts';
import { createRng } from '../../../src/core/sampling/rng.ts';
import { createSampler, type SamplerParameters } from '../../../src/core/sampling/sampler.ts';
import { wildLogits } from './helpers.ts';

const vocabularySize = 400;
const rng = createRng(99);
const logits = Float32Array.from({ length: vocabularySize }, () => 6 * rng.next());

function tokens(parameters: SamplerParameters, { seed = 1, count = 300 } = {}): number[] {
  const sampler = createSampler(parameters, { vocabularySize, seed });
  return Array.from({ length: count }, () => {
    const token = sampler.sample(logits);
    sampler.accept(token);
    return token;
  });
}

describe('every parameter acts', () => {
  const dry = { dryAllowedLength: 0, minP: 0.5, repeatPenalty: 1 };
  const changed: [keyof SamplingParameters, number, SamplerParameters?][] = [
    ['temperature', 0],
    ['temperature', 1.5],
    ['topP', 0.5],
    ['frequencyPenalty', 1],
    ['presencePenalty', -1],
    ['repeatPenalty', 0],
    ['repeatPenalty', 2],
    ['topK', 3],
    ['minP', 0.5],
    ['typicalP', 0.3],
    ['tfsZ', 0.2],
    ['mirostatMode', 1],
    ['mirostatMode', 2],
    ['mirostatTau', 1, { mirostatMode: 1 }],
    ['mirostatTau', 1, { mirostatMode: 2 }],
    ['mirostatEta', 0.9, { mirostatMode: 1, mirostatTau: 3 }],
    ['mirostatEta', 0.9, { mirostatMode: 2, mirostatTau: 3 }],
    ['repeatLastN', 0, { repeatPenalty: 3 }],
    ['repeatLastN', -1, { temperature: 0, frequencyPenalty: 2 }],
    ['dryMultiplier', 5, dry],
    ['dryBase', 8, { ...dry, dryMultiplier: 0.1 }],
    ['dryAllowedLength', 3, { ...dry, dryMultiplier: 5 }],
    ['dryPenaltyLastN', 0, { ...dry, dryMultiplier: 5 }],
    ['dryPenaltyLastN', 2, { ...dry, dryMultiplier: 5 }],
    ['xtcProbability', 0.5, { xtcThreshold: 0.001 }],
    ['xtcThreshold', 0, { xtcProbability: 0.5 }],
    ['topNSigma', 0.5],
    ['dynatempRange', 0.5],
    ['dynatempExponent', 8, { dynatempRange: 0.5 }],
  ];

  test.each(changed)('%s %d changes the outcome', (name, value, base = {}) => {
    expect(tokens({ ...base, [name]: value })).not.toEqual(tokens(base));
  });

  test('logit bias', () => {
    expect(tokens({ logitBias: new Map([[7, 100]]) }).slice(0, 2)).toEqual([7, 7]);
    expect(
      tokens({ logitBias: new Map(Array.from(logits.keys(), (t) => [t, t === 9 ? 0 : -100])) }).slice(0, 2),
    ).toEqual([9, 9]);
  });

  test('DRY breakers', () => {
    const parameters = { temperature: 0, repeatPenalty: 1, dryMultiplier: 5 };
    const best = logits.indexOf(Math.max(...logits));
    expect(tokens(parameters).some((token) => token !== best)).toBe(true);
    const dryBreakers = new Map([[best, [[]]]]);
    expect(new Set(tokens({ ...parameters, dryBreakers }))).toEqual(new Set([best]));
  });

  test('none is left out above', () => {
    expect(new Set(changed.map(([name]) => name))).toEqual(new Set(Object.keys(samplingParameters)));
  });
});

describe('tokens that are spared', () => {
  const greedy = { temperature: 0 };
  const repetition = [0, 1, 2, 0, 1];
  /** The first choice where the token `favourite` leads by little and has come before. */
  const choose = (
    parameters: SamplerParameters,
    favourite: number,
    options = {},
    spared?: number,
  ): number => {
    const sampler = createSampler({ ...greedy, ...parameters }, { vocabularySize: 4, seed: 1, ...options });
    for (const token of repetition) sampler.accept(token);
    const scores = new Float32Array(4).fill(1);
    scores[3] = 1.9;
    scores[favourite] = 2;
    const all = new Uint32Array([15]);
    return spared === undefined
      ? sampler.sample(scores)
      : sampler.sample(scores, all, (token) => token !== spared);
  };

  test.each<[SamplerParameters]>([
    [{ repeatPenalty: 1.2 }],
    [{ repeatPenalty: 1, frequencyPenalty: 0.5 }],
    [{ repeatPenalty: 1, presencePenalty: 0.5 }],
    [{ repeatPenalty: 1, dryMultiplier: 1 }],
  ])('%j leaves alone what it is told to leave alone', (parameters) => {
    expect(choose(parameters, 2)).toBe(3);
    expect(choose(parameters, 2, {}, 0)).toBe(3);
    expect(choose(parameters, 2, {}, 2)).toBe(2);
  });

  test('the repeat penalty acts on words, the others on all tokens', () => {
    const isWord = (token: number): boolean => token !== 2;
    expect(choose({ repeatPenalty: 1.2 }, 2, { isWord })).toBe(2);
    expect(choose({ repeatPenalty: 1.2 }, 1, { isWord })).toBe(3);
    expect(choose({ repeatPenalty: 1.2, minP: 0, temperature: 0.001 }, 2, { isWord })).toBe(2);
    expect(choose({ repeatPenalty: 1, presencePenalty: 0.5 }, 2, { isWord })).toBe(3);
  });
});

describe('seed', () => {
  test.each<SamplerParameters>([
    {},
    { mirostatMode: 1 },
    { mirostatMode: 2 },
    { topK: 40 },
    { topP: 0.9, minP: 0 },
    { xtcProbability: 0.5, xtcThreshold: 0.001 },
    { dryMultiplier: 0.8, topNSigma: 2, dynatempRange: 0.5 },
  ])('%j', (parameters) => {
    expect(tokens(parameters, { seed: 5 })).toEqual(tokens(parameters, { seed: 5 }));
    expect(tokens(parameters, { seed: 5 })).not.toEqual(tokens(parameters, { seed: 6 }));
  });

  test('samplers that run in turn do not disturb each other', () => {
    const alone = tokens({ topP: 0.9 }, { seed: 3, count: 50 });
    const first = createSampler({ topP: 0.9 }, { vocabularySize, seed: 3 });
    const second = createSampler({ mirostatMode: 1 }, { vocabularySize: 3, seed: 3 });
    const together = alone.map(() => {
      second.accept(second.sample(new Float32Array([1, 2, 3])));
      const token = first.sample(logits);
      first.accept(token);
      return token;
    });
    expect(together).toEqual(alone);
  });

  test('temperature 0 doesn’t depend on it', () => {
    expect(tokens({ temperature: 0 }, { seed: 1 })).toEqual(tokens({ temperature: 0 }, { seed: 2 }));
  });
});

test('tokens come as often as they should (χ², 3 degrees of freedom, p = 0.001)', () => {
  const weights = [0.1, 0.2, 0.3, 0.4];
  const sampler = createSampler({ temperature: 0.5, repeatPenalty: 1 }, { vocabularySize: 4, seed: 11 });
  const total = weights.reduce((sum, weight) => sum + weight ** 2, 0);
  const draws = 50_000;
  const counts = [0, 0, 0, 0];
  const chances = Float32Array.from(weights, Math.log);
  for (let i = 0; i < draws; i++) counts[sampler.sample(chances)]!++;
  const statistic = weights.reduce((sum, weight, i) => {
    const expected = (draws * weight ** 2) / total;
    return sum + (counts[i]! - expected) ** 2 / expected;
  }, 0);
  expect(statistic).toBeLessThan(16.27);
});

test.each<[SamplerParameters, number]>([
  [{}, 64],
  [{ dryPenaltyLastN: 1000 }, 64],
  [{ dryMultiplier: 1, dryPenaltyLastN: 1000 }, 1000],
  [{ dryMultiplier: 1, dryPenaltyLastN: 10 }, 64],
  [{ dryMultiplier: 1 }, Infinity],
])('%o remembers %d tokens', (parameters, memory) => {
  expect(createSampler(parameters, { vocabularySize, seed: 0 }).memory).toBe(memory);
});

test('sample doesn’t accept, and leaves the logits alone', () => {
  const sampler = createSampler({ temperature: 0, presencePenalty: 2 }, { vocabularySize: 2, seed: 0 });
  const given = new Float32Array([1, 2]);
  expect([sampler.sample(given), sampler.sample(given)]).toEqual([1, 1]);
  sampler.accept(1);
  expect(sampler.sample(given)).toBe(0);
  expect(given).toEqual(new Float32Array([1, 2]));
});

test('equal logits: the lower token', () => {
  const even = new Float32Array(vocabularySize).fill(1);
  expect(createSampler({ temperature: 0 }, { vocabularySize, seed: 0 }).sample(even)).toBe(0);
  expect(createSampler({ topK: 1 }, { vocabularySize, seed: 0 }).sample(even)).toBe(0);
  expect(createSampler({ topP: 0 }, { vocabularySize, seed: 0 }).sample(even)).toBe(0);
});

describe('allowed tokens', () => {
  const allow = new Uint32Array(Math.ceil(vocabularySize / 32));
  for (const token of [3, 64, 399]) allow[token >> 5]! |= 1 << (token & 31);

  test.each<SamplerParameters>([
    {},
    { temperature: 0 },
    { topK: 5 },
    { topP: 0.9 },
    { mirostatMode: 2 },
    { typicalP: 0.5 },
  ])('%j', (parameters) => {
    const sampler = createSampler(parameters, { vocabularySize, seed: 8 });
    const seen = new Set(Array.from({ length: 50 }, () => sampler.sample(logits, allow)));
    expect([3, 64, 399]).toEqual(expect.arrayContaining([...seen]));
  });

  test('a mask of all changes nothing', () => {
    const all = new Uint32Array(allow.length).fill(0xffffffff);
    const [first, second] = [
      createSampler({}, { vocabularySize, seed: 4 }),
      createSampler({}, { vocabularySize, seed: 4 }),
    ];
    for (let i = 0; i < 20; i++) expect(first.sample(logits, all)).toBe(second.sample(logits));
  });

  test('none allowed is an error', () => {
    const sampler = createSampler({}, { vocabularySize, seed: 8 });
    expect(() => sampler.sample(logits, new Uint32Array(allow.length))).toThrow(
      'logits: expected at least one allowed token',
    );
    expect(() => sampler.sample(logits, new Uint32Array(1))).toThrow(
      'allow: expected at least 13 numbers, got 1',
    );
  });
});

describe('broken logits', () => {
  const settings: SamplerParameters[] = [
    {},
    { temperature: 0 },
    { temperature: Number.MIN_VALUE },
    { topK: 3, topP: 0.9 },
    { typicalP: 0.5, tfsZ: 0.9, minP: 0 },
    { mirostatMode: 1 },
    { mirostatMode: 2, repeatPenalty: 0 },
    { topNSigma: 1, dynatempRange: 2 },
    { dryMultiplier: 5, dryBase: 8, dryAllowedLength: 0 },
    { minP: 0, xtcProbability: 1, xtcThreshold: 0 },
  ];
  test.each(settings)('%j: a token that can be drawn, or a clear error', (parameters) => {
    fc.assert(
      fc.property(wildLogits, fc.array(fc.nat(99), { maxLength: 5 }), (values, history) => {
        const given = Float32Array.from(values);
        const sampler = createSampler(parameters, { vocabularySize: given.length, seed: 1 });
        for (const token of history) if (token < given.length) sampler.accept(token);
        if (given.every((logit) => !(logit > -Infinity))) {
          expect(() => sampler.sample(given)).toThrow('logits: expected at least one');
          return;
        }
        for (let i = 0; i < 3; i++) expect(given[sampler.sample(given)]).toBeGreaterThan(-Infinity);
      }),
    );
  });
});

describe('errors', () => {
  const options = { vocabularySize: 10, seed: 0 };
  test.each<[string, () => unknown, new () => Error, string]>([
    [
      'too few logits',
      () => createSampler({}, options).sample(new Float32Array(9)),
      RangeError,
      'logits: expected 10, got 9',
    ],
    [
      'accepting no token',
      () => createSampler({}, options).accept(10),
      RangeError,
      'token: expected a token id from 0 to 9, got 10',
    ],
    [
      'a bias of no token',
      () => createSampler({ logitBias: new Map([[10, 1]]) }, options),
      RangeError,
      'logitBias: expected a token id',
    ],
    [
      'a bias out of range',
      () => createSampler({ logitBias: new Map([[1, 101]]) }, options),
      RangeError,
      'logitBias[1]: expected a value',
    ],
    [
      'a bias of NaN',
      () => createSampler({ logitBias: new Map([[1, Number.NaN]]) }, options),
      TypeError,
      'logitBias[1]: expected a number',
    ],
    ['a bad seed', () => createSampler({}, { vocabularySize: 1, seed: -1 }), RangeError, 'seed: expected'],
    [
      'an empty vocabulary',
      () => createSampler({}, { vocabularySize: 0, seed: 1 }),
      RangeError,
      'vocabularySize: expected',
    ],
    [
      'a string',
      () => createSampler({ topK: '4' as never }, options),
      TypeError,
      'topK: expected an integer',
    ],
  ])('%s', (_, act, type, message) => {
    expect(act).toThrow(type);
    expect(act).toThrow(message);
  });

  test.each(Object.entries(samplingParameters))('%s: bounds are inclusive', (name, { min, max }) => {
    for (const value of [min, max]) {
      const sampler = createSampler({ [name]: value }, { vocabularySize, seed: 1 });
      sampler.accept(0);
      expect(sampler.sample(logits)).toBeLessThan(vocabularySize);
    }
    for (const value of [min - 1, max + 1])
      expect(() => createSampler({ [name]: value }, options)).toThrow(`${name}: expected`);
  });
});
