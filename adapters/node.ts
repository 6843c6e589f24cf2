import type { Handler } from '../src/contracts/http.ts';
import { send, toApiRequest, type NodeRequest, type NodeResponse } from './node-bridge.ts';
import { assertHandler, mountPathOf, respond } from './respond.ts';

/** Options of `toNodeListener`. */
export interface NodeListenerOptions {
  /** Base path of the API, without a trailing slash. Default: the handler's own, `/v1`. */
  readonly mountPath?: string | undefined;
}

/**
 * Creates a request listener for `node:http`, `node:https` or `node:http2` from a handler.
 *
 * @param handler from `createHandler`
 * @returns a listener that answers every request, and never throws
 * @throws TypeError if `mountPath` is not a path, and for an unknown option
 * @example
 * ```ts
 * import { createServer } from 'node:http';
 * import { toNodeListener } from 'slashv1/node';
 * import { createHandler } from 'slashv1/server';
 *
 * const handler = createHandler(inference, { auth: { keys: [process.env.API_KEY ?? ''] } });
 * createServer(toNodeListener(handler)).listen(8000, '127.0.0.1');
 * ```
 */
export function toNodeListener(
  handler: Handler,
  options: NodeListenerOptions = {},
): (request: NodeRequest, response: NodeResponse) => void {
  assertHandler(handler);
  const mountPath = mountPathOf(options);
  return (request, response) => {
    const apiRequest = toApiRequest(request, response, { url: request.url ?? '/', mountPath });
    void respond(handler, apiRequest, (answer) => send(answer, apiRequest, response));
  };
}

export { serveWebSockets, type UpgradingServer, type WebSocketOptions } from './web-sockets.ts';
