import { assertObject } from '../assert-values.ts';
import type { ParameterTable, ParameterValues } from '../parameters/descriptor.ts';
import { assertNumber, weightScratch } from './scratch.ts';
import { assertCandidates, maxLogit, maxOf, type Candidates, checkedStep } from './candidates.ts';
import { defineSampler } from './definition.ts';
import { stepOnLargest } from './largest-logits.ts';
import { weightsAndMoment, createLargestCollector } from './scan.ts';

const parameters = {
  temperature: {
    type: 'float',
    min: 0,
    max: 2,
    default: 0.7,
    step: 0.1,
    section: 'basic',
    description: 'Randomness: lower is more deterministic, 0 always takes the most likely token.',
  },
  dynatempRange: {
    type: 'float',
    min: 0,
    max: 2,
    default: 0,
    step: 0.1,
    section: 'advanced',
    description: 'The temperature follows the entropy, by up to this much in both directions; 0 disables.',
  },
  dynatempExponent: {
    type: 'float',
    min: 0,
    max: 8,
    default: 1,
    step: 0.1,
    section: 'advanced',
    description: "Exponent of the temperature's rise with the entropy; needs dynatemp_range.",
  },
} as const satisfies ParameterTable;

export const temperatureSampler = defineSampler({
  parameters,
  actsWhenGreedy: true,
  actsWithMirostat: true,
  create(given, { isSteered }) {
    const { temperature, dynatempRange } = given;
    const apply = (candidates: Candidates): Candidates => scaleBy(candidates, temperature);
    if (temperature === 0) {
      const onLargest = stepOnLargest(apply, () => true);
      return { apply, collector: createLargestCollector(), onLargest };
    }
    if (isSteered || dynatempRange === 0) return { apply };
    return { apply: (candidates) => scaleByEntropy(candidates, given) };
  },
});

/**
 * Divides the logits by the temperature, after shifting them so that the largest is 0, which changes no probability
 * and keeps tiny temperatures from overflowing. At temperature 0 or below the first of the largest stays alone.
 *
 * @param candidates mutated
 * @param temperature below 1 sharpens the distribution, above 1 flattens it
 * @throws TypeError for a temperature that is no number
 *
 * @example
 * ```ts
 * applyTemperature(candidatesFrom([1, 3, 3]), 0).tokens[0]; // 1
 * ```
 */
export const applyTemperature = checkedStep('temperature', scaleBy);

function scaleBy(candidates: Candidates, temperature: number): Candidates {
  const { tokens, logits, size } = candidates;
  if (size === 0 || temperature === 1) return candidates;
  const largest = maxOf(candidates);
  if (temperature <= 0) {
    tokens[0] = tokens[logits.indexOf(largest)]!;
    logits[0] = 0;
    candidates.size = 1;
    return candidates;
  }
  const inverse = Math.min(1 / temperature, maxLogit);
  for (let i = 0; i < size; i++) logits[i] = (logits[i]! - largest) * inverse;
  return candidates;
}

/** Options of `applyDynamicTemperature`, as `createSampler` takes them; all are needed. */
export type DynamicTemperatureOptions = ParameterValues<typeof parameters>;

/**
 * A temperature that follows the entropy of the distribution: low where the model is sure, high where many tokens are
 * about as likely. It is `lowest + (highest − lowest) (H / ln n)^dynatempExponent`, from `temperature − dynatempRange`, but not
 * below 0, to `temperature + dynatempRange`, where H is the entropy of n candidates. A single candidate is left as it is.
 *
 * By the description of llama.cpp's server, `dynatemp_range`.
 *
 * @param candidates mutated; at a temperature of 0 the first of the largest stays alone
 * @throws TypeError for an option that is no number
 *
 * @example
 * ```ts
 * const options = { temperature: 1, dynatempRange: 0.5, dynatempExponent: 1 };
 * probabilities(applyDynamicTemperature(candidatesFrom([0, 0]), options)); // [0.5, 0.5]
 * ```
 */
export function applyDynamicTemperature(
  candidates: Candidates,
  options: DynamicTemperatureOptions,
): Candidates {
  assertObject('options', options);
  assertCandidates(candidates);
  for (const name of ['temperature', 'dynatempRange', 'dynatempExponent'] as const)
    assertNumber(name, options[name]);
  return scaleByEntropy(candidates, options);
}

function scaleByEntropy(
  candidates: Candidates,
  { temperature: middle, dynatempRange: range, dynatempExponent: exponent }: DynamicTemperatureOptions,
): Candidates {
  if (range <= 0) return scaleBy(candidates, middle);
  if (candidates.size <= 1) return candidates;
  const lowest = Math.max(0, middle - range);
  const share = Math.min(entropyOf(candidates) / Math.log(candidates.size), 1);
  return scaleBy(candidates, lowest + (middle + range - lowest) * share ** exponent);
}

/** In nats, from 0 to ln n. */
function entropyOf(candidates: Candidates): number {
  const largest = maxOf(candidates);
  const { total, moment } = weightsAndMoment(weightScratch(candidates.size), candidates, largest);
  return Math.log(total) + moment / total;
}
