import { hashEnd, hashStart, hashStep, slotsFor } from './hash.ts';

/** Token ids and the texts they stand for, without an object per token. */
export interface Vocabulary {
  /** How many tokens there are. */
  readonly size: number;
  /** Highest id + 1; 0 when empty. */
  readonly idLimit: number;
  /** Length of the longest token in code units. */
  readonly longest: number;
  /** The id of the token that is `units[start, end)`, −1 if there is none. */
  find(units: Uint16Array, start: number, end: number): number;
  /** `find` for callers that went through the units anyway: `hash` is `hashStep` of all of them. */
  findHashed(hash: number, units: Uint16Array, start: number, end: number): number;
  /** The id of a token, −1 if there is none. */
  findText(token: string): number;
  /** The text of an id. */
  textOf(id: number): string | undefined;
  /** Where the code units of an id begin in `units`, −1 if there is none. */
  startOf(id: number): number;
  /** How many code units the text of an id has, 0 if there is none. */
  lengthOf(id: number): number;
  /** The code units of all tokens. */
  readonly units: Uint16Array;
}

/** Ids are indexes of arrays here. */
export const highestTokenId = 2 ** 24 - 1;

/** So many texts of tokens are kept, since the same ones come up again and again. */
const recentTexts = 4096;

/**
 * Puts all tokens behind each other into one array of UTF-16 code units, found by an open-addressed hash table:
 * about 25 bytes a token.
 *
 * @param tokens of two equal tokens, and of two tokens with one id, the later counts
 * @param ids `ids[i]` is the id of `tokens[i]`, 0 to `highestTokenId`
 */
export function createVocabulary(tokens: readonly string[], ids: Int32Array): Vocabulary {
  const count = tokens.length;
  let total = 0;
  let longest = 0;
  let idLimit = 0;
  for (let entry = 0; entry < count; entry++) {
    const length = tokens[entry]!.length;
    total += length;
    if (length > longest) longest = length;
    if (ids[entry]! >= idLimit) idLimit = ids[entry]! + 1;
  }
  const units = new Uint16Array(total);
  const starts = new Int32Array(count + 1);
  const entryOfId = new Int32Array(idLimit).fill(-1);
  const slots = new Int32Array(slotsFor(count));
  const mask = slots.length - 1;
  let size = 0;
  let at = 0;
  for (let entry = 0; entry < count; entry++) {
    const token = tokens[entry]!;
    const start = at;
    let hash = hashStart;
    for (let index = 0; index < token.length; index++) {
      const unit = token.charCodeAt(index);
      hash = hashStep(hash, unit);
      units[at++] = unit;
    }
    starts[entry + 1] = at;
    entryOfId[ids[entry]!] = entry;
    const slot = slotOf(hash, units, start, at);
    if (slots[slot] === 0) size++;
    slots[slot] = entry + 1;
  }

  /** The slot that holds the token or is free for it. */
  function slotOf(hash: number, text: Uint16Array, start: number, end: number): number {
    const length = end - start;
    for (let slot = hashEnd(hash) & mask; ; slot = (slot + 1) & mask) {
      const entry = slots[slot]! - 1;
      if (entry === -1) return slot;
      const from = starts[entry]!;
      if (starts[entry + 1]! - from !== length) continue;
      let index = 0;
      while (index < length && units[from + index] === text[start + index]) index++;
      if (index === length) return slot;
    }
  }

  function findHashed(hash: number, text: Uint16Array, start: number, end: number): number {
    const entry = slots[slotOf(hash, text, start, end)]! - 1;
    return entry === -1 ? -1 : ids[entry]!;
  }

  function find(text: Uint16Array, start: number, end: number): number {
    if (end - start > longest) return -1;
    let hash = hashStart;
    for (let index = start; index < end; index++) hash = hashStep(hash, text[index]!);
    return findHashed(hash, text, start, end);
  }

  let recentIds = new Int32Array();
  let recent: string[] = [];

  const entryOf = (id: number): number => (id >= 0 && id < idLimit ? entryOfId[id]! : -1);

  return {
    size,
    idLimit,
    longest,
    units,
    find,
    findHashed,
    findText(token) {
      if (token.length > longest) return -1;
      return find(toUnits(token), 0, token.length);
    },
    textOf(id) {
      const place = id & (recentTexts - 1);
      if (recentIds[place] === id) return recent[place];
      const entry = entryOf(id);
      if (entry === -1) return undefined;
      if (recent.length === 0) {
        recentIds = new Int32Array(recentTexts).fill(-1);
        recent = Array.from({ length: recentTexts }, () => '');
      }
      recentIds[place] = id;
      return (recent[place] = fromUnits(units, starts[entry]!, starts[entry + 1]!));
    },
    startOf(id) {
      const entry = entryOf(id);
      return entry === -1 ? -1 : starts[entry]!;
    },
    lengthOf(id) {
      const entry = entryOf(id);
      return entry === -1 ? 0 : starts[entry + 1]! - starts[entry]!;
    },
  };
}

/** The UTF-16 code units of a text. */
export function toUnits(text: string): Uint16Array {
  const units = new Uint16Array(text.length);
  for (let index = 0; index < text.length; index++) units[index] = text.charCodeAt(index);
  return units;
}

/** As many arguments as every engine takes. */
const chunk = 8192;

/** The text of UTF-16 code units. */
export function fromUnits(units: Uint16Array, start = 0, end = units.length): string {
  if (end - start <= chunk)
    return String.fromCharCode.apply(null, units.subarray(start, end) as unknown as number[]);
  let text = '';
  for (let from = start; from < end; from += chunk)
    text += fromUnits(units, from, Math.min(end, from + chunk));
  return text;
}
