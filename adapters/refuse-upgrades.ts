import type { Server } from 'node:http';
import type { Duplex } from 'node:stream';

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
 * Answers upgrades that nobody takes with 400, and closes their connections.
 *
 * A server of Node ignores an `Upgrade` header as long as it has no listener for it. Fastify that listens at `localhost`
 * opens a second server for the other address family, whose upgrades it emits on the first one: there they have no
 * listener, and their connections would stay open for ever. A listener on the first server is no remedy, since it would
 * then refuse what it ignores today. So the result of `emit` says whether there was one.
 */
export function refuseUpgrades(server: Server): void {
  if (refusing.has(server)) return;
  refusing.add(server);
  const emit = server.emit.bind(server) as (name: string | symbol, ...values: unknown[]) => boolean;
  server.emit = (name: string | symbol, ...values: unknown[]): boolean => {
    const isTaken = emit(name, ...values);
    if (name !== 'upgrade' || isTaken) return isTaken;
    const socket = values[1] as Duplex;
    // A client that is gone already.
    socket.on('error', () => undefined);
    socket.end(refusal, () => socket.destroy());
    return true;
  };
}
