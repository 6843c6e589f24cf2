import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { normalizeEnglish } from '../../../../src/core/speech/normalization/normalize-english.ts';
import { wordsOf } from './spoken-traps.ts';

const read = (name: string): string => readFileSync(new URL(`golden/${name}`, import.meta.url), 'utf8');

/** Class, text, and what a careful American reader says, written down from the texts alone. */
const rows = read('spoken-classes.tsv')
  .trim()
  .split('\n')
  .map((line) => line.split('\t') as [kind: string, written: string, spoken: string]);

/** The texts that are still misread. */
const misread = new Set(JSON.parse(read('misread.json')) as readonly string[]);

/** Capitals are spelled, with spaces between them or without. */
const plain = (text: string): string => wordsOf(text).replace(/\b([A-Z]) (?=[A-Z]\b)/g, '$1');

describe('every class of tokens', () => {
  it.each(rows.filter(([, written]) => !misread.has(written)))('%s: %s', (_kind, written, spoken) => {
    expect(plain(normalizeEnglish(written))).toBe(plain(spoken));
  });

  it.each(rows.filter(([, written]) => misread.has(written)))(
    'still misread: %s: %s',
    (_kind, written, spoken) => {
      expect(plain(normalizeEnglish(written))).not.toBe(plain(spoken));
    },
  );
});
