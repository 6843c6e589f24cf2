import { splitPhonemes } from '../../../core/speech/pieces.ts';
import { splitSentences } from '../../../core/speech/sentences.ts';
import type { Reader } from './readers.ts';

/** A piece that one run of the graph speaks. */
export interface PhonemePiece {
  /** With punctuation. */
  readonly phonemes: string;
  readonly ids: readonly number[];
}

export interface PhonemePieceOptions {
  readonly reader: Reader;
  /** Phoneme → id; phonemes that the model doesn't know are left out. */
  readonly vocabulary: ReadonlyMap<string, number>;
  readonly maxPhonemes: number;
}

/** About fifteen seconds: longer ones keep the listener waiting, and nothing can be cancelled while one is made. */
const longestPiece = 200;

/** A letter that isn't a mark of stress or length. */
const sound = /[\p{Ll}\p{Lu}\p{Lo}]/u;

/**
 * Turns a text into pieces that a model can speak at once, one after the other: sentences, cut where they are too long.
 * Characters without a sound are left out.
 */
export async function* toPhonemePieces(
  text: string,
  { reader, vocabulary, maxPhonemes }: PhonemePieceOptions,
): AsyncGenerator<PhonemePiece> {
  const limit = Math.min(maxPhonemes, longestPiece);
  for (const sentence of splitSentences(reader.prepare(text))) {
    const all = await reader.phonemizer.phonemize(sentence);
    const known = Array.from(all, (phoneme) => (vocabulary.has(phoneme) ? phoneme : '')).join('');
    for (const phonemes of splitPhonemes(known, { limit })) {
      if (sound.test(phonemes)) {
        yield { phonemes, ids: Array.from(phonemes, (phoneme) => vocabulary.get(phoneme)!) };
      }
    }
  }
}
