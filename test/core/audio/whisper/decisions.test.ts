import { describe, expect, it } from 'vitest';
import {
  isSilence,
  bestFallback,
  needsFallback,
  temperatureLadder,
  createLoopDetector,
} from '../../../../src/core/audio/whisper/fallback.ts';
import { toPrefix } from '../../../../src/core/audio/whisper/prompt.ts';
import { cutRepetitions } from '../../../../src/core/audio/whisper/segments.ts';
import { isUnsayable } from '../../../../src/core/audio/whisper/word-timing.ts';
import { toSeconds } from '../../../../src/core/audio/whisper/timestamps.ts';

const quality = (averageLogprob: number, compressionRatio = 1, noSpeechProbability = 0) => ({
  averageLogprob,
  compressionRatio,
  noSpeechProbability,
});

describe('temperatureLadder', () => {
  it.each([
    [0, [0, 0.2, 0.4, 0.6, 0.8, 1]],
    [0.3, [0.3]],
    [1, [1]],
  ])('for %j', (first, expected) => expect(temperatureLadder(first)).toEqual(expected));
});

describe('needsFallback', () => {
  it.each([
    [quality(-0.2), false],
    [quality(-1), false],
    [quality(-1.01), true],
    [quality(-0.2, 2.4), false],
    [quality(-0.2, 2.41), true],
    [quality(-0.2, 2.41, 0.9), true],
    [quality(-1.5, 1, 0.6), true],
    [quality(-1.5, 1, 0.61), false],
  ])('%j → %j', (given, expected) => expect(needsFallback(given)).toBe(expected));
});

describe('isSilence', () => {
  it.each([
    [quality(-1.5, 1, 0.61), true],
    [quality(-0.9, 1, 0.99), false],
    [quality(-5, 1, 0.6), false],
  ])('%j → %j', (given, expected) => expect(isSilence(given)).toBe(expected));
});

describe('bestFallback', () => {
  it('prefers what does not repeat itself', () => {
    expect(bestFallback([quality(-0.1, 9), quality(-3), quality(-2)])).toEqual(quality(-2));
    expect(bestFallback([quality(-0.5, 9), quality(-0.1, 8)])).toEqual(quality(-0.1, 8));
  });
});

describe('createLoopDetector', () => {
  /** Number of tokens after which a text is a loop. */
  const endOf = (tokens: readonly number[]): number | undefined => {
    const read = createLoopDetector(224);
    const end = tokens.findIndex(read);
    return end < 0 ? undefined : end + 1;
  };
  const repeated = (period: number, times: number, before = 0): number[] => [
    ...Array.from({ length: before }, (_, token) => 1000 + token),
    ...Array.from({ length: period * times }, (_, place) => place % period),
  ];

  it.each<[string, number[], number | undefined]>([
    ['one token', repeated(1, 40), 32],
    ['a few', repeated(5, 8), 32],
    ['many, four times', repeated(30, 5), 120],
    ['after a text', repeated(4, 10, 50), 82],
    ['three times', repeated(30, 3), undefined],
    ['often, and soon over', [...repeated(1, 31), 7, ...repeated(1, 31)], undefined],
    ['nothing', repeated(224, 1), undefined],
  ])('%s', (_, tokens, expected) => expect(endOf(tokens)).toBe(expected));
});

describe('toPrefix', () => {
  const options = { startOfPrevious: 90, start: [91, 92], contextLength: 8 };
  it.each<[number[], object, number[]]>([
    [[], {}, [91, 92]],
    [[1, 2], {}, [90, 1, 2, 91, 92]],
    [[1, 2, 3, 4, 5], {}, [90, 3, 4, 5, 91, 92]],
    [[1, 2], { startOfPrevious: undefined }, [91, 92]],
    [[1, 2], { contextLength: 2 }, [91, 92]],
  ])('%j with %j', (previous, changes, expected) =>
    expect(toPrefix(previous, { ...options, ...changes })).toEqual(expected),
  );
});

describe('isUnsayable', () => {
  it.each<[string, number, boolean]>([
    [' diamond.', 0.08, true],
    [' a', 0.02, false],
    [' ah', 0.02, true],
    [' diamond.', 0.2, false],
    [' I am very fast today', 0.21, false],
  ])('%j in %d s: %j', (text, seconds, expected) => expect(isUnsayable(text, seconds)).toBe(expected));
});

describe('cutRepetitions', () => {
  it.each([
    [[], []],
    [
      [' a', ' a', ' A ', ' b', ' a'],
      [' a', ' b', ' a'],
    ],
  ])('%j', (texts, expected) =>
    expect(cutRepetitions(texts.map((text) => ({ text }))).map(({ text }) => text)).toEqual(expected),
  );
});

describe('toSeconds', () => {
  it('counts in steps of 20 ms', () => {
    expect([0, 1, 3, 1500].map((step) => toSeconds(100 + step, { timestampBegin: 100 }))).toEqual([
      0, 0.02, 0.06, 30,
    ]);
  });
});
