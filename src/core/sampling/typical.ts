import { createScratch, weightScratch } from './scratch.ts';
import { createCandidates, maxOf, type Candidates, checkedStep } from './candidates.ts';
import { defineSampler } from './definition.ts';
import { weightsAndMoment } from './scan.ts';
import { keepMass, massTolerance } from './keep-mass.ts';

export const typicalSampler = defineSampler({
  parameters: {
    typicalP: {
      type: 'float',
      min: 0,
      max: 1,
      default: 1,
      step: 0.05,
      section: 'advanced',
      description: 'Locally typical sampling; 1 disables.',
    },
  },
  neutral: { typicalP: 1 },
  create: ({ typicalP }) => ({ apply: (candidates) => keepTypical(candidates, typicalP) }),
});

/**
 * Locally typical sampling: keeps the candidates with a surprise nearest to the entropy of the distribution, as many
 * as it takes to exceed probability `p`.
 *
 * Meister et al., Locally Typical Sampling, arXiv:2202.00666.
 *
 * @param candidates mutated; at least one stays, not necessarily the most likely
 * @param p 1 or above keeps all
 * @throws TypeError for a `p` that is no number
 *
 * @example
 * ```ts
 * applyTypicalP(candidatesFrom([0.4, 0.2, 0.2, 0.2], { as: 'probabilities' }), 0.5).tokens[0]; // 1
 * ```
 */
export const applyTypicalP = checkedStep('typicalP', keepTypical);

const nearScratch = createScratch(createCandidates);

function keepTypical(candidates: Candidates, p: number): Candidates {
  const { tokens, logits, size } = candidates;
  if (p >= 1 || size <= 1) return candidates;
  const largest = maxOf(candidates);
  const weights = weightScratch(size);
  const { total, moment } = weightsAndMoment(weights, candidates, largest);
  // |−ln p − H| = |typical − logit|: the softmax's normalizer cancels out.
  const typical = largest - moment / total;
  /** The places of the candidates, the nearest with the highest value. */
  const near = nearScratch(size);
  near.size = size;
  for (let i = 0; i < size; i++) {
    near.tokens[i] = i;
    near.logits[i] = -Math.abs(typical - logits[i]!);
  }
  candidates.size = keepMass(near, weights, p * total * (1 + massTolerance)).size;
  for (let i = 0; i < near.size; i++) {
    tokens[i] = tokens[near.tokens[i]!]!;
    logits[i] = logits[near.tokens[i]!]!;
  }
  return candidates;
}
