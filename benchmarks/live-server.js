import { createServer } from 'node:http';
import { createHandler } from 'slashv1';
import { serveWebSockets, toNodeListener } from 'slashv1/node';

/**
 * Serves an inference with WebSockets, to everybody on this machine.
 *
 * @param {import('slashv1').Inference} inference
 */
export async function serveLive(inference) {
  await inference.ready();
  const handler = createHandler(inference, { auth: 'none' });
  const server = createServer(toNodeListener(handler));
  serveWebSockets(server, handler);
  await /** @type {Promise<void>} */ (new Promise((done) => server.listen(0, '127.0.0.1', done)));
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  return { port, server };
}
