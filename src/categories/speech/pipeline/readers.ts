import { withBreaks } from '../../../concurrency/in-slices.ts';
import { toMisakiPhonemes } from '../../../core/speech/espeak-phonemes.ts';
import { normalizeSteps } from '../../../core/speech/normalization/normalize-english.ts';
import { tidyText } from '../../../core/speech/normalization/tidy-text.ts';
import { fieldError, type InferenceError } from '../../../errors.ts';
import { createEnglishPhonemizer, createEspeakPhonemizers, type Phonemizer } from './pronunciation.ts';

export interface Reader {
  /** Writes out what isn't words: numbers, abbreviations, symbols. */
  prepare(text: string): string | Promise<string>;
  readonly phonemizer: Phonemizer;
}

export interface ReaderOptions {
  /** Languages of the model's voices, in BCP 47; eSpeak NG is loaded only where it has something to read. */
  readonly languages: readonly string[];
  /** Reader of English that the caller demands: it is used, or an error is thrown. */
  readonly phonemizer?: string | undefined;
  /** The same as the model's config has it, which is followed where that can be done. */
  readonly preferred?: unknown;
}

const varietiesOfEnglish = ['en-US', 'en-GB'] as const;

/** Gets the readers of all languages that can be read here. */
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

/** The error of a phonemizer that was asked for and isn't installed. */
export function espeakMissing(): InferenceError {
  const reason = 'espeak comes with a package of its own; install it with `npm install piper-phonemize`';
  return fieldError('phonemizer', reason);
}

/** Whether a language in BCP 47 is a variety of English. */
export function isEnglish(language: string): boolean {
  return /^en\b/.test(language);
}

const prepareEnglish: Reader['prepare'] = (text) => withBreaks(normalizeSteps(text));

/** How a text of a language is written out in words. */
export function preparationOf(language: string): Reader['prepare'] {
  return isEnglish(language) ? prepareEnglish : tidyText;
}
