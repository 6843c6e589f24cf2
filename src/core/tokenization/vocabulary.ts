import { lowerBound } from '../sampling/lower-bound.ts';
import { fromUnits, writeUnits } from './code-units.ts';
import { writeUtf8 } from './models/utf8.ts';
import { createSlots, hashEnd, hashStart, hashStep } from './hash.ts';

/** Token ids and the texts they stand for, without an object per token. */
export interface Vocabulary {
  /** Number of tokens. */
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
}

/** Ids are indexes of arrays here. */
export const highestTokenId = 2 ** 24 - 1;

/** Number of token texts to cache, since the same ones recur. */
const recentTexts = 4096;

const load = 0.8;

/**
 * Puts all tokens after each other into one array of bytes, in the order of their ids, found by an open-addressed hash table:
 * about 20 bytes a token. Every UTF-16 code unit is written as UTF-8 would write it if it were a character, halves of surrogate
 * pairs too.
 */
export function createVocabulary(tokens: readonly string[], ids: Int32Array): Vocabulary {
  const count = tokens.length;
  const inverse = invert(ids);
  const order = inverse ?? sortById(ids);
  const idLimit = count === 0 ? 0 : ids[order[count - 1]!]! + 1;
  /** In ascending order, unless they are simply 0, 1, 2, … */
  const sortedIds = inverse ? undefined : inOrder(ids, order);
  let length = 0;
  let longest = 0;
  for (const token of tokens) {
    length += token.length;
    if (token.length > longest) longest = token.length;
  }
  const scratch = new Uint16Array(longest);
  const starts = new Uint32Array(count + 1);
  const { slots, entryBits } = createSlots(count, load);
  const mask = slots.length - 1;
  let bytes = new Uint8Array(3 * length);
  let size = 0;
  let at = 0;
  for (let entry = 0; entry < count; entry++) {
    const token = tokens[order[entry]!]!;
    let hash = hashStart;
    for (let index = 0; index < token.length; index++) {
      const unit = token.charCodeAt(index);
      scratch[index] = unit;
      hash = hashStep(hash, unit);
      if (unit < 0x80) bytes[at++] = unit;
      else at = writeUtf8(bytes, at, unit);
    }
    starts[entry + 1] = at;
    const mixed = hashEnd(hash);
    const slot = slotOf(mixed, scratch, 0, token.length);
    if (slots[slot] === 0) size++;
    slots[slot] = (mixed & ~entryBits) | (entry + 1);
  }
  bytes = bytes.slice(0, at);

  /** The slot that holds the token or is free for it. */
  function slotOf(mixed: number, units: Uint16Array, start: number, end: number): number {
    for (let slot = mixed & mask; ; slot = (slot + 1) & mask) {
      const found = slots[slot]!;
      if (found === 0) return slot;
      if (((found ^ mixed) & ~entryBits) === 0 && isToken((found & entryBits) - 1, units, start, end))
        return slot;
    }
  }

  function isToken(entry: number, units: Uint16Array, start: number, end: number): boolean {
    let place = starts[entry]!;
    for (let index = start; index < end; index++) {
      const unit = units[index]!;
      if (unit < 0x80) {
        if (bytes[place++] !== unit) return false;
      } else {
        if (readUnit(bytes, place) !== unit) return false;
        place += bytesOf(unit);
      }
    }
    return place === starts[entry + 1];
  }

  function findHashed(hash: number, units: Uint16Array, start: number, end: number): number {
    const entry = (slots[slotOf(hashEnd(hash), units, start, end)]! & entryBits) - 1;
    return entry === -1 || sortedIds === undefined ? entry : sortedIds[entry]!;
  }

  function find(units: Uint16Array, start: number, end: number): number {
    if (end - start > longest) return -1;
    let hash = hashStart;
    for (let index = start; index < end; index++) hash = hashStep(hash, units[index]!);
    return findHashed(hash, units, start, end);
  }

  /** The last entry with an id, −1 if there is none. */
  function entryOf(id: number): number {
    if (!(id >= 0 && id < idLimit)) return -1;
    if (!sortedIds) return id;
    const last = lowerBound(sortedIds, id + 1) - 1;
    return sortedIds[last] === id ? last : -1;
  }

  function readText(entry: number): string {
    const end = starts[entry + 1]!;
    let units = 0;
    for (let place = starts[entry]!; place < end;) {
      const unit = readUnit(bytes, place);
      scratch[units++] = unit;
      place += bytesOf(unit);
    }
    return fromUnits(scratch, 0, units);
  }

  let recentIds = new Int32Array();
  let recent: string[] = [];

  return {
    size,
    idLimit,
    longest,
    find,
    findHashed,
    findText(token) {
      return token.length > longest ? -1 : find(scratch, 0, writeUnits(scratch, 0, token));
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
      return (recent[place] = readText(entry));
    },
  };
}

/** Index of each id, if the ids are dense and unique. */
function invert(ids: Int32Array): Uint32Array | undefined {
  const count = ids.length;
  const places = new Uint32Array(count);
  const isTaken = new Uint8Array(count);
  for (let index = 0; index < count; index++) {
    const id = ids[index]!;
    if (id >= count || isTaken[id] === 1) return undefined;
    isTaken[id] = 1;
    places[id] = index;
  }
  return places;
}

/** The indexes of ids in ascending order of the ids, equal ones as they come. */
function sortById(ids: Int32Array): Uint32Array {
  const indexRange = 2 ** 28;
  return Uint32Array.from(
    Float64Array.from(ids, (id, index) => id * indexRange + index).sort(),
    (key) => key % indexRange,
  );
}

function inOrder(ids: Int32Array, order: Uint32Array): Int32Array {
  return Int32Array.from(order, (index) => ids[index]!);
}

function bytesOf(unit: number): number {
  if (unit < 0x80) return 1;
  return unit < 0x8_00 ? 2 : 3;
}

function readUnit(bytes: Uint8Array, at: number): number {
  const first = bytes[at]!;
  if (first < 0x80) return first;
  const second = bytes[at + 1]! & 0x3f;
  if (first < 0xe0) return ((first & 0x1f) << 6) | second;
  return ((first & 0x0f) << 12) | (second << 6) | (bytes[at + 2]! & 0x3f);
}

/** The ids of `<0x00>` to `<0xFF>`, −1 where there is none. */
export function findByteTokens(vocabulary: Vocabulary): Int32Array {
  return Int32Array.from({ length: 256 }, (_, byte) =>
    vocabulary.findText(`<0x${byte.toString(16).toUpperCase().padStart(2, '0')}>`),
  );
}
