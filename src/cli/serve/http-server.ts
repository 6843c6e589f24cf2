import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { serveWebSockets, toNodeListener } from '../../../adapters/node.ts';
import { InferenceError, type Handler } from '../../index.ts';
import { toErrorResponse } from '../../http/error-responses.ts';
import { requestIdOf } from '../../http/headers.ts';

/** In milliseconds: proxies keep idle connections for 60 s, and a request on a connection that is just closing is lost. */
const keepAliveTimeout = 75_000;

/** Listens; until a handler is set, every request is rejected as `overloaded`. */
export async function openHttpServer(host: string, port: number) {
  let handler = loading;
  const current: Handler = (request) => handler(request);
  const listener = toNodeListener(current);
  const open = new Set<ServerResponse>();
  let onIdle: (() => void) | undefined;
  const server = createServer({ keepAliveTimeout }, (request, response) => {
    open.add(response);
    response.once('close', () => {
      open.delete(response);
      if (open.size === 0) onIdle?.();
    });
    listener(request, response);
  });
  offerWebSockets(server, current);
  await listen(server, host, port);
  return {
    /** `http://127.0.0.1:8000` */
    origin: originOf(server, host),
    get openResponses() {
      return open.size;
    },
    handle(next: Handler) {
      handler = next;
    },
    /** Accepts no more connections, and resolves when all responses are finished. */
    async drain() {
      server.close();
      if (open.size > 0) await new Promise<void>((resolve) => (onIdle = resolve));
    },
    /** Aborts the rest. */
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}

const retryAfterSeconds = 5;

/** Rejects every request until the models are loaded. */
export const loading: Handler = async (request) =>
  toErrorResponse(
    new InferenceError('overloaded', 'The models are being loaded.', { retryAfterSeconds }),
    requestIdOf(request),
  );

/** Without the WebSocket package, everything else is served. */
function offerWebSockets(server: Server, handler: Handler): void {
  try {
    serveWebSockets(server, handler);
  } catch (error) {
    const { code } = (error as { readonly cause?: { readonly code?: string } }).cause ?? {};
    if (code !== 'MODULE_NOT_FOUND') throw error;
  }
}

async function listen(server: Server, host: string, port: number): Promise<void> {
  server.listen(port, host);
  await once(server, 'listening').catch((error: NodeJS.ErrnoException) => {
    const isTaken = error.code === 'EADDRINUSE';
    if (isTaken) error.message = `${host}:${port} is in use by another program; choose another --port.`;
    throw error;
  });
}

/** Wildcard addresses can't be connected to. */
const everywhere: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' };

function originOf(server: Server, host: string): string {
  const { port } = server.address() as AddressInfo;
  const reachable = everywhere[host] ?? host;
  return `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`;
}
