import { ServerResponse, type IncomingMessage, type Server } from 'node:http';
import { createRequire } from 'node:module';
import { Buffer } from 'node:buffer';
import type { Duplex } from 'node:stream';
import type { Socket } from 'node:net';
import type * as WebSockets from 'ws';
import type { ApiRequest, ApiResponse, Handler, SocketOffer } from '../src/contracts/http.ts';
import { send } from './node-bridge.ts';
import { isBelow, mountPathOf, pathsOf, respond } from './respond.ts';

/** `ws` parses all frames of a piece synchronously: some hundreds here, 350,000 in a full socket read. */
const pieceBytes = 2048;

/** Options of `serveWebSockets`. */
export interface WebSocketOptions {
  /** Base path of the API, without a trailing slash. Default: the handler's own, `/v1`. */
  readonly mountPath?: string | undefined;
}

/** A server of `node:http` or `node:https`. */
export type UpgradingServer = Pick<Server, 'on' | 'emit' | 'listenerCount'>;

/** A server of a newer Node, such as 24.9, with a callback before upgrades. */
type AskingServer = UpgradingServer & { shouldUpgradeCallback?: (request: IncomingMessage) => boolean };

/**
 * Serves the WebSockets of a handler, such as `/v1/realtime`, on a server of any framework, for example `app.listen()` of Express
 * or `app.server` of Fastify. Unrelated requests, even with an `Upgrade` header, pass unchanged.
 * Requires the package `ws`.
 *
 * @param server of `node:http` or `node:https`
 * @param handler from `createHandler`, also mounted on the server
 * @throws TypeError if `mountPath` is not a path, and for an unknown option
 * @throws Error if the package `ws` is not installed
 * @example
 * ```ts
 * import { createServer } from 'node:http';
 * import { serveWebSockets, toNodeListener } from 'slashv1/node';
 * import { createHandler } from 'slashv1/server';
 *
 * const handler = createHandler(inference, { auth: { keys: [process.env.API_KEY ?? ''] } });
 * const server = createServer(toNodeListener(handler));
 * serveWebSockets(server, handler);
 * server.listen(8000, '127.0.0.1');
 * ```
 */
export function serveWebSockets(
  server: UpgradingServer,
  handler: Handler,
  options: WebSocketOptions = {},
): void {
  const mountPath = mountPathOf(options);
  const { WebSocketServer } = requireWs();
  const isTaken = ({ headers, method, url = '/' }: IncomingMessage): boolean =>
    /^websocket$/i.test(headers.upgrade ?? '') &&
    method === 'GET' &&
    isBelow(pathsOf(handler, mountPath), url);
  const { shouldUpgradeCallback: wasAsked } = server as AskingServer;
  // Node 26 streams the body of an upgraded request, so `answerPlainly` can't read it again.
  if (wasAsked)
    (server as AskingServer).shouldUpgradeCallback = (request) =>
      (server.listenerCount('upgrade') > 1 || isTaken(request)) && wasAsked.call(server, request);
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    if (!isTaken(request)) {
      if (server.listenerCount('upgrade') === 1) answerPlainly(server, { request, socket, head });
      return;
    }
    socket.on('error', () => undefined);
    const apiRequest = toApiRequest(request, socket, mountPath);
    const accept = (offer: SocketOffer, headers: ApiResponse['headers']): void => {
      const { protocol, maxMessageBytes: maxPayload, take } = offer;
      const sockets = new WebSocketServer({
        noServer: true,
        clientTracking: false,
        maxPayload,
        handleProtocols: () => protocol ?? false,
      });
      sockets.on('headers', (lines) => {
        for (const [name, value] of Object.entries(headers)) lines.push(`${name}: ${String(value)}`);
      });
      sockets.handleUpgrade(request, socket, head, (webSocket) => {
        // An oversized or invalid message; `ws` closes the socket.
        webSocket.on('error', () => undefined);
        // A `readable` listener stops the flow, regardless of `ws`: data are emitted as they are read.
        socket.on('readable', () => webSocket.emit('readable'));
        // `ws` would parse the whole rest synchronously.
        socket.prependOnceListener('close', () => void socket.removeAllListeners('data').read());
        const read = (): boolean => socket.read(Math.min(pieceBytes, socket.readableLength)) !== null;
        take(Object.assign(webSocket, { read }));
      });
    };
    void respond(handler, apiRequest, (answer) => {
      if (apiRequest.signal.aborted) return;
      if (answer.socket) accept(answer.socket, answer.headers);
      else refuse(answer, { request, socket, apiRequest });
    });
  });
}

function requireWs(): typeof WebSockets {
  try {
    return createRequire(import.meta.url)('ws') as typeof WebSockets;
  } catch (error) {
    if ((error as { code?: string }).code !== 'MODULE_NOT_FOUND') throw error;
    throw new Error('serveWebSockets needs the package ws: npm install ws', { cause: error });
  }
}

function toApiRequest(
  { method = 'GET', url = '/', headers }: IncomingMessage,
  socket: Duplex,
  mountPath: string | undefined,
): ApiRequest {
  const controller = new AbortController();
  if (socket.destroyed) controller.abort();
  socket.once('close', () => controller.abort());
  const body = { parsed: undefined };
  return { method, url, mountPath, headers, body, signal: controller.signal, asksForSocket: true };
}

interface Upgrade {
  readonly request: IncomingMessage;
  readonly socket: Duplex;
  readonly head: Buffer;
}

function refuse(
  answer: ApiResponse,
  { request, socket, apiRequest }: Omit<Upgrade, 'head'> & { readonly apiRequest: ApiRequest },
): void {
  const response = new ServerResponse(request);
  response.assignSocket(socket as Socket);
  response.once('finish', () => socket.end());
  send({ ...answer, headers: { ...answer.headers, connection: 'close' } }, apiRequest, response);
}

/**
 * Servers without upgrade listeners ignore the header, and HTTP clients that prefer HTTP/2 rely on that. So a server that
 * upgrades unconditionally parses the request again, without that header.
 */
function answerPlainly(server: UpgradingServer, { request, socket, head }: Upgrade): void {
  const lines = [`${request.method} ${request.url} HTTP/${request.httpVersion}`];
  for (let at = 0; at < request.rawHeaders.length; at += 2) {
    const [name, value] = request.rawHeaders.slice(at, at + 2) as [string, string];
    if (/^(?:upgrade|http2-settings)$/i.test(name)) continue;
    lines.push(`${name}: ${/^connection$/i.test(name) ? withoutUpgrade(value) : value}`);
  }
  socket.unshift(Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), head]));
  server.emit('encrypted' in socket ? 'secureConnection' : 'connection', socket);
}

function withoutUpgrade(connection: string): string {
  const kept = connection.split(',').filter((name) => !/^(?:upgrade|http2-settings)$/i.test(name.trim()));
  return kept.length === 0 ? 'keep-alive' : kept.join(',');
}
