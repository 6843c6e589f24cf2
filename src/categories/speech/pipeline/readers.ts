import { withBreaks } from '../../../concurrency/in-slices.ts';
import { toMisakiPhonemes } from '../../../core/speech/espeak-phonemes.ts';
import { normalizeSteps } from '../../../core/speech/normalization/normalize-english.ts';
import { tidyText } from '../../../core/speech/normalization/tidy-text.ts';
import { fieldError, type InferenceError } from '../../../errors.ts';
import { createEnglishPhonemizer, createEspeakPhonemizers, type Phonemizer } from './pronunciation.ts';

export interface Reader {
  /** Normalizes numbers, abbreviations and symbols to words. */
  prepare(text: string): string | Promise<string>;
  readonly phonemizer: Phonemizer;
}

export interface ReaderOptions {
  /** BCP 47 tags of the model's languages; eSpeak NG is loaded only if one needs it. */
  readonly languages: readonly string[];
  /** Required reader of English: missing it is an error. */
  readonly phonemizer?: string | undefined;
  /** The phonemizer in the model's config, used if available. */
  readonly preferred?: unknown;
}

const varietiesOfEnglish = ['en-US', 'en-GB'] as const;

export async function createReaders({
  languages,
  phonemizer,
  preferred,
}: ReaderOptions): Promise<ReadonlyMap<string, Reader>> {
  const prefersEspeak = (phonemizer ?? preferred) === 'espeak';
  const needsEspeak = prefersEspeak || !languages.every(isEnglish);
  const espeak: ReadonlyMap<string, Phonemizer> = needsEspeak ? await createEspeakPhonemizers() : new Map();
  if (phonemizer === 'espeak' && espeak.size === 0) throw espeakMissing();
  const readers = new Map<string, Reader>();
  for (const reader of espeak.values())
    readers.set(reader.language, { prepare: preparationOf(reader.language), phonemizer: reader });
  for (const language of varietiesOfEnglish) {
    if (prefersEspeak && espeak.has(language)) continue;
    const { phonemize } = await createEnglishPhonemizer(language);
    readers.set(language, {
      prepare: prepareEnglish,
      phonemizer: { language, phonemize: async (text) => toMisakiPhonemes(await phonemize(text)) },
    });
  }
  return readers;
}

export function espeakMissing(): InferenceError {
  const reason = 'espeak requires a package; install it with `npm install piper-phonemize`';
  return fieldError('phonemizer', reason);
}

export function isEnglish(language: string): boolean {
  return /^en\b/.test(language);
}

const prepareEnglish: Reader['prepare'] = (text) => withBreaks(normalizeSteps(text));

export function preparationOf(language: string): Reader['prepare'] {
  return isEnglish(language) ? prepareEnglish : tidyText;
}
