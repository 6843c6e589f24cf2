import { hashEnd, hashStart, hashStep } from './hash.ts';
import { pushToken, type TokenBuffer } from './token-buffer.ts';

/** The tokens of words that came up lately. */
export interface WordCache {
  /** Appends the tokens of `units[start, end)` if they are known. */
  recall(tokens: TokenBuffer, units: Uint16Array, start: number, end: number): boolean;
  /** Keeps the tokens from `from` on as those of the word that `recall` was last asked for. */
  keep(tokens: TokenBuffer, from: number): void;
}

const slotBits = 14;
const slots = 2 ** slotBits;
const longestWord = 16;
const mostTokens = 8;

/**
 * A direct-mapped cache of fixed size (1.2 MB from the first word on): a word replaces the one that has its place, so that no text can make it
 * grow or slow. Words of more than 16 code units or 8 tokens aren't kept.
 */
export function createWordCache(): WordCache {
  let words = new Uint16Array();
  let ids = new Int32Array();
  let lengths = new Int8Array();
  let wordLengths = new Uint8Array();
  let counts = new Uint8Array();
  let asked: Uint16Array = words;
  let askedStart = 0;
  let askedEnd = 0;
  let askedSlot = 0;

  function allocate(): void {
    words = new Uint16Array(slots * longestWord);
    ids = new Int32Array(slots * mostTokens);
    lengths = new Int8Array(slots * mostTokens);
    wordLengths = new Uint8Array(slots);
    counts = new Uint8Array(slots);
  }

  return {
    recall(tokens, units, start, end) {
      if (words.length === 0) allocate();
      const length = end - start;
      asked = units;
      askedStart = start;
      askedEnd = end;
      if (length > longestWord) return false;
      let hash = hashStart;
      for (let index = start; index < end; index++) hash = hashStep(hash, units[index]!);
      const slot = hashEnd(hash) & (slots - 1);
      askedSlot = slot;
      if (wordLengths[slot] !== length) return false;
      const from = slot * longestWord - start;
      for (let index = start; index < end; index++) if (words[from + index] !== units[index]) return false;
      const first = slot * mostTokens;
      const last = first + counts[slot]!;
      for (let place = first; place < last; place++) pushToken(tokens, ids[place]!, lengths[place]!);
      return true;
    },
    keep(tokens, from) {
      const length = askedEnd - askedStart;
      const count = tokens.count - from;
      if (length > longestWord || count > mostTokens) return;
      for (let index = 0; index < count; index++) if (tokens.literal[from + index] === 1) return;
      const slot = askedSlot;
      wordLengths[slot] = length;
      counts[slot] = count;
      for (let index = 0; index < length; index++)
        words[slot * longestWord + index] = asked[askedStart + index]!;
      for (let index = 0; index < count; index++) {
        ids[slot * mostTokens + index] = tokens.ids[from + index]!;
        lengths[slot * mostTokens + index] = tokens.lengths[from + index]!;
      }
    },
  };
}
