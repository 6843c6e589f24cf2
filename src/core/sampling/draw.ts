import { assertNumber, createScratch } from './scratch.ts';
import { assertCandidates, largestOf, type Candidates } from './candidates.ts';
import { decayReach, decayWithin, sumOfDecays } from './decay.ts';

/**
 * Draws a token with the probability of its candidate, by inverting the cumulative distribution in token order.
 *
 * @param uniform in [0, 1), as `Rng.next()` gives it
 * @returns the token id
 * @throws RangeError without candidates
 *
 * @example
 * ```ts
 * drawToken(candidatesFrom([0.25, 0.75], { as: 'probabilities' }), 0.3); // 1
 * ```
 */
export function drawToken(candidates: Candidates, uniform: number): number {
  assertCandidates(candidates);
  assertNumber('uniform', uniform);
  const { tokens, size } = candidates;
  if (size === 0) throw new RangeError('candidates: expected at least one, got 0');
  if (size === 1) return tokens[0]!;
  const largest = largestOf(candidates);
  const masses = pieceMasses(Math.ceil(size / pieceLength));
  const goal = uniform * weighPieces(masses, candidates, largest);
  const piece = pieceExceeding(masses, Math.ceil(size / pieceLength), goal);
  let mass = 0;
  for (let before = 0; before < piece; before++) mass += masses[before]!;
  const start = piece * pieceLength;
  const end = Math.min(start + pieceLength, size);
  return tokens[placeExceeding(candidates.logits, start, end, largest, 1, goal - mass)]!;
}

const pieceLength = 512;

/** Sums of weights of consecutive candidates; of those that the draw falls on, weights are worked out again. */
export const pieceMasses = createScratch((length) => new Float64Array(length));

function weighPieces(masses: Float64Array, { logits, size }: Candidates, largest: number): number {
  let total = 0;
  for (let piece = 0, start = 0; start < size; piece++, start += pieceLength) {
    masses[piece] = sumOfDecays(logits, start, Math.min(start + pieceLength, size), largest);
    total += masses[piece]!;
  }
  return total;
}

/** The first piece with which the running sum exceeds the goal. */
export function pieceExceeding(masses: Float64Array, count: number, goal: number): number {
  let mass = 0;
  // Rounding may keep the goal from being exceeded: then it is the last piece that has any mass.
  let last = 0;
  for (let piece = 0; piece < count; piece++) {
    if (masses[piece]! > 0) last = piece;
    mass += masses[piece]!;
    if (mass > goal) break;
  }
  return last;
}

/** The first place of a piece at which the running sum of exp(−(largest − logit) · inverse), 0 for NaN, exceeds the goal. */
export function placeExceeding(
  logits: Float32Array | Float64Array,
  start: number,
  end: number,
  largest: number,
  inverse: number,
  goal: number,
): number {
  let sum = 0;
  let last = start;
  for (let place = start; place < end; place++) {
    const weight = weightOf((largest - logits[place]!) * inverse);
    sum += weight;
    if (weight > 0) last = place;
    if (sum > goal) break;
  }
  return last;
}

/** exp(−x); 0 for NaN. */
export function weightOf(x: number): number {
  return x < decayReach ? decayWithin(x) : x >= decayReach ? Math.exp(-x) : 0;
}
