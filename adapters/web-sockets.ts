import { ServerResponse, type IncomingMessage, type Server } from 'node:http';
import { createRequire } from 'node:module';
import { Buffer } from 'node:buffer';
import type { Duplex } from 'node:stream';
import type { Socket } from 'node:net';
import type * as WebSockets from 'ws';
import type { ApiRequest, ApiResponse, Handler, SocketOffer } from '../src/contracts/http.ts';
import { send } from './node-bridge.ts';
import { isBelow, mountPathOf, pathsOf, respond } from './respond.ts';

/** `ws` parses all frames of a piece at once: some hundreds here, 350,000 in what the system hands over in one turn. */
const pieceBytes = 2048;

/** Options of `serveWebSockets`. */
export interface WebSocketOptions {
  /** The path that the API is served below, without a slash at its end. Left out, it is the handler's own, `/v1`. */
  readonly mountPath?: string | undefined;
}

/** A server of `node:http` or `node:https`. */
export type UpgradingServer = Pick<Server, 'on' | 'emit' | 'listenerCount'>;

/** A server of a newer Node, 24.9 for example, which asks before it upgrades a request. */
type AskingServer = UpgradingServer & { shouldUpgradeCallback?: (request: IncomingMessage) => boolean };

/**
 * Lets clients open the WebSockets of a handler, such as `/v1/realtime`, on a server of any framework: `app.listen()` of Express
 * and `app.server` of Fastify are some. It leaves all other requests to the server, as they are, also those with an `Upgrade`
 * header. It needs the package `ws`.
 *
 * @param server of `node:http` or `node:https`
 * @param handler from `createHandler`, which the server answers with too
 * @throws TypeError when `mountPath` is not a path, and for another option
 * @throws Error when the package `ws` is not installed
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
  // Node 26 streams the body of a request that is upgraded, so `answerPlainly` can't read it again.
  if (wasAsked)
    (server as AskingServer).shouldUpgradeCallback = (request) =>
      (server.listenerCount('upgrade') > 1 || isTaken(request)) && wasAsked.call(server, request);
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    if (!isTaken(request)) {
      if (server.listenerCount('upgrade') === 1) answerPlainly(server, { request, socket, head });
      return;
    }
    // Whoever leaves now has closed the socket, too.
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
        // A message that is too large, or no message; `ws` closes the socket.
        webSocket.on('error', () => undefined);
        // A stream with such a listener doesn't flow, whatever `ws` does: its data are emitted as they are read.
        socket.on('readable', () => webSocket.emit('readable'));
        // `ws` would parse all the rest at once.
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

/** An upgrade of another kind or path. */
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
 * A server without listeners for upgrades ignores the header, and HTTP clients that prefer HTTP/2 rely on it. So a server that
 * upgrades without asking reads the request once more, without that header.
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
