// One host of the deployment in this folder: chat on an OpenAI-compatible server, detection and embeddings on Triton,
// limits in a store that all hosts share. The environment has their addresses.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { chat, createHandler, createInference, detection, embedding, remote } from 'slashv1';
import { createMetrics } from 'slashv1/metrics';
import { toNodeListener } from 'slashv1/node';
import { createHealthHandler } from 'slashv1/server';

const { env } = process;
const { CHAT_URL, CHAT_KEY_FILE, TRITON_URL, LIMITER } = env;
// Without a source, the host doesn't serve the model.
const detectorSource = env['DETECTOR_SOURCE'] ?? 'tiny-detect';
const embedderSource = env['EMBEDDER_SOURCE'] ?? 'tiny-embed';

/** @type {import('slashv1').InferenceOptions['models']} */
const models = {
  ...(CHAT_URL && {
    assistant: chat({
      source: env['CHAT_MODEL'] ?? 'assistant',
      contextLength: Number(env['CHAT_CONTEXT'] ?? 8192),
      maxQueue: 256,
      backend: remote.openai({
        baseURL: CHAT_URL,
        dialect: /** @type {'vllm'} */ (env['CHAT_DIALECT'] ?? 'vllm'),
        // Twice one host's load on one processor (docs/scale.md), to take over from a restarting host.
        concurrency: Number(env['CHAT_CONCURRENCY'] ?? 300),
        // Read for every request: a mounted secret may change.
        ...(CHAT_KEY_FILE && { apiKey: () => readFileSync(CHAT_KEY_FILE, 'utf8').trim() }),
      }),
    }),
  }),
  ...(TRITON_URL &&
    detectorSource && {
      detector: detection({
        source: detectorSource,
        backend: remote.kserve({ url: TRITON_URL, model: 'detector' }),
      }),
    }),
  ...(TRITON_URL &&
    embedderSource && {
      embedder: embedding({
        source: embedderSource,
        backend: remote.kserve({ url: TRITON_URL, model: 'embedder' }),
      }),
    }),
};

const { API_KEY = '', TRIAL_KEY } = env;
const metrics = createMetrics();
const inference = createInference({ models });
const handler = createHandler(inference, {
  auth: {
    keys: [
      { key: API_KEY, id: 'standard', plan: 'standard' },
      ...(TRIAL_KEY ? [{ key: TRIAL_KEY, id: 'trial', plan: 'trial' }] : []),
    ],
  },
  plans: {
    standard: { rateLimit: { requests: 6000, perSeconds: 60 } },
    trial: { rateLimit: { requests: 10, perSeconds: 60 } },
  },
  // A temporary store failure should not reject every request.
  onLimiterFailure: 'admit',
  limiterTimeoutMs: Number(env['LIMITER_TIMEOUT_MS'] ?? 500),
  ...(LIMITER && { limiter: (await import(LIMITER)).default }),
  observers: [metrics.observer],
});

const places = {
  '/v1': toNodeListener(handler),
  '/health': toNodeListener(createHealthHandler(inference)),
  '/metrics': toNodeListener(metrics.handler), // only inside the cluster: the balancer doesn't forward it
};
let isStopping = false;
let lastRequestAt = 0;
// Longer than the balancer keeps idle connections.
const server = createServer({ keepAliveTimeout: 75_000 }, (request, response) => {
  // A kept connection would send its next request to a stopped host.
  if (isStopping) response.shouldKeepAlive = false;
  if (request.url?.startsWith('/v1')) lastRequestAt = performance.now();
  const place = Object.entries(places).find(([path]) => request.url?.startsWith(path));
  if (place) place[1](request, response);
  else response.writeHead(404).end();
});
server.listen(Number(env['PORT'] ?? 8000), env['HOST'] ?? '0.0.0.0', () => console.log('listening'));

process.once('SIGTERM', async () => {
  isStopping = true;
  lastRequestAt = performance.now();
  const drainDelayMs = Number(env['DRAIN_DELAY_MS'] ?? 5000);
  const graceMs = Number(env['GRACE_MS'] ?? 60_000);
  // Report 503 on /health/ready and keep serving until no new requests have arrived for a while, since the balancer has
  // noticed, and the queue is empty.
  const closed = inference.close({ drainDelayMs: 6 * drainDelayMs, graceMs });
  const isQuiet = () =>
    performance.now() - lastRequestAt > drainDelayMs &&
    inference.status().every(({ waiting }) => waiting === 0);
  setInterval(() => isQuiet() && void inference.close({ graceMs }), 100).unref();
  await closed; // running requests have ended
  server.close(() => process.exit());
  setTimeout(() => server.closeAllConnections(), 5000).unref();
});
