import { positionOf, withinRange, type Candidates } from './candidates.ts';
import type { Adjustments } from './scan.ts';

/** New logits of a few tokens. */
export interface LogitChanges {
  /** The first `size`: distinct tokens, ascending. */
  readonly tokens: Int32Array;
  readonly size: number;
  /** The logit that the token at a place gets for its present one. */
  changed(place: number, logit: number): number;
}

/** Changes the candidates among the tokens, but for spared ones. */
export function applyChanges(
  candidates: Candidates,
  changes: LogitChanges,
  isPenalized?: (token: number) => boolean,
): Candidates {
  for (let i = 0; i < changes.size; i++) {
    const token = changes.tokens[i]!;
    const position = positionOf(candidates, token);
    if (position < 0 || isPenalized?.(token) === false) continue;
    candidates.logits[position] = changes.changed(i, candidates.logits[position]!);
  }
  return candidates;
}

/** Tokens that a mask may leave out and still be told as changes: lists of a few are merged in less than a pass over all logits. */
const mostExcluded = 64;

/**
 * Works out the logits of all tokens that several changes in a row and a mask touch, merging their ascending lists.
 * @returns a function that returns `undefined` where a mask leaves out more than a few tokens
 */
export function createAdjuster(
  changes: readonly LogitChanges[],
): (logits: Float32Array, allow?: Uint32Array) => Adjustments | undefined {
  const excluded = { tokens: new Int32Array(mostExcluded), size: 0, changed: () => -Infinity };
  const all = [...changes, excluded];
  const capacity = all.reduce((sum, { tokens }) => sum + tokens.length, 0);
  const adjustments = { tokens: new Int32Array(capacity), logits: new Float64Array(capacity), size: 0 };
  const places = new Int32Array(all.length);
  return (logits, allow) => {
    excluded.size = 0;
    if (allow !== undefined && !exclude(excluded, allow, logits.length)) return undefined;
    places.fill(0);
    let size = 0;
    for (let token = nextToken(all, places); token < Infinity; token = nextToken(all, places)) {
      let logit = withinRange(logits[token]!);
      for (let i = 0; i < all.length; i++) {
        if (tokenAt(all[i]!, places[i]!) === token) logit = all[i]!.changed(places[i]!++, logit);
      }
      adjustments.tokens[size] = token;
      adjustments.logits[size++] = logits[token]! > -Infinity ? logit : -Infinity;
    }
    adjustments.size = size;
    return adjustments;
  };
}

/** Lists the tokens that a mask leaves out. @returns whether they are few */
function exclude(
  excluded: { tokens: Int32Array; size: number },
  allow: Uint32Array,
  length: number,
): boolean {
  for (let start = 0; start < length; start += 32) {
    let left = ~allow[start >>> 5]!;
    for (; left !== 0; left &= left - 1) {
      const token = start + 31 - Math.clz32(left & -left);
      if (token >= length) break;
      if (excluded.size === mostExcluded) return false;
      excluded.tokens[excluded.size++] = token;
    }
  }
  return true;
}

function nextToken(all: readonly LogitChanges[], places: Int32Array): number {
  let next = Infinity;
  for (let i = 0; i < all.length; i++) next = Math.min(next, tokenAt(all[i]!, places[i]!));
  return next;
}

function tokenAt({ tokens, size }: LogitChanges, place: number): number {
  return place < size ? tokens[place]! : Infinity;
}
