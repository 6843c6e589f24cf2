import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sourceEnd, sourceStart, toAlignedText } from '../../../src/core/tokenization/aligned-text.ts';
import { readBertNormalizer } from '../../../src/core/tokenization/normalizers/bert.ts';
import { normalizeText, type Normalizer } from '../../../src/core/tokenization/normalizers/normalizer.ts';
import { runs } from '../../thorough.ts';

const anyText = fc
  .oneof(
    fc.string({ unit: 'binary' }),
    fc.string({
      unit: fc.constantFrom(
        'a',
        'É',
        ' ',
        '\t',
        '\u0301',
        '\u0323',
        '\u1E69',
        '的',
        '한',
        'İ',
        '\u00AD',
        '😀',
      ),
    }),
  )
  .map((text) => text.replaceAll(/\p{Surrogate}/gu, ''));

const flags = ['clean_text', 'handle_chinese_chars', 'strip_accents', 'lowercase'];

/** Of each code unit: which it is, and where it comes from. */
function describeRewritten(normalize: Normalizer, source: string): (readonly [string, number, number])[] {
  const { text, end } = normalize({ text: toAlignedText(source, true), start: 0, end: source.length });
  return Array.from({ length: end }, (_, at) => [
    String.fromCharCode(text.units[at]!),
    sourceStart(text, at),
    sourceEnd(text, at),
  ]);
}

describe('the normalizer of BERT', () => {
  it('does the same character by character as step by step', () => {
    fc.assert(
      fc.property(anyText, fc.subarray(flags), (text, chosen) => {
        const normalize = readBertNormalizer(
          'normalizer',
          Object.fromEntries(flags.map((flag) => [flag, chosen.includes(flag)])),
        );
        // A mark that stays and has a place in the order of marks: such a text goes through the steps one by one.
        const inSteps = describeRewritten(normalize, `${text} \u302E`);
        expect(describeRewritten(normalize, text)).toEqual(inSteps.slice(0, -2));
      }),
      { seed: 13, numRuns: runs(300) },
    );
  });

  it.each([
    ['Crème\u0302 BRÛLÉE', 'creme brulee'],
    ['a\u0000b\tc\u00ADd\u3000e', 'ab cd e'],
    ['日本go', ' 日  本 go'],
    ['한', '\u1112\u1161\u11AB'],
    ['a\u0301\u302E\u0327\u302F', 'a\u302E\u302F'],
  ])('%j becomes %j', (given, expected) => {
    const normalize = readBertNormalizer('normalizer', {
      clean_text: true,
      handle_chinese_chars: true,
      strip_accents: null,
      lowercase: true,
    });
    expect(normalizeText(normalize, given)).toBe(expected);
  });
});
