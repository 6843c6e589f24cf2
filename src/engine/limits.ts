import type { ModelLimits } from '../categories/contract.ts';
import { fieldError } from '../errors.ts';
import { assertOptions } from '../validation/assert-options.ts';
import { integerSetting, type SettingTable } from '../validation/setting-table.ts';
import { describeValue } from '../core/text/quote.ts';

/** The longest delay of a timer. */
const maxDurationMs = 2 ** 31 - 1;

/** Limits of a model's queue. */
export const limitSettings = {
  replicas: integerSetting('Worker processes of the model; default 1.', { min: 1, max: 256 }),
  maxQueue: integerSetting('Requests that may wait; one more is refused. Default 64.', {
    min: 0,
    max: 1_000_000,
  }),
  deadlineMs: integerSetting('Longest time of a request, waiting included; default 10 minutes.', {
    min: 1,
    max: maxDurationMs,
  }),
} satisfies SettingTable;

export type ResolvedLimits = { readonly [K in keyof ModelLimits]-?: Exclude<ModelLimits[K], undefined> };

/**
 * Checks a model's limits and fills in the defaults.
 *
 * @param path of the model's settings, for messages
 * @throws InferenceError `invalid_request`
 */
export function resolveLimits(path: string, given: ModelLimits): ResolvedLimits {
  assertOptions('A model', limitSettings, given, { path });
  const { replicas = 1, maxQueue = 64, deadlineMs = 600_000 } = given;
  return { replicas, maxQueue, deadlineMs };
}

/**
 * Checks milliseconds from now, 0 to the longest delay of a timer (2³¹ − 1).
 *
 * @throws InferenceError `invalid_request`
 */
export function assertDuration(label: string, durationMs: number): void {
  if (durationMs >= 0 && durationMs <= maxDurationMs) return;
  throw fieldError(label, `expected a number from 0 to ${maxDurationMs}, got ${describeValue(durationMs)}`);
}
