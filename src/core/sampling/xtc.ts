import { assertObject } from '../assert-values.ts';
import type { ParameterTable, ParameterValues } from '../parameters/descriptor.ts';
import { assertNumber, weightScratch } from './scratch.ts';
import { assertCandidates, maxOf, weightsInto, type Candidates } from './candidates.ts';
import { defineSampler } from './definition.ts';
import { massTolerance } from './keep-mass.ts';
import { append } from './scan.ts';

const parameters = {
  xtcProbability: {
    type: 'float',
    min: 0,
    max: 1,
    default: 0,
    step: 0.05,
    section: 'advanced',
    description:
      'XTC: share of the steps at which the top choices but the least likely are dropped; 0 disables.',
  },
  xtcThreshold: {
    type: 'float',
    min: 0,
    max: 1,
    default: 0.1,
    step: 0.05,
    section: 'advanced',
    description: 'XTC: the probability that makes a token a top choice; above 0.5 disables.',
  },
} as const satisfies ParameterTable;

export const xtcSampler = defineSampler({
  parameters,
  neutral: { xtcProbability: 0 },
  create: (given, { rng }) => ({
    apply: (candidates) => excludeTopChoices(candidates, given, rng.next()),
  }),
});

/** Options of `applyXtc`, as `createSampler` takes them; both are needed. */
export type XtcOptions = ParameterValues<typeof parameters>;

/**
 * Exclude top choices: drops all candidates that reach the threshold but the least likely of them, so that an unlikely
 * yet sensible token is drawn. Nothing is dropped where fewer than two reach it. Of equals the last one stays.
 *
 * By its author's description, https://github.com/oobabooga/text-generation-webui/pull/6335.
 *
 * @param candidates mutated; at least one stays
 * @param uniform in [0, 1), as `Rng.next()` gives it; below `probability` the sampler acts
 * @throws TypeError for an option that is no number
 *
 * @example
 * ```ts
 * const candidates = candidatesFrom([0.4, 0.3, 0.2, 0.1], { as: 'probabilities' });
 * applyXtc(candidates, { xtcProbability: 0.5, xtcThreshold: 0.2 }, 0.3).size; // 2
 * ```
 */
export function applyXtc(candidates: Candidates, options: XtcOptions, uniform: number): Candidates {
  assertCandidates(candidates);
  assertObject('options', options);
  assertNumber('xtcProbability', options.xtcProbability);
  assertNumber('xtcThreshold', options.xtcThreshold);
  assertNumber('uniform', uniform);
  return excludeTopChoices(candidates, options, uniform);
}

function excludeTopChoices(
  candidates: Candidates,
  { xtcProbability: probability, xtcThreshold: threshold }: XtcOptions,
  uniform: number,
): Candidates {
  const { tokens, logits, size } = candidates;
  if (uniform >= probability || threshold > 0.5 || size < 2) return candidates;
  const largest = maxOf(candidates);
  const total = weightsInto(weightScratch(size), candidates, largest);
  const lowest = largest + Math.log(threshold * total) - massTolerance;
  // The smallest logit that is not below the bound, of equals the last.
  let spared = -1;
  for (let i = 0; i < size; i++) {
    if (logits[i]! >= lowest && !(logits[i]! > logits[spared]!)) spared = i;
  }
  candidates.size = 0;
  for (let i = 0; i < size; i++) {
    if (logits[i]! < lowest || i === spared) append(candidates, tokens[i]!, logits[i]!);
  }
  return candidates;
}
