import { dictionary } from 'cmu-pronouncing-dictionary';
import { describe, expect, it } from 'vitest';
import { arpabetToPhonemes } from '../../../src/core/speech/arpabet.ts';

describe('arpabetToPhonemes', () => {
  it.each([
    ['S ER1 K AH0 L', 'sˈɜɹkəl'],
    ['B AH1 T ER0', 'bˈʌtəɹ'],
    ['T R AY1 AE2 NG G AH0 L', 'tɹˈIˌæŋɡəl'],
    ['CH OY1 S', 'ʧˈYs'],
    ['JH AH1 JH', 'ʤˈʌʤ'],
    ['M EH1 ZH ER0', 'mˈɛʒəɹ'],
    ['TH IH1 NG K', 'θˈɪŋk'],
    ['Y UW1', 'jˈu'],
    ['AW1 T', 'ˈWt'],
    ['AH V', 'ʌv'],
  ])('%s is %s', (arpabet, phonemes) => {
    expect(arpabetToPhonemes(arpabet)).toBe(phonemes);
  });

  it('knows every sound of the dictionary', () => {
    const sounds = new Set(
      Object.values(dictionary).flatMap((entry) => entry.replace(/ #.*/, '').split(' ')),
    );
    expect(sounds.size).toBeGreaterThan(60);
    expect(arpabetToPhonemes([...sounds].join(' '))).toMatch(/^[ˈˌA-Za-zɑæɔðʤəɛɜɡɪŋθɹʃʧʊʌʒ]+$/);
  });

  it.each(['QQ', 'AH3', 'ah0', ''])('refuses %j', (sound) => {
    expect(() => arpabetToPhonemes(sound)).toThrow(RangeError);
  });
});
