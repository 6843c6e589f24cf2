import type { InferenceBase } from '../engine/contract.ts';
import type { Handler } from './contract.ts';
import { createGetHandler } from './get-handler.ts';
import { jsonResponse } from './responses.ts';

const worstFirst = ['failed', 'closed', 'loading', 'draining'] as const;

/**
 * Makes a handler for health checks, which needs no key; mount it where the host's checks look, at `/health` for
 * example. It answers 200 when every model is ready, else 503, with the state of each.
 *
 * @example
 * ```ts
 * app.use('/health', toExpress(createHealthHandler(inference)));
 * ```
 */
export function createHealthHandler(inference: Pick<InferenceBase, 'status'>): Handler {
  return createGetHandler(() => {
    const models = inference.status();
    const states = new Set(models.map((model) => model.state));
    const status = worstFirst.find((state) => states.has(state)) ?? 'ready';
    return jsonResponse(status === 'ready' ? 200 : 503, { status, models });
  });
}
