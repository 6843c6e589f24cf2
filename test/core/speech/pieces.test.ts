import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { splitSentences, splitPhonemes } from '../../../src/core/speech/sentences.ts';

describe('splitSentences', () => {
  it.each([
    ['A red circle. A bee.', ['A red circle.', 'A bee.']],
    ['One! Two? Three… Four.', ['One!', 'Two?', 'Three… Four.']],
    ['"Stop!" she said. Then (she left.) Bye', ['"Stop!" she said.', 'Then (she left.)', 'Bye']],
    ['wait… and see', ['wait… and see']],
    ['Title.\nText', ['Title.', 'Text']],
    ['no end', ['no end']],
    ['  \n ', []],
    ['', []],
  ])('%j', (text, sentences) => {
    expect(splitSentences(text)).toEqual(sentences);
  });
});

describe('splitPhonemes', () => {
  it.each<[string, number, string[]]>([
    ['bˈi', 510, ['bˈi']],
    ['ə ɹˈɛd, ɹˈWnd kˈAk', 12, ['ə ɹˈɛd,', 'ɹˈWnd kˈAk']],
    ['a. b, c d', 8, ['a. b,', 'c d']],
    ['aaaa. bbbb, cc dd', 14, ['aaaa.', 'bbbb, cc dd']],
    ['aaaa, bbbb; cc dd', 14, ['aaaa, bbbb;', 'cc dd']],
    ['aaaa "bb," cc dd', 12, ['aaaa "bb,"', 'cc dd']],
    ['aa bb cc', 5, ['aa bb', 'cc']],
    ['abcdefgh', 3, ['abc', 'def', 'gh']],
    ['a, bbbbbbbb cccccccc', 18, ['a, bbbbbbbb', 'cccccccc']],
    ['  ', 5, []],
    ['', 5, []],
  ])('%j at most %i', (phonemes, limit, pieces) => {
    expect([...splitPhonemes(phonemes, { limit })]).toEqual(pieces);
  });

  it('keeps the limit and leaves out nothing but spaces', () => {
    const phonemes = fc.stringMatching(/^[abˈʧ𝒳 ,.;]{0,200}$/u);
    fc.assert(
      fc.property(phonemes, fc.integer({ min: 1, max: 40 }), (text, limit) => {
        const pieces = [...splitPhonemes(text, { limit })];
        for (const piece of pieces) {
          expect([...piece].length).toBeLessThanOrEqual(limit);
          expect(piece).toBe(piece.trim());
        }
        expect(pieces.join('').replaceAll(' ', '')).toBe(text.replaceAll(' ', ''));
      }),
    );
  });
});
