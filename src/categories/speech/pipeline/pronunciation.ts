import { getOrCreate } from '../../../core/get-or-create.ts';
import { withBreaks } from '../../../concurrency/in-slices.ts';
import {
  createLetterToSound,
  type LetterToSoundModel,
} from '../../../core/speech/english/letter-to-sound-model.ts';
import { phonemizeSteps } from '../../../core/speech/english/phonemize-english.ts';
import { fromEspeakPhonemes } from '../../../core/speech/espeak-phonemes.ts';

export interface Phonemizer {
  /** BCP 47, such as `en-US`. */
  readonly language: string;
  /** @param text a sentence; the built-in phonemizer expects the output of `normalizeEnglish` */
  phonemize(text: string): string | Promise<string>;
}

/** Remark after a pronunciation in `cmu-pronouncing-dictionary`. */
const remark = / #.*$/;

/** The model for unknown words, shared by this process's phonemizers. */
let model: LetterToSoundModel | undefined;
/** Unknown words come again, and a long one takes milliseconds. */
const pronounced = new Map<string, string>();
const maxPronounced = 10_000;

/**
 * Needs no installation: a dictionary of 125,000 words, and letter-to-sound rules for unknown words. American for `en-GB` too.
 * Loading takes some tenths of a second and 30 MB; the first unknown word takes two more and 4 MB.
 */
export async function createEnglishPhonemizer(language: 'en-US' | 'en-GB'): Promise<Phonemizer> {
  const { dictionary } = await import('cmu-pronouncing-dictionary');
  const table = await import('../../../core/speech/english/letter-to-sound-table.ts');
  const lookUp = (word: string): string | undefined =>
    Object.hasOwn(dictionary, word) ? dictionary[word]!.replace(remark, '') : undefined;
  const letterToSound: LetterToSoundModel = {
    pronounce(word, candidates) {
      if (pronounced.size >= maxPronounced) pronounced.clear();
      model ??= createLetterToSound(table);
      return getOrCreate(pronounced, word, () => model!.pronounce(word, candidates));
    },
  };
  return { language, phonemize: (text) => withBreaks(phonemizeSteps(text, { lookUp, letterToSound })) };
}

interface EspeakModule {
  /** @returns IPA by sentence; `null` if the build lacks the voice */
  phonemizeToString(text: string, voice: string): readonly string[] | null;
}

/** eSpeak NG, from the package `piper-phonemize`. */
export interface Espeak {
  /** @param voice eSpeak NG's name, such as `en-us` */
  transcribe(text: string, voice: string): string | undefined;
}

export async function loadEspeak(
  load: () => Promise<unknown> = () => import('piper-phonemize'),
): Promise<Espeak | undefined> {
  try {
    const { default: espeak } = (await load()) as { readonly default: EspeakModule };
    return { transcribe: (text, voice) => espeak.phonemizeToString(text, voice)?.join(' ') };
  } catch {
    return undefined;
  }
}

/** BCP 47 → eSpeak NG's voice. Not Japanese and Chinese: Kokoro was trained on phonemes that eSpeak NG doesn't write. */
const espeakVoices: Readonly<Record<string, string>> = {
  'en-US': 'en-us',
  'en-GB': 'en',
  es: 'es',
  'fr-FR': 'fr',
  hi: 'hi',
  it: 'it',
  'pt-BR': 'pt-br',
};

/** True if eSpeak NG supports a language (BCP 47). */
export function isReadByEspeak(language: string): boolean {
  return Object.hasOwn(espeakVoices, language);
}

/** Punctuation that shapes the model's speech and that eSpeak NG would drop; not inside numbers: `3,50`, `15:30`. */
const marks = /\s*(?:(?<!\d)[:,.]|[:,.](?!\d)|[;!?—…"“”()])+\s*/gu;

export async function createEspeakPhonemizers(
  load?: () => Promise<unknown>,
): Promise<ReadonlyMap<string, Phonemizer>> {
  const espeak = await loadEspeak(load);
  if (!espeak) return new Map();
  return new Map(
    Object.entries(espeakVoices).map(([language, voice]) => [
      language,
      { language, phonemize: (text) => phonemize(text, { espeak, language, voice }) },
    ]),
  );
}

interface EspeakOptions {
  readonly espeak: Espeak;
  readonly language: string;
  readonly voice: string;
}

function phonemize(text: string, { espeak, language, voice }: EspeakOptions): string {
  const between = text.match(marks) ?? [];
  return text
    .split(marks)
    .map((phrase, at) => {
      const spoken = phrase === '' ? '' : (espeak.transcribe(phrase, voice) ?? '');
      return fromEspeakPhonemes(spoken, language) + (between[at] ?? '');
    })
    .join('');
}
