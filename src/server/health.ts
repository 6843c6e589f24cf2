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
  /** Ids of the models that the host needs to be ready; default: all. */
  readonly requiredModels?: readonly string[] | undefined;
}

export const healthSettings = {
  requiredModels: z.array(z.string().min(1)).min(1).optional(),
} satisfies SettingTable & Record<keyof HealthOptions, unknown>;

/**
 * Creates a handler for health checks, which needs no key; mount it at the path that the host's checks use, for
 * example `/health`. It answers 200 if every required model accepts requests, else 503, with the state of each; `/health/ready`
 * is the same. Models that load on the next request accept requests; missing models and models without a reachable server
 * don't. `/health/live` answers 200 as long as the process responds at all: use it to restart hung processes.
 *
 * @throws InferenceError `invalid_request` for an unknown or invalid setting
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
    // Upstream addresses must not be visible without a key.
    const models = inference
      .status()
      .map(({ id, state, running, waiting }) => ({ id, state, running, waiting }));
    const ids = requiredModels ?? models.map(({ id }) => id);
    const states = new Set(ids.map((wanted) => models.find(({ id }) => id === wanted)?.state ?? 'missing'));
    const status = worstFirst.find((state) => states.has(state)) ?? 'ready';
    return jsonResponse(status === 'ready' ? 200 : 503, { status, models });
  });
}
