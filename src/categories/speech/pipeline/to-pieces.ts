import { phonemeMark, type MarkedSpan } from '../../../core/speech/markup/read-markup.ts';
import { tidyText } from '../../../core/speech/normalization/tidy-text.ts';
import { splitSentences, splitPhonemes } from '../../../core/speech/sentences.ts';
import type { Speaker } from '../synthesizer.ts';

/** About fifteen seconds: longer pieces delay the audio and can't be cancelled midway. */
const maxPieceLength = 200;

/** A letter (not a stress or length mark) or digit. */
const sound = /[\p{Ll}\p{Lu}\p{Lo}\p{N}]/u;

export interface Piece {
  /** With punctuation. */
  readonly symbols: string;
  readonly isLast: boolean;
  /** Silence after it; `undefined` if its last mark decides. */
  readonly pauseSeconds?: number | undefined;
}

/** Sentences, cut if too long; pieces without a sound are skipped. */
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

/** With the caller's phonemes in place. */
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

export async function prepare(text: string, speaker: Speaker): Promise<string> {
  return (await speaker.prepare?.(text)) ?? tidyText(text);
}

export async function pronounce(sentence: string, speaker: Speaker): Promise<string> {
  return (await speaker.pronounce?.(sentence)) ?? sentence;
}
