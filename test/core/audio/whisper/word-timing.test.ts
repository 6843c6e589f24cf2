import { describe, expect, it } from 'vitest';
import {
  fitWords,
  shortenAfterSentences,
  typicalDuration,
  type TimedWord,
} from '../../../../src/core/audio/whisper/word-timing.ts';

type Times = readonly (readonly [number, number])[];

const wordsOf = (times: Times, text = 'a'): TimedWord[] =>
  times.map(([start, end]) => ({ text, start, end }));
const timesOf = (words: readonly TimedWord[]) => words.map(({ start, end }) => [start, end]);

describe('typicalDuration', () => {
  it.each<[string, Times, number]>([
    ['no word', [], 0],
    ['words without a duration', [[1, 1]], 0],
    ['one', [[1, 1.25]], 0.25],
    [
      'the median of three, others aside',
      [
        [0, 0.5],
        [1, 1],
        [2, 2.25],
        [3, 9],
      ],
      0.5,
    ],
    [
      'the mean of the middle two',
      [
        [0, 0.25],
        [1, 1.5],
      ],
      0.375,
    ],
    ['at most 0.7 s', [[0, 5]], 0.7],
  ])('%s', (_, times, expected) => expect(typicalDuration(wordsOf(times))).toBe(expected));
});

describe('shortenAfterSentences', () => {
  it.each<[string, number]>([
    ['done.', 4.5],
    ['done?"', 4.5],
    ['完。', 4.5],
    ['done,', 3],
    ['done', 3],
  ])('of a long word after %j moves the start to %d', (text, start) => {
    const words = [{ text, start: 2, end: 3 }, ...wordsOf([[3, 5]])];
    expect(timesOf(shortenAfterSentences(words, 0.25))).toEqual([
      [2, 3],
      [start, 5],
    ]);
  });

  it.each([
    ['the first word', wordsOf([[0, 5]], '.'), 0.25],
    [
      'a short word',
      wordsOf(
        [
          [0, 5],
          [5, 5.5],
        ],
        '.',
      ),
      0.25,
    ],
    [
      'words without typical duration',
      wordsOf(
        [
          [0, 5],
          [5, 9],
        ],
        '.',
      ),
      0,
    ],
  ])('leaves %s', (_, words, typical) => expect(shortenAfterSentences(words, typical)).toEqual(words));
});

describe('fitWords', () => {
  it.each<[string, { segment: [number, number]; words: Times; spokenUntil?: number }, Times]>([
    [
      'the segment takes the times of its words',
      {
        segment: [0, 4],
        words: [
          [0.25, 1],
          [1, 3.75],
        ],
      },
      [
        [0.25, 3.75],
        [0.25, 1],
        [1, 3.75],
      ],
    ],
    [
      'a first word that begins long before the segment begins with it',
      { segment: [2, 3], words: [[1, 3]], spokenUntil: 2 },
      [
        [2, 3],
        [2, 3],
      ],
    ],
    [
      'a last word that ends long after the segment ends with it',
      { segment: [0, 2], words: [[1, 4]], spokenUntil: 4 },
      [
        [1, 2],
        [1, 2],
      ],
    ],
    [
      'but has the typical duration',
      { segment: [0, 1.125], words: [[1, 4]], spokenUntil: 4 },
      [
        [1, 1.25],
        [1, 1.25],
      ],
    ],
    [
      'a first word after a pause is shortened to twice the typical duration',
      { segment: [0, 5], words: [[2, 4]] },
      [
        [3.5, 4],
        [3.5, 4],
      ],
    ],
    [
      'without a pause it is left',
      { segment: [2, 5], words: [[2, 4]], spokenUntil: 3.5 },
      [
        [2, 4],
        [2, 4],
      ],
    ],
    [
      'a second word that is long as well is shortened with it',
      {
        segment: [0, 5],
        words: [
          [0, 2],
          [2, 4],
        ],
      },
      [
        [3, 4],
        [3, 3.5],
        [3.5, 4],
      ],
    ],
  ])('%s', (_, { segment: [start, end], words, spokenUntil = 0 }, expected) => {
    const fitted = fitWords({ start, end }, wordsOf(words), { typical: 0.25, spokenUntil });
    expect([[fitted.start, fitted.end], ...timesOf(fitted.words)]).toEqual(expected);
  });

  it('leaves a segment without words', () => {
    const fitted = fitWords({ start: 1, end: 2 }, [], { typical: 0, spokenUntil: 0 });
    expect(fitted).toEqual({ start: 1, end: 2, words: [] });
  });
});
