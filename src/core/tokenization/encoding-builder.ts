import { grown } from '../sampling/scratch.ts';
import { isHighSurrogate, sourceEnd, sourceStart, type AlignedText } from './aligned-text.ts';
import { fromUnits } from './code-units.ts';
import type { Encoding } from './encoding.ts';
import { utf8Length } from './models/utf8.ts';
import { sameSpan, type TokenBuffer } from './token-buffer.ts';

export type EncodingBuilder = ReturnType<typeof createEncodingBuilder>;

/** Collects the positions of tokens during encoding. */
export function createEncodingBuilder(
  tokens: TokenBuffer,
  { typeId, textOf }: { typeId: number; textOf: (id: number) => string | undefined },
) {
  const texts: string[] = [];
  let offsets = new Uint32Array(1024);
  let wordIds = new Int32Array(512);
  let words = 0;
  /** A character of a piece, the start of the next one, and the piece's bytes up to there. */
  let at = 0;
  let next = 0;
  let bytes = 0;

  function makeRoom(): void {
    if (tokens.count <= wordIds.length) return;
    const size = Math.max(tokens.count, 2 * wordIds.length);
    offsets = grown(offsets, 2 * size);
    wordIds = grown(wordIds, size);
  }

  function advance(units: Uint16Array): void {
    at = next;
    next += isHighSurrogate(units[at]!) ? 2 : 1;
    bytes += utf8Length(units[at]!);
  }

  return {
    /** Adds the tokens from index `from` on, which belong to a piece. */
    addPiece(text: AlignedText, start: number, end: number, from: number): void {
      makeRoom();
      const { units } = text;
      next = start;
      bytes = 0;
      advance(units);
      let position = 0;
      for (let index = from; index < tokens.count; index++) {
        const length = tokens.lengths[index]!;
        let begin = at;
        if (length === sameSpan) {
          offsets[2 * index] = offsets[2 * index - 2]!;
          offsets[2 * index + 1] = offsets[2 * index - 1]!;
        } else {
          if (bytes <= position && next < end) advance(units);
          begin = at;
          position += length;
          while (bytes < position && next < end) advance(units);
          offsets[2 * index] = sourceStart(text, begin);
          offsets[2 * index + 1] = sourceEnd(text, at);
        }
        texts.push(tokens.literal[index] === 1 ? fromUnits(units, begin, next) : textOf(tokens.ids[index]!)!);
        wordIds[index] = words;
      }
      words++;
    },
    /** Adds the last token as an added token. */
    addToken(text: AlignedText, start: number, end: number): void {
      makeRoom();
      const index = tokens.count - 1;
      texts.push(fromUnits(text.units, start, end));
      offsets[2 * index] = sourceStart(text, start);
      offsets[2 * index + 1] = sourceEnd(text, end - 1);
      wordIds[index] = words++;
    },
    finish(): Encoding {
      const { count } = tokens;
      return {
        ids: Uint32Array.from(tokens.ids.subarray(0, count)),
        tokens: texts,
        offsets: offsets.slice(0, 2 * count),
        typeIds: new Uint32Array(count).fill(typeId),
        wordIds: wordIds.slice(0, count),
        specialTokensMask: new Uint8Array(count),
        attentionMask: new Uint8Array(count).fill(1),
        overflowing: [],
      };
    },
  };
}
