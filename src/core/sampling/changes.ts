import { positionOf, withinRange, type Candidates } from './candidates.ts';
import { allows, type Adjustments } from './scan.ts';

/** New logits of a few tokens. */
export interface LogitChanges {
  /** The first `size`: distinct tokens, ascending. */
  readonly tokens: Int32Array;
  readonly size: number;
  /** Whether tokens that must not be penalised keep their logits. */
  readonly spares?: boolean;
  /** The logit that the token at a place gets for its present one. */
  changed(place: number, logit: number): number;
}

/** Changes the candidates among the tokens, except spared ones. */
export function applyChanges(
  candidates: Candidates,
  changes: LogitChanges,
  isPenalized?: (token: number) => boolean,
): Candidates {
  for (let i = 0; i < changes.size; i++) {
    const token = changes.tokens[i]!;
    const position = positionOf(candidates, token);
    if (position < 0 || (changes.spares && isPenalized?.(token) === false)) continue;
    candidates.logits[position] = changes.changed(i, candidates.logits[position]!);
  }
  return candidates;
}

/**
 * Works out the logits of all tokens that several changes in a row touch, merging their ascending lists; −∞ for masked tokens.
 */
export function createAdjuster(
  all: readonly LogitChanges[],
): (logits: Float32Array, allow?: Uint32Array, isPenalized?: (token: number) => boolean) => Adjustments {
  const capacity = all.reduce((sum, { tokens }) => sum + tokens.length, 0);
  const adjustments = { tokens: new Int32Array(capacity), logits: new Float64Array(capacity), size: 0 };
  const places = new Int32Array(all.length);
  return (logits, allow, isPenalized) => {
    places.fill(0);
    let size = 0;
    for (let token = nextToken(all, places); token < Infinity; token = nextToken(all, places)) {
      const isLeft = logits[token]! > -Infinity && allows(allow, token);
      const isSpared = isLeft && isPenalized?.(token) === false;
      let logit = withinRange(logits[token]!);
      for (let i = 0; i < all.length; i++) {
        const changes = all[i]!;
        if (tokenAt(changes, places[i]!) !== token) continue;
        const place = places[i]!++;
        if (!(isSpared && changes.spares)) logit = changes.changed(place, logit);
      }
      adjustments.tokens[size] = token;
      adjustments.logits[size++] = isLeft ? logit : -Infinity;
    }
    adjustments.size = size;
    return adjustments;
  };
}

function nextToken(all: readonly LogitChanges[], places: Int32Array): number {
  let next = Infinity;
  for (let i = 0; i < all.length; i++) next = Math.min(next, tokenAt(all[i]!, places[i]!));
  return next;
}

function tokenAt({ tokens, size }: LogitChanges, place: number): number {
  return place < size ? tokens[place]! : Infinity;
}
