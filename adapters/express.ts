import type { Request, RequestHandler } from 'express';

import type { Handler } from '../src/contracts/http.ts';
import { send, toApiRequest } from './node-bridge.ts';
import { assertHandler, isBelow, mountPathOf, pathsOf, respond } from './respond.ts';

/** Options of `toExpress`. */
export interface ExpressOptions {
  /**
   * The path that the API is served below, without a slash at its end. Default: the path that Express mounts it at, or the
   * part of a route before its wildcard.
   */
  readonly mountPath?: string | undefined;
}

/**
 * Makes Express middleware out of a handler. Mounted at a path it answers everything below that path, as the handler of a route
 * everything that the route matches; mounted at the root it answers the handler's own paths, such as `/v1`, and passes all further
 * requests on to the host. It comes best before `express.json()`, whose limit and errors count otherwise.
 *
 * @param handler from `createHandler`
 * @returns middleware for Express 4 and 5
 * @throws TypeError when `mountPath` is not a path, and for another option
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
export function toExpress(handler: Handler, options: ExpressOptions = {}): RequestHandler {
  assertHandler(handler);
  const givenPath = mountPathOf(options);
  const ownPaths = pathsOf(handler, givenPath);
  const middleware: RequestHandler = (request, response, next) => {
    const { originalUrl: url, baseUrl, params } = request;
    const route = routeOf(request, middleware);
    // Without a base URL, only a route has parameters: a function of the host has passed its request on.
    const isPlaced = baseUrl !== '' || route !== undefined || Object.keys(params).length > 0;
    if (!isPlaced && !isBelow(ownPaths, url)) {
      next();
      return;
    }
    const mountPath = givenPath ?? mountPathIn(request, route?.path);
    const apiRequest = toApiRequest(request, response, { url, mountPath });
    void respond(handler, apiRequest, (answer) => send(answer, apiRequest, response));
  };
  return middleware;
}

/**
 * The route that the middleware is a part of. Express keeps `request.route` of an earlier route that called `next()`.
 */
function routeOf({ route }: Request, middleware: RequestHandler): { readonly path: unknown } | undefined {
  const { stack = [] } = (route ?? {}) as { readonly stack?: readonly { readonly handle: unknown }[] };
  return stack.some(({ handle }) => handle === middleware) ? route : undefined;
}

/** The part of the path before the wildcard of the route, else the base URL. */
function mountPathIn({ baseUrl, originalUrl, params }: Request, routePath: unknown): string | undefined {
  const path = originalUrl.split('?', 1)[0]!;
  // Express 5 gives a wildcard as a list, Express 4 and regular expressions give it by a number.
  const wildcards = Object.entries(params).filter(
    ([name, value]) => Array.isArray(value) || /^\d+$/.test(name),
  );
  const [, wildcard] = wildcards.at(-1) ?? [];
  if (wildcard === undefined && String(routePath).includes('*')) return path.replace(/\/+$/, '') || undefined;
  const rest = [wildcard].flat().join('/').replace(/^\//, '');
  const parts = path.split('/');
  const start = parts.findIndex((_, index) => decode(parts.slice(index).join('/')) === rest);
  const mountPath = wildcard === undefined || start < 1 ? baseUrl : parts.slice(0, start).join('/');
  return mountPath === '' ? undefined : mountPath;
}

function decode(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
