import { dictionary } from 'cmu-pronouncing-dictionary';
import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { createLetterToSound } from '../../../../../src/core/speech/english/letter-to-sound-model.ts';
import { needs } from '../../../../needs.ts';
import { isThorough } from '../../../../thorough.ts';
import { distance } from '../distance.ts';
import { learnTable } from './learn-table.ts';

const isUpdate = process.env['UPDATE_LETTER_TO_SOUND'] === '1';
const file = new URL('../../../../../src/core/speech/english/letter-to-sound-table.ts', import.meta.url);
/** Relative entropy; it makes a table of 246 kB. */
const leastLoss = 2.6e-7;

describe('the table of letter-to-sound rules', () => {
  const learning = {
    ...needs(isThorough || isUpdate ? undefined : 'CI=1 learns it again'),
    timeout: 120_000,
  };

  it('is what CMUdict 3.0.0 teaches', learning, () => {
    const { pairs, runs } = learnTable(dictionary, leastLoss);
    const lines = [
      '/** Written by `UPDATE_LETTER_TO_SOUND=1 npx vitest run test/core/speech/english/letter-to-sound`. */',
      `export const pairs: string =\n  '${pairs}';`,
      `export const runs: string =\n  '${runs}';\n`,
    ];
    if (isUpdate) writeFileSync(file, lines.join('\n'));
    expect(readFileSync(file, 'utf8') === lines.join('\n')).toBe(true);
  });

  it('says unseen words of the same dictionary', learning, () => {
    const words = Object.entries(dictionary).filter(([word]) => /^[a-z]{3,}$/.test(word));
    const unseen = words.filter((_, at) => at % 50 === 7);
    const seen = words.filter((_, at) => at % 50 !== 7);
    const model = createLetterToSound(learnTable(Object.fromEntries(seen), leastLoss));
    let wrong = 0;
    let all = 0;
    const sounds = (pronunciation: string): string[] => pronunciation.replace(/\d| #.*/g, '').split(' ');
    for (const [word, pronunciation] of unseen) {
      const way = sounds(pronunciation);
      wrong += distance(sounds(model.pronounce(word)), way);
      all += way.length;
    }
    expect(wrong / all).toBeLessThan(0.075);
  });
});
