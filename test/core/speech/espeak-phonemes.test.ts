import { describe, expect, it } from 'vitest';
import {
  espeakEnglishSymbols,
  fromEspeakPhonemes,
  toEspeakPhonemes,
} from '../../../src/core/speech/espeak-phonemes.ts';

describe('fromEspeakPhonemes', () => {
  it.each([
    ['en-US', 'həlˈoʊ wˈɜːld', 'həlˈO wˈɜɹld'],
    ['en-US', 'dʒˈʌdʒ tʃˈɜːtʃ', 'ʤˈʌʤ ʧˈɜɹʧ'],
    ['en-US', 'nˈaʊ aɪ sˈeɪ bˈɔɪ', 'nˈW I sˈA bˈY'],
    ['en-US', 'wˈɔːɾɚ ɐ bˈʌʔn̩', 'wˈɔTəɹ ə bˈʌtn'],
    ['en-US', 'lˈɑːx rˈɛd', 'lˈɑk ɹˈɛd'],
    ['en-GB', 'həlˈəʊ wˈɜːld', 'həlˈQ wˈɜːld'],
    ['en-GB', 'ðˈeə kˈɑː', 'ðˈɛː kˈɑː'],
    ['fr-FR', 'bɔ̃ʒˈuʁ lə- mˈatʃ vɛ̃tsˈɛt', 'bɔ̃ʒˈuʁ lə mˈatʃ vɛ̃tsˈɛt'],
    ['es', 'bˈaɪle mutʃˈatʃo', 'bˈIle muʧˈaʧo'],
    ['it', 'pˈitsa dzˈukːeɾo dʒˈɔɪa', 'pˈiʦa ʣˈukːeɾo ʤˈYa'],
  ])('%s %s', (language, ipa, phonemes) => {
    expect(fromEspeakPhonemes(ipa, language)).toBe(phonemes);
  });
});

describe('toEspeakPhonemes', () => {
  it.each([
    ['həlˈO wˈɜɹld', 'həlˈoʊ wˈɜːld'],
    ['ʤˈʌʤ ʧˈɜɹʧ', 'dʒˈʌdʒ tʃˈɜːtʃ'],
    ['nˈW I sˈA bˈY', 'nˈaʊ aɪ sˈeɪ bˈɔɪ'],
    ['wˈɔtəɹ, bˈʌtəɹ, ətˈæk', 'wˈɔːɾɚ, bˈʌɾɚ, ətˈæk'],
    ['əɹˈWnd ðə dˈɔɹ', 'əɹˈaʊnd ðə dˈoːɹ'],
    ['hˈæpi θɹˈi fˈɑks, jˈu', 'hˈæpi θɹˈiː fˈɑːks, jˈuː'],
  ])('%s', (phonemes, ipa) => {
    expect(toEspeakPhonemes(phonemes)).toBe(ipa);
  });

  it('writes known symbols alone', () => {
    const sounds = 'AIOWYbdfhijklmnpstuvwzɑæɔðʤəɛɜɡɪŋθɹʃʧʊʌʒˈˌ';
    const written = new Set(toEspeakPhonemes(`${sounds} əɹ ɜɹ ɑtə`).replaceAll(' ', ''));
    expect([...written].sort().join('')).toBe([...espeakEnglishSymbols].sort().join(''));
  });
});
