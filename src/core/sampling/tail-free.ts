import { valueScratch, weightScratch } from './scratch.ts';
import { keepAbove, type Candidates, checkedStep } from './candidates.ts';
import { decaysInto } from './decay.ts';
import { defineSampler } from './definition.ts';
import { massTolerance } from './keep-mass.ts';
import { sortDescendingInto } from './sort.ts';

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
  neutral: { tfsZ: 1 },
  create: ({ tfsZ: z }) => ({ apply: (candidates) => keepHead(candidates, z) }),
});

/** Below this total the second differences are noise and weigh the same. */
const minCurvature = 1e-6;

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
export const applyTailFree = checkedStep('tfsZ', keepHead);

function keepHead(candidates: Candidates, z: number): Candidates {
  const { logits, size } = candidates;
  if (z >= 1 || size <= 2) return candidates;
  const sorted = valueScratch(size);
  sortDescendingInto(sorted, logits, size);
  const kept = keptOf(sorted, size, z * (1 + massTolerance));
  if (kept === size) return candidates;
  const lowest = sorted[kept - 1]!;
  let equals = 1;
  while (equals < kept && sorted[kept - 1 - equals] === lowest) equals++;
  return keepAbove(candidates, lowest, equals);
}

/** Number of candidates that stay. */
function keptOf(sorted: Float64Array, size: number, share: number): number {
  const weights = weightScratch(size);
  const mass = decaysInto(weights, sorted, 0, size, sorted[0]!);
  let total = 0;
  for (let i = 2; i < size; i++) total += curvature(weights, i);
  if (total <= minCurvature * mass) return evenlyKept(size, share);
  let sum = 0;
  for (let i = 2; i < size; i++) {
    sum += curvature(weights, i);
    if (sum > share * total && i > 2) return i - 2;
  }
  return size;
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
