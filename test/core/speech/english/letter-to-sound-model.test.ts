import { dictionary } from 'cmu-pronouncing-dictionary';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  createLetterToSound,
  letterToSound,
} from '../../../../src/core/speech/english/letter-to-sound-model.ts';
import { toMisakiPhonemes } from '../../../../src/core/speech/espeak-phonemes.ts';
import { createEnglishPhonemizer } from '../../../../src/categories/speech/pipeline/pronunciation.ts';
import { someRows, runs } from '../../../thorough.ts';
import { distance } from './distance.ts';
import { learnTable } from './letter-to-sound/learn-table.ts';

const golden = JSON.parse(
  readFileSync(new URL('golden/unknown-words.json', import.meta.url), 'utf8'),
) as Readonly<Record<'gold' | 'silver', Readonly<Record<string, readonly string[]>>>>;

describe('words that the dictionary lacks, against those of misaki', () => {
  it.each([
    ['gold', 0.08, 0.58],
    ['silver', 0.076, 0.57],
  ] as const)(
    '%s: at most %f of the phonemes are wrong, at least %f of the words right',
    async (name, most, least) => {
      const { phonemize } = await createEnglishPhonemizer('en-US');
      let right = 0;
      let wrong = 0;
      let all = 0;
      const words = someRows(Object.entries(golden[name]));
      for (const [word, ways] of words) {
        expect(Object.hasOwn(dictionary, word)).toBe(false);
        const said = toMisakiPhonemes(await phonemize(word)).replace(/[ˈˌ ]/g, '');
        const [best] = ways
          .map((way) => ({ wrong: distance(Array.from(said), Array.from(way)), of: way.length }))
          .toSorted((one, other) => one.wrong - other.wrong);
        right += best!.wrong === 0 ? 1 : 0;
        wrong += best!.wrong;
        all += best!.of;
      }
      expect(wrong / all).toBeLessThan(most);
      expect(right / words.length).toBeGreaterThan(least);
    },
  );
});

describe('letterToSound', async () => {
  const model = await letterToSound();

  it.each([
    ['blarning', 'B L AA1 R N IH0 NG'],
    ['phantasp', 'F AE1 N T AH0 S P'],
    ['', ''],
  ])('says %j as %j', (word, pronunciation) => {
    expect(model.pronounce(word)).toBe(pronunciation);
  });

  it('takes a candidate that is nearly as likely as its own, the likeliest of them', () => {
    expect(model.pronounce('dater', ['D AE1 T ER0', 'D EY1 T ER0'])).toBe('D EY1 T ER0');
    expect(model.pronounce('blarning', ['K AE1 T'])).toBe('B L AA1 R N IH0 NG');
  });

  it('stresses one vowel of every word', () => {
    for (const word of someRows(Object.keys(golden.gold))) {
      expect(model.pronounce(word).match(/1/g)).toHaveLength(1);
    }
  });

  it('says a word of thousands of letters', () => {
    const letters = 2 * runs(5000);
    expect(model.pronounce('na'.repeat(letters / 2)).split(' ')).toHaveLength(letters);
  });

  it('learns from three words', () => {
    const learn = (words: Readonly<Record<string, string>>) => createLetterToSound(learnTable(words, 0));
    const few = learn({
      bat: 'B AE1 T',
      "t'ab": 'T AE1 B # a remark',
      bit: 'B IH1 T',
      'a.': 'EY1',
    });
    expect(few.pronounce('tib')).toBe('T IH1 B');
    expect(few.pronounce('tub')).toBe('');
    expect(few.pronounce('tub', ['T AH1 B'])).toBe('T AH1 B');
    expect(learn({}).pronounce('tib')).toBe('');
  });

  it.each(['b ae', 'BAT', ''])('learns nothing from the sounds %j', (sounds) => {
    expect(() => learnTable({ bat: sounds }, 0)).toThrow(RangeError);
  });
});
