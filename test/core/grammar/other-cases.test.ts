import { expect, test } from 'vitest';
import type { CodePointSet } from '../../../src/core/grammar/languages/code-points.ts';
import { withOtherCases } from '../../../src/core/grammar/languages/other-cases.ts';

const listed = (set: CodePointSet): string[] =>
  set.flatMap(([from, to]) =>
    Array.from({ length: to - from + 1 }, (_, at) => String.fromCodePoint(from + at)),
  );

test.each<[string, CodePointSet, string]>([
  ['ASCII', [[0x61, 0x63]], 'ABCabc'],
  [
    'what has no case',
    [
      [0x30, 0x31],
      [0x5f, 0x5f],
    ],
    '01_',
  ],
  ['three forms', [[0x3c3, 0x3c3]], 'Σςσ'],
  ['beyond U+FFFF', [[0x10428, 0x10428]], '𐐀𐐨'],
  ['what folds to ASCII', [[0x17f, 0x17f]], 'ſ'],
])('%s', (_name, set, expected) => {
  expect(listed(withOtherCases(set)).join('')).toBe(expected);
});

test('what is added differs in case alone, by the engine of regular expressions', () => {
  for (let from = 0x80; from < 0x600; from += 0x40)
    for (const letter of listed([[from, from + 0x3f]])) {
      const codePoint = letter.codePointAt(0)!;
      const pattern = new RegExp(`^\\u{${codePoint.toString(16)}}$`, 'iu');
      for (const other of listed(withOtherCases([[codePoint, codePoint]])))
        expect([letter, other, pattern.test(other)]).toEqual([letter, other, true]);
    }
});
