import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { alignSequences, symbolOwners } from '../../../src/core/speech/timing/symbol-owners.ts';
import { symbolBounds } from '../../../src/core/speech/timing/symbol-bounds.ts';
import { splitTextWords } from '../../../src/core/speech/timing/text-words.ts';

describe('the words of a text', () => {
  it.each<[string, readonly string[]]>([
    ['A red circle.', ['A', 'red', 'circle']],
    ['“Where?” she asked', ['Where', 'she', 'asked']],
    ['$1,299.99 or 12.5%!', ['$1,299.99', 'or', '12.5%']],
    ['at 3 p.m. in the U.S.', ['at', '3', 'p.m.', 'in', 'the', 'U.S.']],
    ["don't (well-known) Mrs. O'Neill's", ["don't", 'well-known', 'Mrs', "O'Neill's"]],
    ['one—two--three…four', ['one', 'two', 'three', 'four']],
    ['.5 and -3', ['.5', 'and', '-3']],
    ['我喜欢音乐。 ok', ['我', '喜欢', '音乐', 'ok']],
    ['🔴 — ... \n', ['🔴']],
    ['', []],
  ])('%s', (text, words) => {
    expect(splitTextWords(text).map(({ word }) => word)).toEqual(words);
  });

  it('stand where they say', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 60 }), (text) => {
        let end = 0;
        for (const { word, offset, marked } of splitTextWords(text)) {
          expect(text.slice(offset, offset + word.length)).toBe(word);
          expect(marked).toContain(word);
          expect(offset).toBeGreaterThanOrEqual(end);
          end = offset + word.length;
        }
      }),
    );
  });
});

/** Score of an alignment as `alignSequences` counts it. */
function scoreOf(items: readonly string[], reference: readonly string[], places: Int32Array): number {
  const aligned = [...places].flatMap((place, at) => (place < 0 ? [] : [[at, place] as const]));
  const equal = aligned.filter(([at, place]) => items[at] === reference[place]).length;
  const gaps = items.length + reference.length - 2 * aligned.length;
  return 2 * equal - (aligned.length - equal) - gaps;
}

/** Best score, by the whole table. */
function bestScore(items: readonly string[], reference: readonly string[]): number {
  let before = Array.from({ length: reference.length + 1 }, (_, column) => 0 - column);
  for (const [row, item] of items.entries()) {
    const scores = [-(row + 1)];
    for (const [column, other] of reference.entries()) {
      const aligned = before[column]! + (item === other ? 2 : -1);
      scores.push(Math.max(aligned, before[column + 1]! - 1, scores[column]! - 1));
    }
    before = scores;
  }
  return before.at(-1)!;
}

describe('an alignment', () => {
  const letters = fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 40 });

  it('has the best score there is, in order', () => {
    fc.assert(
      fc.property(letters, letters, (items, reference) => {
        const places = alignSequences(items, reference);
        const found = [...places].filter((place) => place >= 0);
        expect(found).toEqual([...new Set(found)].sort((one, other) => one - other));
        expect(scoreOf(items, reference, places)).toBe(bestScore(items, reference));
      }),
    );
  });

  it('follows sequences that are longer than its band and drift apart', () => {
    const items = Array.from({ length: 4000 }, (_, at) => String(at % 97));
    const reference = items.flatMap((item, at) => (at % 5 === 0 ? [item, 'more'] : [item]));
    const places = alignSequences(items, reference);
    expect([...places].filter((place, at) => reference[place] !== items[at])).toEqual([]);
  });

  it('aligns no space with a sound', () => {
    expect([...alignSequences([...'a b'], [...'axb'])]).toEqual([0, -1, 2]);
  });
});

describe('the owners of symbols', () => {
  const ownersOf = (symbols: string, words: readonly string[]): number[] => [
    ...symbolOwners(Array.from(symbols), words),
  ];

  it.each<[string, string, readonly string[], readonly number[]]>([
    ['words that sound the same alone', 'ə bˈi.', ['ˈA', 'bˈi'], [0, -1, 1, 1, 1, -1]],
    ['a word of several groups', 'a bc de f', ['a', 'bc de', 'f'], [0, -1, 1, 1, -1, 1, 1, -1, 2]],
    ['words that are one group', 'əvðə kˈæt', ['ˈʌv', 'ðə', 'kˈæt'], [0, 0, 1, 1, -1, 2, 2, 2, 2]],
    [
      'a word that is only said among others',
      'foɹ dalɹz ab',
      ['foɹ', '', 'ab'],
      [0, 0, 0, -1, 0, 0, 0, 0, 0, -1, 2, 2],
    ],
    ['a word that is not said', 'ab ef', ['ab', 'cd', 'ef'], [0, 0, -1, 2, 2]],
    ['a text without words', '. ab', [], [-1, -1, -1, -1]],
  ])('%s', (_title, symbols, words, owners) => {
    expect(ownersOf(symbols, words)).toEqual(owners);
  });
});

describe('the bounds of symbols', () => {
  it('are sums of durations, scaled to the samples', () => {
    const bounds = symbolBounds({
      durations: [2n, 1n, 0n, 3n, 2n],
      places: [-1, 0, 0, 2, 3],
      symbols: 3,
      samples: 800,
    });
    expect([...bounds!]).toEqual([200, 300, 300, 600]);
  });

  it.each([
    ['another number of ids', [1, 2]],
    ['nothing', [0, 0, 0]],
    ['not a number', [1, Number.NaN, 1]],
    ['less than nothing', [3, -1, 3]],
  ])('are unknown for durations of %s', (_title, durations) => {
    expect(symbolBounds({ durations, places: [-1, 0, 1], symbols: 1, samples: 10 })).toBeUndefined();
  });
});
