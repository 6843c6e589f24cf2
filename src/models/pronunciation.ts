import { phonemizeEnglish } from '../core/speech/english/phonemize-english.ts';
import { fromEspeakPhonemes } from '../core/speech/espeak-phonemes.ts';

/** Tells how a text is pronounced. */
export interface Phonemizer {
  /** BCP 47, such as `en-US`. */
  readonly language: string;
  /**
   * @param text a sentence; the built-in one expects it as `normalizeEnglish` leaves it
   * @returns Kokoro's phonemes, words separated by spaces, with the punctuation of the text
   */
  phonemize(text: string): string | Promise<string>;
}

/** Remark after a pronunciation in `cmu-pronouncing-dictionary`. */
const remark = / #.*$/;

/**
 * Makes the phonemizer for English that needs nothing installed: a dictionary of 125,000 words, and rules for all
 * others. Its accent is American also where the language is `en-GB`.
 *
 * Loads the dictionary, which takes some tenths of a second and 30 MB.
 *
 * @example
 * ```ts
 * const { phonemize } = await createEnglishPhonemizer('en-US');
 * phonemize('a red circle.'); // 'ə ɹˈɛd sˈɜɹkəl.'
 * ```
 */
export async function createEnglishPhonemizer(language: 'en-US' | 'en-GB'): Promise<Phonemizer> {
  const { dictionary } = await import('cmu-pronouncing-dictionary');
  const lookUp = (word: string): string | undefined =>
    Object.hasOwn(dictionary, word) ? dictionary[word]!.replace(remark, '') : undefined;
  return { language, phonemize: (text) => phonemizeEnglish(text, { lookUp }) };
}

/** The used part of the package `phonemizer`, in whose types the languages of a voice are no list. */
interface EspeakModule {
  list_voices(): Promise<readonly { readonly languages: readonly { readonly name: string }[] }[]>;
  phonemize(text: string, language: string): Promise<readonly string[]>;
}

/** BCP 47 → what eSpeak NG calls the language. */
const espeakLanguages: Readonly<Record<string, string>> = {
  'en-US': 'en-us',
  'en-GB': 'en-gb',
  es: 'es',
  'fr-FR': 'fr-fr',
  hi: 'hi',
  it: 'it',
  ja: 'ja',
  'pt-BR': 'pt-br',
  zh: 'cmn',
};

/** Marks that the model speaks by, and that eSpeak NG would drop. */
const marks = /\s*[;:,.!?—…"“”()]+\s*/gu;

/**
 * Makes the phonemizers of eSpeak NG, from the package `phonemizer`, for all languages that its build has.
 *
 * @param load how the package is loaded
 * @returns by language in BCP 47; empty where the package isn't installed
 */
export async function createEspeakPhonemizers(
  load: () => Promise<unknown> = () => import('phonemizer'),
): Promise<ReadonlyMap<string, Phonemizer>> {
  let espeak: EspeakModule;
  try {
    espeak = (await load()) as EspeakModule;
  } catch {
    return new Map();
  }
  const voices = await espeak.list_voices();
  const known = new Set(voices.flatMap(({ languages }) => languages.map(({ name }) => name)));
  return new Map(
    Object.entries(espeakLanguages)
      .filter(([, name]) => known.has(name))
      .map(([language, name]) => [language, createEspeakPhonemizer(espeak, language, name)]),
  );
}

function createEspeakPhonemizer(espeak: EspeakModule, language: string, name: string): Phonemizer {
  return {
    language,
    async phonemize(text) {
      const phrases = text.split(marks);
      const between = text.match(marks) ?? [];
      let phonemes = '';
      for (const [index, phrase] of phrases.entries()) {
        const spoken = phrase === '' ? [] : await espeak.phonemize(phrase, name);
        phonemes += fromEspeakPhonemes(spoken.join(' '), language) + (between[index] ?? '');
      }
      return phonemes;
    },
  };
}
