import { describe, expect, it } from 'vitest';
import { createEnglishPhonemizer, createEspeakPhonemizers } from '../../src/models/pronunciation.ts';

describe('the built-in phonemizer', () => {
  it.each(['en-US', 'en-GB'] as const)('reads %s', async (language) => {
    const phonemizer = await createEnglishPhonemizer(language);
    expect(phonemizer.language).toBe(language);
    // The dictionary has a remark after `aalborg`.
    expect(phonemizer.phonemize('a circle, aalborg.')).toBe('ə sˈɜɹkəl, ˈɔlbɔɹɡ.');
  });

  it('takes no property of objects for a word', async () => {
    const { phonemize } = await createEnglishPhonemizer('en-US');
    expect(phonemize('constructor toString __proto__')).toMatch(/^kənstɹˈʌktəɹ tə stɹˈɪŋ /);
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

  it('offers the languages that its build has', async () => {
    const spoken: string[] = [];
    const phonemizers = await createEspeakPhonemizers(async () => ({
      list_voices: async () => [
        { languages: [{ name: 'fr-fr' }, { name: 'fr' }] },
        { languages: [{ name: 'cmn' }] },
      ],
      phonemize: async (text: string, language: string) => {
        spoken.push(`${language}: ${text}`);
        return [text.toUpperCase(), '!'];
      },
    }));
    expect([...phonemizers.keys()]).toEqual(['fr-FR', 'zh']);
    expect(await phonemizers.get('fr-FR')!.phonemize('un cercle, rouge')).toBe('UN CERCLE !, ROUGE !');
    expect(spoken).toEqual(['fr-fr: un cercle', 'fr-fr: rouge']);
  });

  it('offers none where it is not installed', async () => {
    const phonemizers = await createEspeakPhonemizers(() =>
      Promise.reject(new Error('ERR_MODULE_NOT_FOUND')),
    );
    expect(phonemizers.size).toBe(0);
  });
});
