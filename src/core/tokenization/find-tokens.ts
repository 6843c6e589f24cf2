import { createAddedTokenFinder } from './added-token-finder.ts';
import type { AddedToken } from './added-tokens.ts';
import { toAlignedText, type AlignedText } from './aligned-text.ts';
import type { EncodingBuilder } from './encoding-builder.ts';
import type { Model } from './models/model.ts';
import type { Normalizer } from './normalizers/normalizer.ts';
import type { Pieces, PreTokenizer } from './pieces.ts';
import { spellBytes } from './pre-tokenizers/byte-level.ts';
import { pushToken, type TokenBuffer } from './token-buffer.ts';

/** The stages from a text to its tokens. */
export interface Steps {
  readonly addedTokens: readonly AddedToken[];
  readonly normalize: Normalizer | undefined;
  readonly preTokenize: PreTokenizer | undefined;
  /** Whether the pre-tokenizer needs source positions. */
  readonly preTokenizerNeedsSource: boolean;
  readonly model: Model;
}

export interface FindOptions {
  readonly specialAsText: boolean;
  /** Records token positions. */
  readonly builder?: EncodingBuilder | undefined;
}

/** Appends the tokens of a text in steps: yields after every `wordsPerStep` words or added tokens. */
export type FindTokens = (tokens: TokenBuffer, text: string, options: FindOptions) => Generator<void, void>;

const wordsPerStep = 1024;

/** Composes the stages: added tokens, normalization, added tokens in the normalized text, pre-tokenization, the model. */
export function createTokenFinder(steps: Steps): FindTokens {
  const { addedTokens, normalize, preTokenize, preTokenizerNeedsSource, model } = steps;
  const findAsWritten = createAddedTokenFinder(addedTokens.filter((token) => !token.normalized));
  const findNormalized = createAddedTokenFinder(addedTokens.filter((token) => token.normalized));

  return function* (tokens, source, { specialAsText, builder }) {
    const tracked = builder !== undefined || (preTokenizerNeedsSource && normalize !== undefined);
    const whole = toAlignedText(source, tracked);
    let words = 0;
    for (const outer of findAsWritten({ text: whole, start: 0, end: whole.length }, specialAsText)) {
      const range = { text: whole, start: outer.start, end: outer.end };
      const piece = normalize && !outer.token ? normalize(range) : range;
      const inner = outer.token ? [outer] : findNormalized(piece, specialAsText);
      for (const { token, start, end } of inner) {
        if (token) {
          pushToken(tokens, token.id, 0);
          builder?.addToken(piece.text, start, end);
        } else yield* addText(piece.text, start, end);
        if (++words % wordsPerStep === 0) yield;
      }
    }

    function* addText(text: AlignedText, start: number, end: number): Generator<void, void> {
      let pieces: Pieces = { text, bounds: Int32Array.of(start, end), count: 1, asBytes: false };
      if (preTokenize) pieces = preTokenize(pieces);
      if (!supportsBytes(model, pieces)) pieces = spellBytes(pieces);
      const { encodeInto } = pieces.asBytes ? model.bytes! : model;
      const { bounds, count } = pieces;
      for (let piece = 0; piece < count; piece++) {
        const from = tokens.count;
        const pieceStart = bounds[2 * piece]!;
        const pieceEnd = bounds[2 * piece + 1]!;
        encodeInto(tokens, pieces.text.units, pieceStart, pieceEnd);
        builder?.addPiece(pieces.text, pieceStart, pieceEnd, from);
        if (++words % wordsPerStep === 0) yield;
      }
    }
  };
}

/** Whether a model can encode the pieces without spelling out their bytes. */
function supportsBytes({ bytes }: Model, { text, bounds, count, asBytes }: Pieces): boolean {
  if (!asBytes || count === 0) return true;
  return bytes !== undefined && bytes.knows(text.units, bounds[0]!, bounds[2 * count - 1]!);
}
