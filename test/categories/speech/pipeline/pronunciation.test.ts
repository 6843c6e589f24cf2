import { describe, expect, it } from 'vitest';
import {
  createEnglishPhonemizer,
  createEspeakPhonemizers,
  isReadByEspeak,
} from '../../../../src/categories/speech/pipeline/pronunciation.ts';

describe('the built-in phonemizer', () => {
  it.each(['en-US', 'en-GB'] as const)('reads %s', async (language) => {
    const phonemizer = await createEnglishPhonemizer(language);
    expect(phonemizer.language).toBe(language);
    // The dictionary has a remark after `aalborg`.
    expect(await phonemizer.phonemize('a circle, aalborg.')).toBe('ə sˈɜɹkəl, ˈɔlbɔɹɡ.');
  });

  it('takes no property of objects for a word', async () => {
    const { phonemize } = await createEnglishPhonemizer('en-US');
    expect(await phonemize('constructor toString __proto__')).toMatch(/^kənstɹˈʌktəɹ tə stɹˈɪŋ /);
  });
});

describe('eSpeak NG', () => {
  it.each([
    ['en-US', 'Hello world, a bird.', 'həlˈO wˈɜɹld, ə bˈɜɹd.'],
    ['en-GB', 'Hello world, a bird.', 'həlˈQ wˈɜːld, ə bˈɜːd.'],
    ['en-US', '"Why?" (now) — join the church…', '"wˈI?" (nˈW) — ʤˈYn ðə ʧˈɜɹʧ…'],
  ])('reads %s: %s', async (language, text, phonemes) => {
    const phonemizer = (await createEspeakPhonemizers()).get(language);
    expect(await phonemizer!.phonemize(text)).toBe(phonemes);
  });

  it.each([
    ['es', 'Ocho muchachos (aquí), ¿vale?', 'ˈoʧo muʧˈaʧos (akˈi), bˈale?'],
    ['es', 'Son 3,50 €, a las 15:30.', 'sˈon tɾˈes komˌa θinkwˈɛnta ˈeʊɾo, a las kˈinθe tɾˈAnta.'],
    ['fr-FR', "Bonjour, j'habite à Paris.", 'bɔ̃ʒˈuʁ, ʒabˈit a paʁˈi.'],
    ['it', 'Il cielo, la pizza.', 'il ʧˈɛlo, la pˈiʦːa.'],
    ['pt-BR', 'Bom dia.', 'bˈoŋ ʤˈiæ.'],
    ['hi', 'नमस्ते', 'nəmˈʌsteː'],
  ])('reads %s: %s', async (language, text, phonemes) => {
    const phonemizer = (await createEspeakPhonemizers()).get(language);
    expect(await phonemizer!.phonemize(text)).toBe(phonemes);
  });

  it('offers no language whose voices learned from another phonemizer', async () => {
    expect([...(await createEspeakPhonemizers()).keys()].sort()).toEqual([
      'en-GB',
      'en-US',
      'es',
      'fr-FR',
      'hi',
      'it',
      'pt-BR',
    ]);
    expect(['es', 'ja', 'zh', 'toString'].map(isReadByEspeak)).toEqual([true, false, false, false]);
  });

  it('offers none where it is not installed', async () => {
    const phonemizers = await createEspeakPhonemizers(() =>
      Promise.reject(new Error('ERR_MODULE_NOT_FOUND')),
    );
    expect(phonemizers.size).toBe(0);
  });
});
