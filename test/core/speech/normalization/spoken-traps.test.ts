import { describe, expect, it } from 'vitest';
import { normalizeEnglish } from '../../../../src/core/speech/normalization/normalize-english.ts';
import { knownGaps, spokenTraps, wordsOf } from './spoken-traps.ts';

describe.each(Object.entries(spokenTraps))('%s', (_name, traps) => {
  it.each(traps)('%j', (written, spoken) => {
    expect(wordsOf(normalizeEnglish(written))).toBe(wordsOf(spoken));
  });
});

describe('what is still misread', () => {
  it.each(knownGaps)('%j', (written, spoken) => {
    expect(wordsOf(normalizeEnglish(written))).not.toBe(wordsOf(spoken));
  });

  it('is at most one in fifty', () => {
    const count = Object.values(spokenTraps).flat().length;
    expect(knownGaps.length / (count + knownGaps.length)).toBeLessThanOrEqual(0.02);
  });
});
