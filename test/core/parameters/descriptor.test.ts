import { describe, expect, expectTypeOf, it } from 'vitest';
import { chatParameters } from '../../../src/categories/chat/parameters.ts';
import {
  resolveParameters,
  toWireName,
  type ParameterTable,
} from '../../../src/core/parameters/descriptor.ts';

describe('resolveParameters', () => {
  it('gives the defaults of the specification', () => {
    expect(resolveParameters(chatParameters, {})).toEqual({
      temperature: 0.7,
      topP: 1,
      frequencyPenalty: 0,
      presencePenalty: 0,
      repeatPenalty: 1.1,
      repeatLastN: 64,
      topK: 0,
      minP: 0.05,
      typicalP: 1,
      tfsZ: 1,
      mirostatMode: 0,
      mirostatTau: 5,
      mirostatEta: 0.1,
      dryMultiplier: 0,
      dryBase: 1.75,
      dryAllowedLength: 2,
      dryPenaltyLastN: -1,
      drySequenceBreakers: ['\n', ':', '"', '*'],
      xtcProbability: 0,
      xtcThreshold: 0.1,
      topNSigma: -1,
      dynatempRange: 0,
      dynatempExponent: 1,
      reasoningEffort: undefined,
      enableThinking: undefined,
      continueFinalMessage: false,
      addGenerationPrompt: undefined,
      includeStopStrInOutput: false,
      minTokens: 0,
      ignoreEos: false,
      badWords: [],
      truncatePromptTokens: 0,
      maxTokens: 256,
      n: 1,
      penalizePrompt: false,
      seed: undefined,
      includeReasoning: true,
      logprobs: false,
      topLogprobs: 0,
    });
  });

  const numbers = Object.entries(chatParameters as ParameterTable).filter(([, { min }]) => min !== undefined);
  it.each(numbers)('keeps %s within its bounds, both included', (name, { min, max, type }) => {
    const step = type === 'int' ? 1 : 0.001;
    for (const value of [min!, max!])
      expect(resolveParameters(chatParameters, { [name]: value })).toMatchObject({ [name]: value });
    for (const value of [min! - step, max! + step, Infinity, -Infinity]) {
      expect(() => resolveParameters(chatParameters, { [name]: value })).toThrow(
        new RegExp(`^${name}: expected`),
      );
    }
  });

  it.each(Object.entries(chatParameters as ParameterTable))(
    'refuses another type for %s',
    (name, { type }) => {
      for (const value of [type === 'string' ? 1 : '1', {}, [1], Number.NaN, Symbol.iterator]) {
        expect(() => resolveParameters(chatParameters, { [name]: value })).toThrow(TypeError);
      }
    },
  );

  it('refuses fractions of integers', () => {
    expect(() => resolveParameters(chatParameters, { topK: 1.5 })).toThrow(
      'topK: expected an integer, got 1.5',
    );
  });

  it('bounds how many strings there are', () => {
    const table = { words: { type: 'strings', max: 2, section: 'basic', description: '' } } as const;
    expect(resolveParameters(table, { words: ['a', ''] })).toEqual({ words: ['a', ''] });
    expect(() => resolveParameters(table, { words: ['a', 'b', 'c'] })).toThrow(
      new RangeError('words: expected at most 2 strings, got 3'),
    );
  });

  it('types values by the table', () => {
    const values = resolveParameters(chatParameters, {});
    expectTypeOf(values.temperature).toEqualTypeOf<number>();
    expectTypeOf(values.seed).toEqualTypeOf<number | undefined>();
    expectTypeOf(values.includeReasoning).toEqualTypeOf<boolean>();
  });
});

describe('toWireName', () => {
  it.each([
    ['topK', 'top_k'],
    ['seed', 'seed'],
    ['mirostatTau', 'mirostat_tau'],
  ])('%s → %s', (name, wireName) => expect(toWireName(name)).toBe(wireName));
});
