import { normalizeEnglish } from '../../../core/speech/normalization/normalize-english.ts';
import { tidyText } from '../../../core/speech/normalization/tidy-text.ts';
import { fieldError } from '../../../errors.ts';
import {
  createEnglishPhonemizer,
  createEspeakPhonemizers,
  type Phonemizer,
} from '../../../models/pronunciation.ts';
import { describeValue } from '../../../core/text/quote.ts';

/** Reader of the texts of one language. */
export interface Reader {
  /** Writes out what isn't words: numbers, abbreviations, symbols. */
  prepare(text: string): string;
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

const choices = ['built-in', 'espeak'];
const varietiesOfEnglish = ['en-US', 'en-GB'] as const;

/**
 * Gets the readers of all languages that can be read here.
 *
 * @returns by language in BCP 47; English always, the others where eSpeak NG is installed
 * @throws InferenceError `invalid_request` when the phonemizer asked for is unknown or not installed
 */
export async function createReaders({
  languages,
  phonemizer,
  preferred,
}: ReaderOptions): Promise<ReadonlyMap<string, Reader>> {
  if (phonemizer !== undefined && !choices.includes(phonemizer)) {
    throw fieldError('phonemizer', `expected one of ${choices.join(', ')}, got ${describeValue(phonemizer)}`);
  }
  const prefersEspeak = (phonemizer ?? preferred) === 'espeak';
  const needsEspeak = prefersEspeak || !languages.every(isEnglish);
  const espeak: ReadonlyMap<string, Phonemizer> = needsEspeak ? await createEspeakPhonemizers() : new Map();
  if (phonemizer === 'espeak' && espeak.size === 0) {
    throw fieldError(
      'phonemizer',
      'espeak comes with a package of its own; install it with `npm install piper-phonemize`',
    );
  }
  const readers = new Map<string, Reader>();
  for (const reader of espeak.values()) {
    const prepare = isEnglish(reader.language) ? normalizeEnglish : tidyText;
    readers.set(reader.language, { prepare, phonemizer: reader });
  }
  for (const language of varietiesOfEnglish) {
    if (prefersEspeak && espeak.has(language)) continue;
    readers.set(language, { prepare: normalizeEnglish, phonemizer: await createEnglishPhonemizer(language) });
  }
  return readers;
}

function isEnglish(language: string): boolean {
  return language.startsWith('en');
}
