import { assertNumber } from './assert.ts';
import { largestOf, type Candidates } from './candidates.ts';
import { weightsAndMoment } from './moment.ts';
import { weightScratch } from './scratch.ts';
import { applyTemperature } from './temperature.ts';

/** Range and exponent of `applyDynamicTemperature`. */
export interface DynamicTemperatureOptions {
  /** The middle of the temperatures. */
  readonly temperature: number;
  /** From `temperature − range`, but not below 0, to `temperature + range`; 0 or below leaves the temperature fixed. */
  readonly range: number;
  /** Above 1 the temperature stays low for longer, below 1 it rises sooner. */
  readonly exponent: number;
}

/**
 * A temperature that follows the entropy of the distribution: low where the model is sure, high where many tokens are
 * about as likely. It is `lowest + (highest − lowest) (H / ln n)^exponent`, where H is the entropy of n candidates. A
 * single candidate is left as it is.
 *
 * By the description of llama.cpp's server, `dynatemp_range`.
 *
 * @param candidates mutated; at a temperature of 0 the first of the largest stays alone
 * @throws TypeError for an option that is no number
 *
 * @example
 * ```ts
 * const options = { temperature: 1, range: 0.5, exponent: 1 };
 * probabilities(applyDynamicTemperature(candidatesFrom([0, 0]), options)); // [0.5, 0.5]
 * ```
 */
export function applyDynamicTemperature(
  candidates: Candidates,
  { temperature, range, exponent }: DynamicTemperatureOptions,
): Candidates {
  assertNumber('temperature', temperature);
  assertNumber('dynatempRange', range);
  assertNumber('dynatempExponent', exponent);
  if (range <= 0) return applyTemperature(candidates, temperature);
  if (candidates.size <= 1) return candidates;
  const lowest = Math.max(0, temperature - range);
  const share = Math.min(entropyOf(candidates) / Math.log(candidates.size), 1);
  return applyTemperature(candidates, lowest + (temperature + range - lowest) * share ** exponent);
}

/** In nats, from 0 to ln n. */
function entropyOf(candidates: Candidates): number {
  const largest = largestOf(candidates);
  const { total, moment } = weightsAndMoment(weightScratch(candidates.size), candidates, largest);
  return Math.log(total) + moment / total;
}
