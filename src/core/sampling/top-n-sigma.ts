import { assertNumber } from './assert.ts';
import { keepFrom, largestLogit, largestOf, type Candidates } from './candidates.ts';

/**
 * Keeps the candidates whose logits are at most `n` standard deviations below the largest. The deviation is that of the
 * logits themselves, over all candidates; so the choice doesn't depend on the temperature.
 *
 * Tang et al., Top-nσ: Not All Logits Are You Need, arXiv:2411.07641.
 *
 * @param candidates mutated; at least one stays
 * @param n 0 or below keeps all
 * @throws TypeError for an `n` that is no number
 *
 * @example
 * ```ts
 * applyTopNSigma(candidatesFrom([0.1, 0.2, 0.3, 0.4], { as: 'probabilities' }), 1).size; // 2
 * ```
 */
export function applyTopNSigma(candidates: Candidates, n: number): Candidates {
  assertNumber('topNSigma', n);
  if (n <= 0 || candidates.size <= 1) return candidates;
  const largest = largestOf(candidates);
  return keepFrom(candidates, largest - Math.min(n, largestLogit) * deviationOf(candidates));
}

function deviationOf(candidates: Candidates): number {
  const mean = meanOf(candidates);
  return Math.sqrt(squaresAround(mean, candidates) / candidates.size);
}

function meanOf({ logits, size }: Candidates): number {
  let sum = 0;
  for (let i = 0; i < size; i++) sum += logits[i]!;
  return sum / size;
}

function squaresAround(mean: number, { logits, size }: Candidates): number {
  let sum = 0;
  for (let i = 0; i < size; i++) sum += (logits[i]! - mean) ** 2;
  return sum;
}
