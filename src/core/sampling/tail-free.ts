import { assertCandidates, assertNumber } from './assert.ts';
import { keepAbove, largestOf, type Candidates } from './candidates.ts';
import { decaysInto } from './decay.ts';
import { defineSampler } from './definition.ts';
import { massTolerance } from './nearest.ts';
import { createScratch, valueScratch, weightScratch } from './scratch.ts';
import { rangeOf, sortDescendingInto } from './sort.ts';
import { keepTopK, likelyBound, roomFor, sortedLargest } from './top-k.ts';

export const tailFreeSampler = defineSampler({
  parameters: {
    tfsZ: {
      type: 'float',
      min: 0,
      max: 1,
      default: 1,
      step: 0.05,
      section: 'advanced',
      description: 'Tail-free sampling; 1 disables.',
    },
  },
  isOn: { tfsZ: (z) => z < 1 },
  create: ({ tfsZ: z }) => ({ apply: (candidates) => keepHead(candidates, z) }),
});

/** Below this total the second differences are noise and weigh the same. */
const leastCurvature = 1e-6;
/** Most often all but so many can't move the cut and are never sorted. */
const headSize = 512;
/** Beyond so many nats below the largest logit, probabilities are below 1e-27 of the largest and count as 0. */
const allNats = 64;
/** Weight of the tokens just outside the head, relative to the largest, from which the head alone never decides. */
const likelyWeight = 1 / 16;
const blockSize = 512;
const undecided = -1;

const blockScratch = createScratch((length) => new Float64Array(length));

/**
 * Tail-free sampling: sorts by probability, takes the absolute second differences as weights and cuts where their
 * normalized sum exceeds `z`, which is where the tail begins to be flat.
 *
 * Phénix and Egan, Tail Free Sampling, https://www.trentonbricken.com/Tail-Free-Sampling.
 *
 * @param candidates mutated; at least one stays
 * @param z 1 or above keeps all
 * @throws TypeError for a `z` that is no number
 *
 * @example
 * ```ts
 * applyTailFree(candidatesFrom([0.1, 0.15, 0.2, 0.25, 0.3], { as: 'probabilities' }), 0.75).size; // 2
 * ```
 */
export function applyTailFree(candidates: Candidates, z: number): Candidates {
  assertCandidates(candidates);
  assertNumber('tfsZ', z);
  return keepHead(candidates, z);
}

function keepHead(candidates: Candidates, z: number): Candidates {
  const { size } = candidates;
  if (z >= 1 || size <= 2) return candidates;
  const largest = largestOf(candidates);
  const share = z * (1 + massTolerance);
  const sorted = valueScratch(size);
  let count = 0;
  let kept = undecided;
  if (size <= 4 * roomFor(headSize) || likelyBound(candidates, headSize) < largest + Math.log(likelyWeight)) {
    count = sortedLargest(sorted, candidates, headSize);
    kept = keptOf(sorted, count, size, share, count === size);
  }
  if (kept === undecided) {
    count = sortedAbove(largest - allNats, candidates, sorted);
    kept = keptOf(sorted, count, size, share, true);
  }
  if (kept === size) return candidates;
  if (kept > count) return keepTopK(candidates, kept);
  const lowest = sorted[kept - 1]!;
  let equals = 1;
  while (equals < kept && sorted[kept - 1 - equals] === lowest) equals++;
  return keepAbove(candidates, lowest, equals);
}

/** Writes all logits above a bound, descending. */
function sortedAbove(bound: number, candidates: Candidates, sorted: Float64Array): number {
  const { logits, size } = candidates;
  const range = rangeOf(logits, size);
  if (range.least > bound) {
    sortDescendingInto(sorted, logits, size, range);
    return size;
  }
  const count = gatherAbove(bound, candidates, sorted);
  sortDescendingInto(sorted, sorted, count);
  return count;
}

function gatherAbove(bound: number, { logits, size }: Candidates, gathered: Float64Array): number {
  let count = 0;
  for (let i = 0; i < size; i++) {
    const logit = logits[i]!;
    gathered[count] = logit;
    count += Number(logit > bound); // no branch, which would often be guessed wrong
  }
  return count;
}

/**
 * Number of candidates that stay, computed from the `count` most likely of `size`. What the others add to the total curvature is
 * bounded; where both bounds lead to the same cut it is decided.
 *
 * @param last there are no others, or none with a probability to speak of
 */
function keptOf(sorted: Float64Array, count: number, size: number, share: number, last: boolean): number {
  const weights = weightScratch(size);
  const mass = decaysInto(weights, sorted, count, sorted[0]!);
  const end = last ? Math.min(count + 2, size) : count;
  weights.fill(0, count, end); // more zeros would add nothing
  const blocks = blockScratch(Math.ceil(end / blockSize));
  const total = totalCurvature(weights, end, blocks);
  const least = weights[count - 2]!;
  // All that reaches beyond the head telescopes to at most twice its last but one weight.
  const rest = last ? 0 : 2 * least;
  const restMass = last ? 0 : (size - count) * least;
  if (total + rest <= leastCurvature * mass) return evenlyKept(size, share);
  if (total <= leastCurvature * (mass + restMass)) return last ? evenlyKept(size, share) : undecided;
  const kept = placeExceeding(weights, end, blocks, share * total);
  const keptAtMost = last ? kept : placeExceeding(weights, end, blocks, share * (total + rest));
  if (kept === keptAtMost && kept < end) return kept;
  return last ? size : undecided;
}

/** @param blocks overwritten with the sums of blocks, whose places are those of the last of three neighbours */
function totalCurvature(weights: Float64Array, count: number, blocks: Float64Array): number {
  let total = 0;
  for (let block = 0, start = 0; start < count; block++, start += blockSize) {
    blocks[block] = curvatureOf(weights, Math.max(start, 2), Math.min(start + blockSize, count));
    total += blocks[block]!;
  }
  return total;
}

function curvatureOf(weights: Float64Array, start: number, end: number): number {
  let sum = 0;
  for (let i = start; i < end; i++) sum += curvature(weights, i);
  return sum;
}

/** The first place, at least 1, at which the running sum of curvatures exceeds the goal; `count` if there is none. */
function placeExceeding(weights: Float64Array, count: number, blocks: Float64Array, goal: number): number {
  let sum = 0;
  let start = 0;
  for (let block = 0; start + blockSize < count && sum + blocks[block]! <= goal; block++) {
    sum += blocks[block]!;
    start += blockSize;
  }
  for (let i = Math.max(start, 2); i < count; i++) {
    sum += curvature(weights, i);
    if (sum > goal && i > 2) return i - 2;
  }
  return count;
}

/** Absolute second difference of three neighbours. */
function curvature(weights: Float64Array, last: number): number {
  const middle = weights[last - 1]!;
  return Math.abs(weights[last - 2]! - middle - (middle - weights[last]!));
}

/** The same where every second difference weighs 1 / (size − 2). */
function evenlyKept(size: number, share: number): number {
  const kept = Math.max(1, Math.floor(share * (size - 2)));
  return kept < size - 2 ? kept : size;
}
