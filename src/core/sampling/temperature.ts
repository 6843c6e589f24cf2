import { assertNumber } from './assert.ts';
import { largestLogit, largestOf, type Candidates } from './candidates.ts';

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
export function applyTemperature(candidates: Candidates, temperature: number): Candidates {
  assertNumber('temperature', temperature);
  const { tokens, logits, size } = candidates;
  if (size === 0 || temperature === 1) return candidates;
  const largest = largestOf(candidates);
  if (temperature <= 0) {
    tokens[0] = tokens[logits.indexOf(largest)]!;
    logits[0] = 0;
    candidates.size = 1;
    return candidates;
  }
  const inverse = Math.min(1 / temperature, largestLogit);
  for (let i = 0; i < size; i++) logits[i] = (logits[i]! - largest) * inverse;
  return candidates;
}
