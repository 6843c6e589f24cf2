import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { toAlignedText } from '../../../src/core/tokenization/aligned-text.ts';
import { createSegments } from '../../../src/core/tokenization/patterns/pattern.ts';
import { createRegularExpressionPattern } from '../../../src/core/tokenization/patterns/read-pattern.ts';

/** Where matches begin and end. */
function matches(source: string, text: string): string[] {
  const segments = createSegments();
  createRegularExpressionPattern('pattern', source)(toAlignedText(text, false), 0, text.length, segments);
  return Array.from({ length: segments.count }, (_, index) => index)
    .filter((index) => segments.matched[index] === 1)
    .map((index) => `${index === 0 ? 0 : segments.ends[index - 1]}-${segments.ends[index]}`);
}

/** Patterns that take an engine that backtracks a power of the length, or 2 to its power, each with a text that shows it. */
const hostile: readonly (readonly [pattern: string, unit: string])[] = [
  ['(.*)(.*)(.*)(.*)x', 'a'],
  ['.*.*=.*', 'a'],
  ['[a-z]*[a-z]*[0-9]', 'a'],
  [String.raw`(?:\p{L}\p{M}*)+(?:\p{L}\p{M}*)+[0-9]`, 'a'],
  ['(a+)+$', 'a'],
  ['(a+)+b', 'a'],
  ['(?:a|a)*b', 'a'],
  ['(?:a|[ab])+c', 'ab'],
  ['(?:a|aa)+c', 'a'],
  ['(?:a|ab|b)+c', 'ab'],
  ['(a+)*b', 'a'],
  ['(?:x(?:a+)+)y', 'xa'],
  ['(?=(a+)+b)a', 'a'],
  ['(?!(a+)+b)a', 'a'],
  ['(?<=(a+)+b)c', 'a'],
  ['(?<!b(a+)+)c', 'ac'],
  ['a*a*a*b', 'a'],
  ['a*a*a*a*a*a*b', 'a'],
  [String.raw`\w+\s?\w*\w*!`, 'a'],
  ['(.*,){20}x+(.*)+', 'a,'],
  ['(?:.*a){8}x', 'a'],
  ['(?:a?){50}a{50}b', 'a'],
  ['a?a?a?a?a?a?a?a?a?a?aaaaaaaaaab', 'a'],
  ['a.*b.*c.*d', 'abc'],
  ['a.*?b.*?c.*?d', 'abc'],
  ['.*?.*?.*?x', 'a'],
  ['(a|b|ab)*c', 'ab'],
  ['(?:(?:a+)+)+b', 'a'],
  ['(?:(?:(?:a+)+)+)+b', 'a'],
  [String.raw`(?:\s+|\s)+x`, ' '],
  [String.raw`\s*\s*\s*[\r\n]+x`, ' '],
  [String.raw`\s+$x`, ' '],
  [String.raw`(?:\p{L}+\s?)+[0-9]`, 'word '],
  [String.raw`(?:\p{L}+'?)+(?:\p{L}+'?)+!`, 'a'],
  ['(?:[^,]*,)*[^,]*;', 'a,'],
  ['(?:"[^"]*"|[^"])*;', 'a"'],
  ['(?i:(k+)+)b', 'K'],
  ['(?:aa|aaa)+b', 'a'],
  ['(?:a{1,20}){1,20}b', 'a'],
  ['(?:a{2,})+(?:a{3,})+b', 'a'],
  ['(?=.*x)(?=.*y).*z', 'ab'],
  ['(?:a(?=.*b))+c', 'a'],
  ['(?<=.*)(?<=.*)x', 'a'],
  [String.raw`(?:.|\n)*x`, 'a\n'],
  [String.raw`(?:[\s\S]+?)+x`, 'a\n'],
  ['(?>a+)+b', 'a'],
  ['(?:(?>a+)b?)+c', 'ab'],
  ['(?:😀+)+b', '😀'],
  ['(?:(?:ab)*|(?:ba)*x)c', 'ab'],
  [String.raw`(?:\b\w+\b\W?)+;`, 'ab '],
];

const refusal =
  /^pattern: the pattern ".+" takes more than 256 steps for each character of a text$|^pattern: regular expression: a part that may be empty repeats/;

describe('patterns that hold an engine that backtracks', () => {
  it.each(hostile)('%s ends, with matches or with an error of the model', (source, unit) => {
    for (const length of [10_000, 50_000]) {
      const text = unit.repeat(length / unit.length);
      try {
        for (const match of matches(source, text)) expect(match).toMatch(/^\d+-\d+$/);
      } catch (error) {
        expect((error as Error).message).toMatch(refusal);
      }
    }
  });

  it('most of them end by what is remembered of choices', () => {
    const ended = hostile.filter(([source, unit]) => {
      try {
        matches(source, unit.repeat(2000));
        return true;
      } catch {
        return false;
      }
    });
    expect(ended.length).toBeGreaterThan(hostile.length * 0.9);
  });
});

const golden = JSON.parse(
  gunzipSync(readFileSync(new URL('reference/golden.json.gz', import.meta.url))).toString(),
) as { readonly samples: readonly string[]; readonly patterns: readonly { readonly pattern: string }[] };

describe('what is remembered of choices changes no match', () => {
  // A comment would hide the end of a group.
  const patterns = golden.patterns.filter(({ pattern }) => !pattern.includes('#'));

  it.each(patterns)('$pattern', ({ pattern }) => {
    // Every match of a text is looked for with the help of a memory once a first one has taken many steps.
    const wide = `\u{e000}`.repeat(80);
    const tiring = '\u{e000}*\u{e000}*\u{e000}*\u{e001}';
    for (const sample of golden.samples) {
      const text = wide + sample;
      expect(matches(`${tiring}|(?:${pattern})`, text)).toEqual(matches(pattern, text));
    }
  });
});
