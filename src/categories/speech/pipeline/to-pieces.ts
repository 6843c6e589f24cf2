import { phonemeMark, type MarkedSpan } from '../../../core/speech/markup/read-markup.ts';
import { tidyText } from '../../../core/speech/normalization/tidy-text.ts';
import { splitPhonemes } from '../../../core/speech/pieces.ts';
import { splitSentences } from '../../../core/speech/sentences.ts';
import type { Speaker } from '../synthesizer.ts';

/** About fifteen seconds: longer ones keep the listener waiting, and nothing can be cancelled while one is made. */
const maxPieceLength = 200;

/** A letter that isn't a mark of stress or length, or a digit. */
const sound = /[\p{Ll}\p{Lu}\p{Lo}\p{N}]/u;

/** One piece of a text, in the symbols of its speaker. */
export interface Piece {
  /** With punctuation. */
  readonly symbols: string;
  readonly isLast: boolean;
  /** Silence after it; `undefined` where its last mark decides. */
  readonly pauseSeconds?: number | undefined;
}

/**
 * Turns a text into pieces that a model can speak at once, one after the other: sentences, cut where they are too long.
 * Pieces without a sound are left out.
 */
export async function* toPieces(
  spans: readonly MarkedSpan[],
  speaker: Speaker,
): AsyncGenerator<Piece, undefined> {
  const limit = Math.min(speaker.maxPieceLength ?? maxPieceLength, maxPieceLength);
  let held: Omit<Piece, 'isLast'> | undefined;
  for (const span of spans) {
    for await (const pronounced of pronounceSpan(span, speaker)) {
      for (const symbols of splitPhonemes(pronounced, { limit })) {
        if (!sound.test(symbols)) continue;
        if (held) yield { ...held, isLast: false };
        held = { symbols };
      }
    }
    if (held && span.pauseSeconds !== undefined) held = { ...held, pauseSeconds: span.pauseSeconds };
  }
  if (held) yield { ...held, isLast: true };
  return undefined;
}

/** The sentences of a part of a text in the symbols of the model; phonemes that the text gives stand among them. */
async function* pronounceSpan({ text, phonemes }: MarkedSpan, speaker: Speaker): AsyncGenerator<string> {
  const given = phonemes.values();
  for (const sentence of splitSentences(await prepare(text, speaker))) {
    const [first = '', ...others] = sentence.split(phonemeMark);
    let symbols = first.trim() === '' ? '' : await pronounce(first, speaker);
    for (const part of others) {
      const sounds = /\p{L}|\p{N}/u.test(part) ? ` ${await pronounce(part, speaker)}` : part;
      symbols = `${symbols} ${given.next().value ?? ''}${sounds}`;
    }
    yield symbols.trim();
  }
}

/** Writes out what isn't words. */
export async function prepare(text: string, speaker: Speaker): Promise<string> {
  return (await speaker.prepare?.(text)) ?? tidyText(text);
}

/** Writes a sentence in the symbols of the model. */
export async function pronounce(sentence: string, speaker: Speaker): Promise<string> {
  return (await speaker.pronounce?.(sentence)) ?? sentence;
}
