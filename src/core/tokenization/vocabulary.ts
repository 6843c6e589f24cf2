import { lowerBound } from '../sampling/scratch.ts';
import { fromUnits, writeUnits } from './code-units.ts';
import { createSlots, hashEnd, hashOf } from './hash.ts';

/** Token ids and their texts, without an object per token. */
export interface Vocabulary {
  /** Number of tokens. */
  readonly size: number;
  /** Highest id + 1; 0 when empty. */
  readonly idLimit: number;
  /** Length of the longest token in code units. */
  readonly longest: number;
  /** The id of the token `units[start, end)`, −1 if missing. */
  find(units: Uint16Array, start: number, end: number): number;
  /** `find` for callers that have already scanned the units: `hash` is their running hash. */
  findHashed(hash: number, units: Uint16Array, start: number, end: number): number;
  /** The id of a token, −1 if missing. */
  findText(token: string): number;
  textOf(id: number): string | undefined;
}

/** Ids are array indexes. */
export const maxTokenId = 2 ** 24 - 1;

/** Number of token texts to cache, since the same ones recur. */
const recentTexts = 4096;

const load = 0.8;

/**
 * Stores the code units of all tokens in one array in the order of their ids, with an open-addressed hash table: about
 * 30 bytes per token.
 */
export function createVocabulary(tokens: readonly string[], ids: Int32Array): Vocabulary {
  const count = tokens.length;
  const order = sortById(ids);
  const inOrder = Int32Array.from(order, (index) => ids[index]!);
  const idLimit = count === 0 ? 0 : inOrder[count - 1]! + 1;
  /** In ascending order; `undefined` if they are 0, 1, 2, … */
  const sortedIds = inOrder.every((id, entry) => id === entry) ? undefined : inOrder;
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
  const written = new Uint16Array(length);
  let size = 0;
  for (let entry = 0; entry < count; entry++) {
    const start = starts[entry]!;
    const end = writeUnits(written, start, tokens[order[entry]!]!);
    starts[entry + 1] = end;
    const mixed = hashEnd(hashOf(written, start, end));
    const slot = slotOf(mixed, written, start, end);
    if (slots[slot] === 0) size++;
    slots[slot] = (mixed & ~entryBits) | (entry + 1);
  }

  /** The slot of the token, or the free slot for it. */
  function slotOf(mixed: number, units: Uint16Array, start: number, end: number): number {
    for (let slot = mixed & mask; ; slot = (slot + 1) & mask) {
      const found = slots[slot]!;
      if (found === 0) return slot;
      if (((found ^ mixed) & ~entryBits) === 0 && isToken((found & entryBits) - 1, units, start, end))
        return slot;
    }
  }

  function isToken(entry: number, units: Uint16Array, start: number, end: number): boolean {
    const offset = starts[entry]! - start;
    if (end + offset !== starts[entry + 1]) return false;
    for (let index = start; index < end; index++) if (written[index + offset] !== units[index]) return false;
    return true;
  }

  function findHashed(hash: number, units: Uint16Array, start: number, end: number): number {
    const entry = (slots[slotOf(hashEnd(hash), units, start, end)]! & entryBits) - 1;
    return entry === -1 || sortedIds === undefined ? entry : sortedIds[entry]!;
  }

  function find(units: Uint16Array, start: number, end: number): number {
    if (end - start > longest) return -1;
    return findHashed(hashOf(units, start, end), units, start, end);
  }

  /** The last entry with an id, −1 if missing. */
  function entryOf(id: number): number {
    if (!(id >= 0 && id < idLimit)) return -1;
    if (!sortedIds) return id;
    const last = lowerBound(sortedIds, id + 1) - 1;
    return sortedIds[last] === id ? last : -1;
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
      return (recent[place] = fromUnits(written, starts[entry], starts[entry + 1]));
    },
  };
}

/** The indexes of ids in ascending order; stable for equal ids. */
function sortById(ids: Int32Array): Uint32Array {
  const indexRange = 2 ** 28;
  return Uint32Array.from(
    Float64Array.from(ids, (id, index) => id * indexRange + index).sort(),
    (key) => key % indexRange,
  );
}

/** The ids of `<0x00>` to `<0xFF>`, −1 if missing. */
export function findByteTokens(vocabulary: Vocabulary): Int32Array {
  return Int32Array.from({ length: 256 }, (_, byte) =>
    vocabulary.findText(`<0x${byte.toString(16).toUpperCase().padStart(2, '0')}>`),
  );
}
