import { validateHeaderName, validateHeaderValue, type Server } from 'node:http';
import type { Readable, Duplex } from 'node:stream';
import type { FastifyPluginCallback, FastifyReply, FastifyRequest } from 'fastify';
import type { ApiRequest, ApiResponse, Handler } from '../src/contracts/http.ts';
import { toApiRequest, toReadable } from './node-bridge.ts';
import { assertHandler, isBodiless, isStream, pathsOf, release, respond } from './respond.ts';

/**
 * Creates an encapsulated Fastify plugin from a handler: bodies of its routes reach the handler unread, the
 * host's routes keep their parsers, and the host's hooks see every answer. Registered with a `prefix` it answers
 * everything below it; without a prefix it answers the handler's own paths, such as `/v1`.
 *
 * @param handler from `createHandler`
 * @returns a plugin for Fastify 5
 * @example
 * ```ts
 * import Fastify from 'fastify';
 * import { toFastify } from 'slashv1/fastify';
 * import { createHandler } from 'slashv1/server';
 *
 * const handler = createHandler(inference, { auth: { keys: [process.env.API_KEY ?? ''] } });
 * const app = Fastify();
 * app.register(toFastify(handler), { prefix: '/v1' });
 * await app.listen({ port: 8000, host: '127.0.0.1' });
 * ```
 */
export function toFastify(handler: Handler): FastifyPluginCallback {
  assertHandler(handler);
  return (instance, _options, done) => {
    const { prefix } = instance;
    const route = (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
      const apiRequest = toApiRequest(request.raw, reply.raw, {
        url: request.url,
        mountPath: prefix === '' ? undefined : actualPrefix(request.url, prefix),
        hostIds: [reply.getHeader('x-request-id'), request.id],
        stream: request.body as Readable | undefined,
      });
      return respond(handler, apiRequest, (answer) => send(answer, apiRequest, reply));
    };

    refuseUpgrades(instance.server);
    instance.removeAllContentTypeParsers();
    instance.addContentTypeParser('*', (_request, payload, parsed) => parsed(null, payload));
    for (const path of prefix === '' ? pathsOf(handler) : ['']) {
      instance.all(path, route);
      if (path !== '/') instance.all(`${path}/*`, route);
    }
    done();
  };
}

function send(answer: ApiResponse, request: ApiRequest, reply: FastifyReply): FastifyReply {
  const { status, headers, body } = answer;
  if (reply.sent || request.signal.aborted) {
    release(body);
    return reply;
  }
  reply.code(status).headers(checked(headers));
  if (!isStream(body)) return reply.send(body);
  if (isBodiless(request.method, status)) {
    release(body);
    return reply.send();
  }
  // Fastify pipes once its hooks have run and headers are set: flush them before the first piece.
  reply.raw.once('pipe', () => reply.raw.flushHeaders());
  return reply.send(toReadable(body, reply.raw));
}

/** Fastify would keep a header that Node rejects, and fail again on every further answer. */
function checked(headers: ApiResponse['headers']): Record<string, string | string[]> {
  for (const [name, value] of Object.entries(headers)) {
    validateHeaderName(name);
    for (const each of typeof value === 'string' ? [value] : value) validateHeaderValue(name, each);
  }
  return headers as Record<string, string | string[]>;
}

/** The actual prefix in this URL: a prefix may have parameters. */
function actualPrefix(url: string, prefix: string): string {
  return url.split(/[/?]/, prefix.split('/').length).join('/');
}

const refusing = new WeakSet<Server>();

const body = JSON.stringify({
  error: {
    message: 'Expected a request without an `Upgrade` header: this address offers no other protocol.',
    type: 'invalid_request_error',
    param: null,
    code: 'invalid_request',
  },
});
const refusal = [
  'HTTP/1.1 400 Bad Request',
  'content-type: application/json; charset=utf-8',
  `content-length: ${Buffer.byteLength(body)}`,
  'connection: close',
  '',
  body,
].join('\r\n');

/**
 * Answers unhandled upgrades with 400 and closes their connections. Node ignores an `Upgrade` header without a listener. Fastify
 * on `localhost` opens a second server for IPv6 or IPv4 and emits its upgrades on the first: without a listener there, their
 * connections would stay open forever.
 */
function refuseUpgrades(server: Server): void {
  if (refusing.has(server)) return;
  refusing.add(server);
  const emit = server.emit.bind(server) as (name: string | symbol, ...values: unknown[]) => boolean;
  server.emit = (name: string | symbol, ...values: unknown[]): boolean => {
    const isTaken = emit(name, ...values);
    if (name !== 'upgrade' || isTaken) return isTaken;
    const socket = values[1] as Duplex;
    // The client may have disconnected.
    socket.on('error', () => undefined);
    socket.end(refusal, () => socket.destroy());
    return true;
  };
}
