import { hashEnd, hashOf } from './hash.ts';
import type { Model } from './models/model.ts';
import { pushToken, type TokenBuffer } from './token-buffer.ts';

/** A slot is a cache line: lengths, tokens as `id · 256 + length`, and the code units of the word. */
const slotWords = 16;
const maxTokens = 7;
const maxWordLength = 16;
const unitsAt = 2 * (1 + maxTokens);

const minSlots = 2 ** 9;
const maxSlots = 2 ** 14;
const growth = 4;

/**
 * Adds a direct-mapped cache to `encode`: a word replaces the word in its slot. The cache grows from 32 kB up to 1 MB
 * while new words arrive. Words of more than 16 code units or 7 tokens aren't cached.
 */
export function withWordCache(encode: Model['encodeInto']): Model['encodeInto'] {
  let slots = 0;
  let records = new Int32Array();
  let units = new Uint16Array();
  /** Number of words cached since the last growth. */
  let kept = 0;

  function grow(): void {
    slots = Math.max(minSlots, growth * slots);
    records = new Int32Array(slots * slotWords);
    units = new Uint16Array(records.buffer);
    kept = 0;
  }

  /** Appends the tokens of a record if its word is `text[start, end)`. */
  function recall(
    tokens: TokenBuffer,
    text: Uint16Array,
    start: number,
    end: number,
    record: number,
  ): boolean {
    const header = records[record]!;
    if (header >> 8 !== end - start) return false;
    const from = 2 * record + unitsAt - start;
    for (let index = start; index < end; index++) if (units[from + index] !== text[index]) return false;
    const last = record + (header & 0xff);
    for (let place = record + 1; place <= last; place++) {
      const token = records[place]!;
      pushToken(tokens, token >>> 8, (token << 24) >> 24);
    }
    return true;
  }

  return (tokens, text, start, end) => {
    const length = end - start;
    if (length > maxWordLength) return encode(tokens, text, start, end);
    if (slots === 0) grow();
    const record = (hashEnd(hashOf(text, start, end)) & (slots - 1)) * slotWords;
    if (recall(tokens, text, start, end, record)) return;
    const from = tokens.count;
    encode(tokens, text, start, end);
    const count = tokens.count - from;
    if (count > maxTokens) return;
    for (let index = from; index < tokens.count; index++) if (tokens.literal[index] === 1) return;
    if (kept >= slots && slots < maxSlots) return grow();
    kept++;
    records[record] = (length << 8) | count;
    for (let index = 0; index < count; index++) {
      records[record + 1 + index] = (tokens.ids[from + index]! << 8) | (tokens.lengths[from + index]! & 0xff);
    }
    const place = 2 * record + unitsAt;
    for (let index = 0; index < length; index++) units[place + index] = text[start + index]!;
  };
}
