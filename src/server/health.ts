import type { InferenceBase } from '../contracts/engine.ts';
import type { Handler } from '../contracts/http.ts';
import { createGetHandler } from './get-handler.ts';
import { endpointPath } from './path.ts';
import { jsonResponse } from './responses.ts';

const worstFirst = ['failed', 'closed', 'loading', 'draining'] as const;

/**
 * Makes a handler for health checks, which needs no key; mount it where the host's checks look, at `/health` for
 * example. It answers 200 when every model takes requests, else 503, with the state of each; `/health/ready` is the same.
 * A model that the next request loads takes requests. `/health/live` answers 200 as long as the process answers at all:
 * who restarts processes that don't should look there.
 *
 * @example
 * ```ts
 * app.use('/health', toExpress(createHealthHandler(inference)));
 * ```
 */
export function createHealthHandler(inference: Pick<InferenceBase, 'status'>): Handler {
  return createGetHandler(({ url, mountPath }) => {
    if (endpointPath(url, mountPath).endsWith('/live')) return jsonResponse(200, { status: 'live' });
    // Where other servers are is nothing for those who ask without a key.
    const models = inference
      .status()
      .map(({ id, state, running, waiting }) => ({ id, state, running, waiting }));
    const states = new Set(models.map((model) => model.state));
    const status = worstFirst.find((state) => states.has(state)) ?? 'ready';
    return jsonResponse(status === 'ready' ? 200 : 503, { status, models });
  });
}
