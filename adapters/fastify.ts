import { validateHeaderName, validateHeaderValue } from 'node:http';
import type { Readable } from 'node:stream';

import type { FastifyPluginCallback, FastifyReply, FastifyRequest } from 'fastify';

import type { ApiRequest, ApiResponse, Handler } from '../src/contracts/http.ts';
import { toApiRequest, toReadable } from './node-bridge.ts';
import { refuseUpgrades } from './refuse-upgrades.ts';
import { isBodiless, isStream, release, respond } from './respond.ts';

/**
 * Makes a Fastify plugin out of a handler. It is encapsulated: bodies of its own routes reach the handler unread, the
 * host's routes keep their parsers, and the host's hooks see every answer. Registered with a `prefix` it answers
 * everything below it; without one it answers `/v1`.
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
  return (instance, _options, done) => {
    const { prefix } = instance;
    const route = (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
      const apiRequest = toApiRequest(request.raw, reply.raw, {
        url: request.url,
        mountPath: prefix === '' ? undefined : actualPrefix(request.url, prefix),
        stream: request.body as Readable | undefined,
      });
      return respond(handler, apiRequest, (answer) => send(answer, apiRequest, reply));
    };

    refuseUpgrades(instance.server);
    instance.removeAllContentTypeParsers();
    instance.addContentTypeParser('*', (_request, payload, parsed) => parsed(null, payload));
    const root = prefix === '' ? '/v1' : '';
    instance.all(root, route);
    instance.all(`${root}/*`, route);
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
  // Fastify pipes when all its hooks have run and the headers are set: the client need not wait for the first piece.
  reply.raw.once('pipe', () => reply.raw.flushHeaders());
  return reply.send(toReadable(body, reply.raw));
}

/** Fastify would keep a header that Node refuses, and stumble over it again with every further answer. */
function checked(headers: ApiResponse['headers']): Record<string, string | string[]> {
  for (const [name, value] of Object.entries(headers)) {
    validateHeaderName(name);
    for (const each of typeof value === 'string' ? [value] : value) validateHeaderValue(name, each);
  }
  return headers as Record<string, string | string[]>;
}

/** The prefix as this client spelled it: a prefix may hold parameters. */
function actualPrefix(url: string, prefix: string): string {
  return url.split(/[/?]/, prefix.split('/').length).join('/');
}
