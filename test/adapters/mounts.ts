import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';

import express, { type Express } from 'express';
import Fastify, { type FastifyInstance } from 'fastify';

import type { Handler } from '../../src/contracts/http.ts';
import { toFetch } from '../../dist/adapters/fetch.js';
import { toNodeListener } from '../../dist/adapters/node.js';
import type { Mount, Start } from './conformance.ts';

/** Mounts a handler as a fetch function: no socket, no server. */
export function onFetch(path: string, mountPath?: string): Start {
  return async (handler) => {
    const answer = toFetch(handler, { mountPath });
    return {
      baseUrl: `http://127.0.0.1${path}`,
      mountPath,
      async fetch(url, init) {
        const request = new Request(url, init);
        const response = await answer(request);
        // As a client over a socket would, which has no answer any more.
        request.signal.throwIfAborted();
        return response;
      },
      close: async () => undefined,
    };
  };
}

/** Mounts a handler on plain `node:http`. */
export function onNode(path: string, mountPath?: string): Start {
  return (handler) => listen(toNodeListener(handler, { mountPath }), path, mountPath);
}

/** Mounts a handler in an Express app. */
export function onExpress(
  path: string,
  mountPath: string | undefined,
  build: (app: Express, handler: Handler) => void,
  createApp: () => Express = express,
): Start {
  return (handler) => {
    const app = createApp();
    build(app, handler);
    return listen(app as RequestListener, path, mountPath);
  };
}

/** Mounts a handler in a Fastify app. */
export function onFastify(
  path: string,
  mountPath: string | undefined,
  build: (app: FastifyInstance, handler: Handler) => void,
): Start {
  return async (handler) => {
    const app = Fastify({ forceCloseConnections: true });
    build(app, handler);
    const origin = await app.listen({ host: '127.0.0.1', port: 0 });
    return { baseUrl: origin + path, mountPath, fetch, close: () => app.close() };
  };
}

async function listen(listener: RequestListener, path: string, mountPath?: string): Promise<Mount> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`,
    mountPath,
    fetch,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
