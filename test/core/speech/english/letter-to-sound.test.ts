import { dictionary } from 'cmu-pronouncing-dictionary';
import { describe, expect, it } from 'vitest';
import { soundOut } from '../../../../src/core/speech/english/letter-to-sound.ts';
import { distance } from './distance.ts';

const words = Object.keys(dictionary).filter((word) => /^[a-z]{3,}$/.test(word));
/** Every 25th of the 120,000. */
const sample = words.filter((_, at) => at % 25 === 0);

const withoutStress = (pronunciation: string): string => pronunciation.replace(/[012]/g, '');

function variantsOf(word: string): string[] {
  const keys = [word, `${word}(2)`, `${word}(3)`, `${word}(4)`].filter((key) =>
    Object.hasOwn(dictionary, key),
  );
  return keys.map((key) => dictionary[key]!.replace(/ #.*/, ''));
}

describe('soundOut', () => {
  it.each([
    ['cake', 'K EY1 K'],
    ['bright', 'B R AY1 T'],
    ['nation', 'N EY1 SH AH0 N'],
    ['knight', 'N AY1 T'],
    ['phone', 'F OW1 N'],
    ['quick', 'K W IH1 K'],
    ['judge', 'JH AH1 JH'],
    ['boxes', 'B AA1 K S IH0 Z'],
    ['jumped', 'JH AH1 M P T'],
    ['table', 'T EY1 B AH0 L'],
    ['city', 'S IH1 T IY0'],
    ['biology', 'B AY0 AA1 L AH0 JH IY0'],
    ['brrr', ''],
  ])('says %s as %s', (word, pronunciation) => {
    expect(soundOut(word)).toBe(pronunciation);
  });

  it('stresses exactly one vowel of every word that has one', () => {
    for (const word of sample) {
      const stresses = soundOut(word).match(/[012]/g) ?? [];
      if (stresses.length > 0) expect(stresses.filter((digit) => digit === '1')).toHaveLength(1);
    }
  });

  it('finds four of ten words of the dictionary, names included, and 84 of 100 sounds', () => {
    let found = 0;
    let wrongSounds = 0;
    let allSounds = 0;
    for (const word of sample) {
      const guess = withoutStress(soundOut(word)).split(' ');
      const distances = variantsOf(word).map((variant) => {
        const sounds = withoutStress(variant).split(' ');
        return { wrong: distance(guess, sounds), of: sounds.length };
      });
      const best = distances.reduce((one, other) => (other.wrong < one.wrong ? other : one));
      if (best.wrong === 0) found += 1;
      wrongSounds += best.wrong;
      allSounds += best.of;
    }
    expect(found / sample.length).toBeGreaterThan(0.4);
    expect(wrongSounds / allSounds).toBeLessThan(0.16);
  });

  it('refuses other letters', () => {
    expect(() => soundOut('é')).toThrow(RangeError);
  });
});
