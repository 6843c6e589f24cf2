import type { Request, RequestHandler } from 'express';

import type { Handler } from '../src/contracts/http.ts';
import { send, toApiRequest } from './node-bridge.ts';
import { assertHandler, isBelow, mountPathOf, pathsOf, respond } from './respond.ts';

/** Options of `toExpress`. */
export interface ExpressOptions {
  /** Base path of the API, without a trailing slash. Default: the path that Express mounts it at, or the part of a route before its wildcard. */
  readonly mountPath?: string | undefined;
}

/**
 * Creates Express middleware from a handler. Mounted at a path it answers everything below that path, and in a route
 * everything that the route matches; mounted at the root it answers the handler's own paths, such as `/v1`, and passes further
 * requests on to the host. Mount it before `express.json()`, whose limit and errors apply otherwise.
 *
 * @param handler from `createHandler`
 * @returns middleware for Express 4 and 5
 * @throws TypeError if `mountPath` is not a path, and for an unknown option
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
    // Without a base URL, only routes have parameters: the host called the middleware from a route function.
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

/** The route of this middleware. Express keeps an earlier route that called `next()` as `request.route`. */
function routeOf({ route }: Request, middleware: RequestHandler): { readonly path: unknown } | undefined {
  const { stack = [] } = (route ?? {}) as { readonly stack?: readonly { readonly handle: unknown }[] };
  return stack.some(({ handle }) => handle === middleware) ? route : undefined;
}

function mountPathIn({ baseUrl, originalUrl, params }: Request, routePath: unknown): string | undefined {
  const path = originalUrl.split('?', 1)[0]!;
  // Wildcards are lists in Express 5, numbered in Express 4 and regular expressions.
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
