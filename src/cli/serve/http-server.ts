import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { serveWebSockets, toNodeListener } from '../../../adapters/node.ts';
import { InferenceError, type Handler } from '../../index.ts';
import { toErrorResponse } from '../../server/errors.ts';
import { requestIdOf } from '../../http/headers.ts';

/** In milliseconds: proxies keep idle connections for 60 s, and a request that meets the end of one is lost. */
const keepAliveTimeout = 75_000;

/** Listens; until there is another handler, every request is refused as `overloaded`. */
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
    /** Number of responses that are not out yet. */
    get openResponses() {
      return open.size;
    },
    /** Its answer from now on. */
    handle(next: Handler) {
      handler = next;
    },
    /** Takes no more connections, and resolves when all responses are out. */
    async drain() {
      server.close();
      if (open.size > 0) await new Promise<void>((resolve) => (onIdle = resolve));
    },
    /** Breaks off what is left. */
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}

const retryAfterSeconds = 5;

/** Refuses every request until the models are loaded. */
export const loading: Handler = async (request) =>
  toErrorResponse(
    new InferenceError('overloaded', 'The models are being loaded.', { retryAfterSeconds }),
    requestIdOf(request),
  );

/** An installation without the package for WebSockets serves everything else. */
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

/** Addresses that stand for all of a machine's are no place to connect to. */
const everywhere: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' };

function originOf(server: Server, host: string): string {
  const { port } = server.address() as AddressInfo;
  const reachable = everywhere[host] ?? host;
  return `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`;
}
