import type { RequestHandler } from 'express';

import type { Handler } from '../src/contracts/http.ts';
import { send, toApiRequest } from './node-bridge.ts';
import { assertHandler, respond } from './respond.ts';

/**
 * Makes Express middleware out of a handler. Mounted at a path it answers everything below that path; mounted at the
 * root it answers `/v1` and leaves every other path to the host. It comes best
 * before `express.json()`, whose limit and errors count otherwise.
 *
 * @param handler from `createHandler`
 * @returns middleware for Express 4 and 5
 * @example
 * ```ts
 * import express from 'express';
 * import { toExpress } from 'slashv1/express';
 * import { createHandler } from 'slashv1/server';
 *
 * const handler = createHandler(inference, { auth: { keys: [process.env.API_KEY ?? ''] } });
 * const app = express();
 * app.use('/v1', toExpress(handler));
 * app.listen(8000, '127.0.0.1');
 * ```
 */
export function toExpress(handler: Handler): RequestHandler {
  assertHandler(handler);
  return (request, response, next) => {
    const { originalUrl: url, baseUrl } = request;
    if (baseUrl === '' && !/^\/v1(?:[/?]|$)/.test(url)) {
      next();
      return;
    }
    const mountPath = baseUrl === '' ? undefined : baseUrl;
    const apiRequest = toApiRequest(request, response, { url, mountPath });
    void respond(handler, apiRequest, (answer) => send(answer, apiRequest, response));
  };
}
