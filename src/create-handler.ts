import { categories } from './categories/registry.ts';
import type { ServedInference } from './contracts/engine.ts';
import type { Handler } from './contracts/http.ts';
import { createHandlerOf } from './server/handler.ts';
import type { HandlerOptions } from './server/options.ts';
import { realtimeSockets } from './realtime/sockets.ts';

/**
 * Creates the handler of the whole `/v1` API. Framework-independent: an adapter passes plain requests, below any path.
 *
 * @throws TypeError or RangeError for invalid options
 * @example
 * ```ts
 * import { createServer } from 'node:http';
 * import { createHandler } from 'slashv1';
 * import { toNodeListener } from 'slashv1/node';
 *
 * const handler = createHandler(inference, { auth: { keys: ['my-secret-key'] } });
 * createServer(toNodeListener(handler)).listen(8000);
 * ```
 */
export function createHandler(inference: ServedInference, options: HandlerOptions): Handler {
  return createHandlerOf({ categories, sockets: realtimeSockets }, inference, options);
}
