import { assertNumber, createScratch, weightScratch } from './scratch.ts';
import { assertCandidates, maxOf, type Candidates } from './candidates.ts';
import { decaysInto } from './decay.ts';

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
  if (candidates.size === 0) throw new RangeError('candidates: expected at least one, got 0');
  return draw(candidates, uniform);
}

/** `drawToken` without its checks. */
export function draw(candidates: Candidates, uniform: number): number {
  const { tokens, logits, size } = candidates;
  const weights = weightScratch(pieceLength);
  const pieces = Math.ceil(size / pieceLength);
  const masses = pieceMasses(pieces);
  const largest = maxOf(candidates);
  let total = 0;
  for (let piece = 0; piece < pieces; piece++)
    total += masses[piece] = decaysInto(
      weights,
      logits,
      piece * pieceLength,
      Math.min((piece + 1) * pieceLength, size),
      largest,
    );
  const goal = uniform * total;
  const piece = placeExceeding(masses, pieces, goal);
  let before = 0;
  for (let earlier = 0; earlier < piece; earlier++) before += masses[earlier]!;
  const start = piece * pieceLength;
  const end = Math.min(start + pieceLength, size);
  decaysInto(weights, logits, start, end, largest);
  return tokens[start + placeExceeding(weights, end - start, goal - before)]!;
}

/** Sums of this many weights are compared first. */
const pieceLength = 512;
const pieceMasses = createScratch((length) => new Float64Array(length));

/** The first place with which the running sum exceeds a goal; where rounding keeps it from that, the last that has any weight. */
function placeExceeding(weights: Float64Array, count: number, goal: number): number {
  let sum = 0;
  let last = 0;
  for (let place = 0; place < count && sum <= goal; place++) {
    sum += weights[place]!;
    if (weights[place]! > 0) last = place;
  }
  return last;
}
