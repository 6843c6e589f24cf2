import { z } from 'zod';
import type { InferenceBase } from '../contracts/engine.ts';
import type { Handler } from '../contracts/http.ts';
import { assertOptions } from '../validation/assert-options.ts';
import type { SettingTable } from '../validation/setting-table.ts';
import { createGetHandler } from './get-handler.ts';
import { endpointPath } from './path.ts';
import { jsonResponse } from '../http/responses.ts';

const worstFirst = ['missing', 'failed', 'closed', 'unreachable', 'loading', 'draining'] as const;

/** Options of `createHealthHandler`. */
export interface HealthOptions {
  /** Ids of the models without which the host isn't ready; default: all that it has. */
  readonly requiredModels?: readonly string[] | undefined;
}

export const healthSettings = {
  requiredModels: z.array(z.string().min(1)).min(1).optional(),
} satisfies SettingTable & Record<keyof HealthOptions, unknown>;

/**
 * Makes a handler for health checks, which needs no key; mount it where the host's checks look, at `/health` for
 * example. It answers 200 when every required model takes requests, else 503, with the state of each; `/health/ready` is
 * the same. A model that the next request loads takes requests; one whose servers are all away doesn't, nor does one that
 * isn't there. `/health/live` answers 200 as long as the process answers at all: who restarts processes that don't should
 * look there.
 *
 * @throws InferenceError `invalid_request` for a setting that doesn't exist or has another type
 *
 * @example
 * ```ts
 * app.use('/health', toExpress(createHealthHandler(inference, { requiredModels: ['assistant'] })));
 * ```
 */
export function createHealthHandler(
  inference: Pick<InferenceBase, 'status'>,
  options: HealthOptions = {},
): Handler {
  assertOptions('createHealthHandler', healthSettings, options);
  const { requiredModels } = options;
  return createGetHandler('/health', ({ url, mountPath }) => {
    if (endpointPath(url, mountPath).endsWith('/live')) return jsonResponse(200, { status: 'live' });
    // Where other servers are is nothing for those who ask without a key.
    const models = inference
      .status()
      .map(({ id, state, running, waiting }) => ({ id, state, running, waiting }));
    const ids = requiredModels ?? models.map(({ id }) => id);
    const states = new Set(ids.map((wanted) => models.find(({ id }) => id === wanted)?.state ?? 'missing'));
    const status = worstFirst.find((state) => states.has(state)) ?? 'ready';
    return jsonResponse(status === 'ready' ? 200 : 503, { status, models });
  });
}
