import { createScratch, weightScratch } from './scratch.ts';
import { createCandidates, maxOf, weightsInto, type Candidates, checkedStep } from './candidates.ts';
import { defineSampler } from './definition.ts';
import { keepKnown, type KnownLogits } from './largest-logits.ts';
import { keepMass, keepShare, massTolerance } from './keep-mass.ts';

export const topPSampler = defineSampler({
  parameters: {
    topP: {
      type: 'float',
      min: 0,
      max: 1,
      default: 1,
      step: 0.05,
      section: 'basic',
      description:
        'Nucleus sampling: keep the most likely tokens that together reach this probability; 1 disables. Use either temperature or top_p, not both.',
    },
  },
  neutral: { topP: 1 },
  create: ({ topP: p }) => ({
    apply: (candidates) => keepTopP(candidates, p),
    onLargest: { apply: (candidates, known) => keepTopPOfLargest(candidates, p, known), usesMass: true },
  }),
});

/**
 * Nucleus sampling: keeps the most likely candidates that together reach probability `p`.
 *
 * Holtzman et al., The Curious Case of Neural Text Degeneration, arXiv:1904.09751.
 *
 * @param candidates mutated; at least one stays
 * @param p 1 or above keeps all
 * @throws TypeError for a `p` that is no number
 *
 * @example
 * ```ts
 * applyTopP(candidatesFrom([0.1, 0.2, 0.3, 0.4], { as: 'probabilities' }), 0.7).size; // 2
 * ```
 */
export const applyTopP = checkedStep('topP', keepTopP);

function keepTopP(candidates: Candidates, p: number): Candidates {
  return p >= 1 || candidates.size <= 1 ? candidates : keepShare(candidates, p * (1 - massTolerance));
}

const maxScratch = createScratch(createCandidates);
/** Largest error of the mass of a device. */
const deviceTolerance = 1e-4;
/** Error bound of sums in a different order. */
const rounding = 1e-9;

/** `applyTopP` on the largest logits alone, if the tolerance of the mass can't change the result. */
function keepTopPOfLargest(
  candidates: Candidates,
  p: number,
  { largest, floor, vocabularySize, lowered }: KnownLogits,
): boolean {
  const scratch = maxScratch(candidates.size);
  const weights = weightScratch(candidates.size);
  const center = maxOf(candidates);
  const known = weightsInto(weights, candidates, center);
  let before = 0;
  for (let i = 0; i < largest.logits.length; i++) before += Math.exp(largest.logits[i]! - center);
  const all = largest.mass * Math.exp(largest.logits[0]! - center);
  const atFloor = Math.exp(floor - center);
  const rest = all - before;
  const others = vocabularySize - largest.tokens.length;
  const most = Math.max(0, Math.min(rest + all * deviceTolerance, others * atFloor));
  const least = Math.min(most, Math.max(0, rest - all * deviceTolerance - lowered * atFloor));
  const share = p * (1 - massTolerance);
  const lowGoal = share * (known + least) * (1 - rounding);
  const highGoal = share * (known + most) * (1 + rounding);
  keepKnown(candidates, floor);
  const mass = weightsInto(weights, candidates, center);
  if (candidates.size === 0 || !(mass >= highGoal)) return false;
  scratch.size = candidates.size;
  scratch.tokens.set(candidates.tokens.subarray(0, candidates.size));
  scratch.logits.set(candidates.logits.subarray(0, candidates.size));
  const { size } = keepMass(scratch, weights, highGoal);
  return keepMass(candidates, weights, lowGoal).size === size;
}
