import { describe, expect, it } from 'vitest';
import {
  isSilence,
  leastBad,
  needsFallback,
  temperatureLadder,
} from '../../../../src/core/audio/whisper/fallback.ts';
import { toPrefix } from '../../../../src/core/audio/whisper/prefix.ts';
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

describe('leastBad', () => {
  it('prefers what does not repeat itself', () => {
    expect(leastBad([quality(-0.1, 9), quality(-3), quality(-2)])).toEqual(quality(-2));
    expect(leastBad([quality(-0.5, 9), quality(-0.1, 8)])).toEqual(quality(-0.1, 8));
  });
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
