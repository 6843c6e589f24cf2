import { z } from 'zod';
import type { ModelLimits, ReplicaSettings } from '../contracts/model.ts';
import { fieldError } from '../errors.ts';
import { deviceSetting, threadBounds } from '../validation/device-setting.ts';
import { booleanSetting, integerSetting, type SettingTable } from '../validation/setting-table.ts';
import { numberSchema } from '../validation/number-schema.ts';
import { describeValue } from '../core/text/quote.ts';

const maxReplicas = 256;
const maxDurationMs = 2 ** 31 - 1;

const replicaSettings = {
  device: deviceSetting('The device of the replica.'),
  threads: integerSetting('Threads of one operator of the replica.', threadBounds),
} satisfies SettingTable & Record<keyof ReplicaSettings, unknown>;

export const limitSettings = {
  replicas: z
    .union([
      numberSchema({ type: 'int', min: 1, max: maxReplicas }),
      z.array(z.strictObject(replicaSettings)).min(1).max(maxReplicas),
    ])
    .optional()
    .describe(
      'Worker processes of the model: a number, or a list with the `device` and `threads` of each. Default 1.',
    ),
  maxQueue: integerSetting(
    'Largest number of waiting requests; further ones are refused, but for the first of a key, up to as many again. Default 64.',
    { min: 0, max: 1_000_000 },
  ),
  deadlineMs: integerSetting(
    'Longest time of a request, waiting included; of a transcription, longest time without progress. Default 10 minutes.',
    { min: 1, max: maxDurationMs },
  ),
  loadOnDemand: booleanSetting(
    'Load the model at its first request, not at the start. Default: true with `idleUnloadMs` or a limit of loaded models, else false.',
  ),
  idleUnloadMs: integerSetting(
    'Time without a request after which the model is unloaded; the next request loads it again. Default: never.',
    { min: 1, max: maxDurationMs },
  ),
} satisfies SettingTable;

export type ResolvedLimits = ReturnType<typeof resolveLimits>;

export function resolveLimits(given: ModelLimits, isRoomLimited = false) {
  const { replicas = 1, maxQueue = 64, deadlineMs = 600_000, idleUnloadMs } = given;
  const { loadOnDemand = isRoomLimited || idleUnloadMs !== undefined } = given;
  /** Settings per replica that override the model's. */
  const each: readonly ReplicaSettings[] =
    typeof replicas === 'number' ? Array.from({ length: replicas }, () => ({})) : replicas;
  return { replicas: each, maxQueue, deadlineMs, loadOnDemand, idleUnloadMs };
}

/** Validates milliseconds: 0 to the maximum delay of a timer (2³¹ − 1). */
export function assertDuration(label: string, durationMs: number): void {
  if (durationMs >= 0 && durationMs <= maxDurationMs) return;
  throw fieldError(label, `expected a number from 0 to ${maxDurationMs}, got ${describeValue(durationMs)}`);
}
