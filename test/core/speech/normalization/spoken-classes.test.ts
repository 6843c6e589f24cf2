import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { normalizeEnglish } from '../../../../src/core/speech/normalization/normalize-english.ts';
import { wordsOf } from './spoken-traps.ts';

/** Class, text, and what a careful American reader says, written down from the texts alone. */
const rows = readFileSync(new URL('golden/spoken-classes.tsv', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .map((line) => line.split('\t') as [kind: string, written: string, spoken: string]);

/** Capitals are spelled, with spaces between them or without. */
const plain = (text: string): string => wordsOf(text).replace(/\b([A-Z]) (?=[A-Z]\b)/g, '$1');

it.each(rows)('%s: %s', (_kind, written, spoken) => {
  expect(plain(normalizeEnglish(written))).toBe(plain(spoken));
});
