import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { normalizeEnglish } from '../../../../src/core/speech/normalization/normalize-english.ts';
import { wordsOf } from './spoken-traps.ts';

/** Kind or class, text, and what a careful American reader says, written down from the texts alone. */
const rowsOf = (name: string) =>
  readFileSync(new URL(`golden/${name}.tsv`, import.meta.url), 'utf8')
    .trim()
    .split('\n')
    .map((line) => line.split('\t') as [kind: string, written: string, spoken: string]);

/** Capitals are spelled, with spaces between them or without. */
const plain = (text: string): string => wordsOf(text).replace(/\b([A-Z]) (?=[A-Z]\b)/g, '$1');

describe.each(['prose', 'spoken-classes'])('%s', (name) => {
  it.each(rowsOf(name))('%s: %s', (_kind, written, spoken) => {
    expect(plain(normalizeEnglish(written))).toBe(plain(spoken));
  });
});
