import { tidyText } from '../../../core/speech/normalization/tidy-text.ts';
import { splitPhonemes } from '../../../core/speech/pieces.ts';
import { splitSentences } from '../../../core/speech/sentences.ts';
import type { Speaker } from '../synthesizer.ts';

/** About fifteen seconds: longer ones keep the listener waiting, and nothing can be cancelled while one is made. */
const longestPiece = 200;

/** A letter that isn't a mark of stress or length, or a digit. */
const sound = /[\p{Ll}\p{Lu}\p{Lo}\p{N}]/u;

/** One piece of a text, in the symbols of its speaker. */
export interface Piece {
  /** With punctuation. */
  readonly symbols: string;
  readonly isLast: boolean;
}

/**
 * Turns a text into pieces that a model can speak at once, one after the other: sentences, cut where they are too long.
 * Pieces without a sound are left out.
 */
export async function* toPieces(text: string, speaker: Speaker): AsyncGenerator<Piece, undefined> {
  const limit = Math.min(speaker.longestPiece ?? longestPiece, longestPiece);
  let held: string | undefined;
  for (const sentence of splitSentences(prepare(text, speaker))) {
    const pronounced = await pronounce(sentence, speaker);
    for (const symbols of splitPhonemes(pronounced, { limit })) {
      if (!sound.test(symbols)) continue;
      if (held !== undefined) yield { symbols: held, isLast: false };
      held = symbols;
    }
  }
  if (held !== undefined) yield { symbols: held, isLast: true };
  return undefined;
}

/** Writes out what isn't words. */
export function prepare(text: string, speaker: Speaker): string {
  return speaker.prepare?.(text) ?? tidyText(text);
}

/** Writes a sentence in the symbols of the model. */
export async function pronounce(sentence: string, speaker: Speaker): Promise<string> {
  return (await speaker.pronounce?.(sentence)) ?? sentence;
}
