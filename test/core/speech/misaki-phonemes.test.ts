import { expect, it } from 'vitest';
import { toMisakiPhonemes } from '../../../src/core/speech/espeak-phonemes.ts';

it.each([
  ['əbˈɪlɪti', 'əbˈɪləti'],
  ['ˈædmɪɹəl', 'ˈædməɹəl'],
  ['ɹˈIɾɪŋ ˈænɪmˌAtɪŋ', 'ɹˈIɾɪŋ ˈænəmˌAtɪŋ'],
  ['mjˈuzɪk ˈɪʤ dˈɪstɹɪkt', 'mjˈuzɪk ˈɪʤ dˈɪstɹɪkt'],
  ['bˈɑksəz, wˈɑntəd.', 'bˈɑksɪz, wˈɑntɪd.'],
  ['mˈɛθəd stˈʌdədz', 'mˈɛθəd stˈʌdədz'],
  ['ɪn ɪt', 'ɪn ɪt'],
  ['', ''],
])('%j becomes %j', (phonemes, expected) => {
  expect(toMisakiPhonemes(phonemes)).toBe(expected);
});
