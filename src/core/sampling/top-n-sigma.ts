import { keepFrom, maxLogit, maxOf, type Candidates, checkedStep } from './candidates.ts';
import { defineSampler } from './definition.ts';

export const topNSigmaSampler = defineSampler({
  parameters: {
    topNSigma: {
      type: 'float',
      min: -1,
      max: 10,
      default: -1,
      step: 0.1,
      section: 'advanced',
      description:
        'Keep logits at most this many standard deviations below the largest; 0 and below disable.',
    },
  },
  neutral: { topNSigma: [-1, 0] },
  create: ({ topNSigma: n }) => ({ apply: (candidates) => keepTopNSigma(candidates, n) }),
});

/**
 * Keeps the candidates with logits at most `n` standard deviations below the largest. The deviation is that of the
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
export const applyTopNSigma = checkedStep('topNSigma', keepTopNSigma);

function keepTopNSigma(candidates: Candidates, n: number): Candidates {
  if (n <= 0 || candidates.size <= 1) return candidates;
  return keepFrom(candidates, maxOf(candidates) - Math.min(n, maxLogit) * deviationOf(candidates));
}

function deviationOf({ logits, size }: Candidates): number {
  let sum = 0;
  for (let i = 0; i < size; i++) sum += logits[i]!;
  const mean = sum / size;
  let squares = 0;
  for (let i = 0; i < size; i++) squares += (logits[i]! - mean) ** 2;
  return Math.sqrt(squares / size);
}
