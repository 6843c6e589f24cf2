import type { Inference } from '../engine/contract.ts';
import { InferenceError } from '../errors.ts';
import type { Handler } from './contract.ts';
import { toErrorResponse } from './errors.ts';
import { requestIdOf } from './headers.ts';
import { jsonResponse } from './responses.ts';

/**
 * Makes a handler for health checks, which needs no key; mount it where the host's checks look, at `/health` for
 * example. It answers 200 when every model is ready, else 503, with the state of each.
 *
 * @example
 * ```ts
 * app.use('/health', toExpress(createHealthHandler(inference)));
 * ```
 */
export function createHealthHandler(inference: Inference): Handler {
  return async (request) => {
    const requestId = requestIdOf(request);
    const common = { 'x-request-id': requestId, 'cache-control': 'no-store' };
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      const error = new InferenceError(
        'method_not_allowed',
        `Expected one of GET, HEAD, got ${request.method}.`,
      );
      const response = toErrorResponse(error, requestId);
      return { ...response, headers: { ...response.headers, ...common, allow: 'GET, HEAD' } };
    }
    const models = inference.status();
    const states = new Set(models.map((model) => model.state));
    const status = states.has('failed') ? 'failed' : states.has('loading') ? 'loading' : 'ready';
    const response = jsonResponse(status === 'ready' ? 200 : 503, { status, models }, common);
    return request.method === 'HEAD' ? { ...response, body: '' } : response;
  };
}
