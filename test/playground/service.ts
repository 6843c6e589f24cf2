import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { serveWebSockets, toNodeListener } from '../../dist/adapters/node.js';
import { createPlayground } from '../../dist/src/entries/playground.js';
import { createHandler, type HandlerOptions, type Inference } from '../../dist/src/index.js';

export interface PlaygroundService {
  readonly origin: string;
  readonly server: Server;
  close(): Promise<void>;
}

/** Serves the API below `/v1` and the playground at `/`. */
export async function servePlayground(
  inference: Inference,
  options: HandlerOptions,
): Promise<PlaygroundService> {
  const handler = createHandler(inference, options);
  const api = toNodeListener(handler);
  const playground = toNodeListener(createPlayground());
  const server = createServer((request, response) =>
    request.url?.startsWith('/v1/') ? api(request, response) : playground(request, response),
  );
  serveWebSockets(server, handler);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  await inference.ready();
  return {
    server,
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      await inference.close();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
