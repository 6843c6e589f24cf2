import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  createHandler,
  createInference,
  type HandlerOptions,
  type Inference,
  type AnyModelOptions,
} from '../../dist/src/index.js';
import { toNodeListener } from '../../dist/adapters/node.js';

export interface RunningService {
  readonly inference: Inference;
  readonly origin: string;
  close(): Promise<void>;
}

/** Serves models from worker processes on a free port, and waits until they are loaded. */
export async function serve(
  models: Readonly<Record<string, AnyModelOptions>>,
  options: HandlerOptions,
): Promise<RunningService> {
  const inference = createInference({ models });
  const server = createServer(toNodeListener(createHandler(inference, options)));
  // A busy client may take up a connection in the moment in which the server ends it for being idle.
  server.keepAliveTimeout = 120_000;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  await inference.ready();
  return {
    inference,
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      await inference.close();
      server.closeAllConnections();
      server.close();
    },
  };
}
