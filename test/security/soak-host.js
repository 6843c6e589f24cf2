// The service that the soaks attack, in a process of its own: its memory is its own, and its parent asks for it. Its arguments are the
// origin of a hostile server, and JSON of options of the handler.
import { createServer } from 'node:http';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { createHandler, createInference, remote } from 'slashv1';
import { serveWebSockets, toNodeListener } from 'slashv1/node';

const [, , hostileOrigin, options = '{"auth":"none"}'] = process.argv;
const names = ['chat', 'detect', 'whisper', 'embed', 'rerank', 'speech', 'image'].map(
  (name) => `tiny-${name}`,
);
const hostile = {
  category: 'chat',
  source: 'hostile',
  contextLength: 1000,
  backend: remote.openai({ baseURL: `${hostileOrigin}/v1` }),
};
const models = {
  ...Object.fromEntries(names.map((name) => [name, { source: name, deadlineMs: 60_000 }])),
  hostile,
};
/** @param {object} message */
const tell = (message) => process.send?.(message);

const inference = createInference({ models: /** @type {any} */ (models) });
inference.observe?.({
  onWorkerLoss: ({ id }, { reason }) => tell({ type: 'loss', model: id, reason }),
  onModelLoad: ({ id }) => tell({ type: 'load', model: id }),
});
const handler = createHandler(inference, {
  ...JSON.parse(options),
  onError: (error, { status }) => {
    if (status === 500) tell({ type: 'fault', reason: String(error.stack), cause: String(error.cause) });
  },
});
const delay = monitorEventLoopDelay({ resolution: 5 });
const server = createServer(toNodeListener(handler));
serveWebSockets(server, handler);
// A client that uses a connection again in the moment in which it is closed gets no answer.
server.keepAliveTimeout = 75_000;
server.listen(0, '127.0.0.1', async () => {
  await inference.ready();
  delay.enable();
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  tell({ type: 'ready', origin: `http://127.0.0.1:${port}`, models: names });
});

process.on('message', async (message) => {
  if (message === 'measure') {
    globalThis.gc?.();
    const { heapUsed, rss } = process.memoryUsage();
    tell({
      type: 'measure',
      heapMiB: heapUsed / 2 ** 20,
      rssMiB: rss / 2 ** 20,
      longestDelayMs: delay.max / 1e6,
      usualDelayMs: delay.percentile(99) / 1e6,
    });
    delay.reset();
  } else {
    await inference.close();
    server.closeAllConnections();
    server.close();
    process.disconnect?.();
  }
});
