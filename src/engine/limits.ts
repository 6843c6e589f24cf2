import { InferenceError } from '../errors.ts';
import type { ModelLimits } from './contract.ts';

/** The longest delay of a timer. */
const maxDurationMs = 2 ** 31 - 1;

export type ResolvedLimits = { readonly [K in keyof ModelLimits]-?: Exclude<ModelLimits[K], undefined> };

/**
 * Fills in the defaults of a model's limits and checks them.
 *
 * @param label spelling of the model in error messages
 * @throws InferenceError `invalid_request`
 */
export function resolveLimits(label: string, given: ModelLimits): ResolvedLimits {
  const { replicas = 1, maxQueue = 64, deadlineMs = 600_000 } = given;
  assertInteger(`${label}.replicas`, replicas, 1, 256);
  assertInteger(`${label}.maxQueue`, maxQueue, 0, 1_000_000);
  assertInteger(`${label}.deadlineMs`, deadlineMs, 1, maxDurationMs);
  return { replicas, maxQueue, deadlineMs };
}

/**
 * Checks milliseconds from now, 0 to what a timer takes (2³¹ − 1).
 *
 * @throws InferenceError `invalid_request`
 */
export function assertDuration(label: string, durationMs: number): void {
  if (durationMs >= 0 && durationMs <= maxDurationMs) return;
  throw invalid(label, `a number from 0 to ${maxDurationMs}`, durationMs);
}

function assertInteger(label: string, value: number, min: number, max: number): void {
  if (Number.isInteger(value) && value >= min && value <= max) return;
  throw invalid(label, `an integer from ${min} to ${max}`, value);
}

function invalid(label: string, expected: string, got: unknown): InferenceError {
  return new InferenceError('invalid_request', `${label}: expected ${expected}, got ${String(got)}`, {
    param: label,
  });
}
