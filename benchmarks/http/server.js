// One server of the benchmarks, in a process of its own: `node server.js <mount>`.
import { createServer } from 'node:http';
import { metrics, trace } from '@opentelemetry/api';
import { AggregationTemporality, InMemoryMetricExporter } from '@opentelemetry/sdk-metrics';
import { MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics';
import { BasicTracerProvider, BatchSpanProcessor } from '@opentelemetry/sdk-trace-base';
import express from 'express';
import Fastify from 'fastify';
import { destination, pino } from 'pino';
import { toExpress } from 'slashv1/express';
import { toFastify } from 'slashv1/fastify';
import { createMetrics } from 'slashv1/metrics';
import { toNodeListener } from 'slashv1/node';
import { createHandler } from 'slashv1/server';
import { createTelemetry } from 'slashv1/telemetry';
import { createFakeInference } from 'slashv1/testing';

const models = [
  { id: 'nothing', name: 'Nothing', category: 'chat', contextLength: 2048, created: 0, ownedBy: 'slashv1' },
];
/** An inference that costs nothing, so that only the way to it is measured. @type {Parameters<typeof createHandler>[0]} */
const inference = {
  async *run() {
    yield { type: 'prompt-end', promptTokens: 5 };
    yield { type: 'text-delta', choice: 0, text: 'Hello! How can I help?' };
    yield { type: 'choice-end', choice: 0, finishReason: 'stop' };
    yield { type: 'usage', promptTokens: 5, cachedTokens: 0, completionTokens: 7, reasoningTokens: 0 };
  },
  models: () => models,
  status: () => [],
  ready: async () => {},
  close: async () => {},
};
const handler = createHandler(inference, { auth: { keys: ['key'] } });

/** @param {{ model: string }} request */
const completion = ({ model }) => ({
  id: 'chatcmpl-0',
  object: 'chat.completion',
  created: 0,
  model,
  choices: [
    { index: 0, message: { role: 'assistant', content: 'Hello! How can I help?' }, finish_reason: 'stop' },
  ],
  usage: { prompt_tokens: 5, completion_tokens: 7, total_tokens: 12 },
});

/** Reads JSON, answers JSON, and does nothing else. @type {import('node:http').RequestListener} */
const bare = (request, response) => {
  let text = '';
  request.setEncoding('utf8');
  request.on('data', (piece) => (text += piece));
  request.on('end', () => {
    const body = JSON.stringify(completion(JSON.parse(text)));
    response.writeHead(200, {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
    });
    response.end(body);
  });
};

/** @param {Partial<import('slashv1').HandlerOptions>} options */
const observed = (options) => {
  const fake = createFakeInference({ models: ['nothing'], reply: 'Hello! How can I help?' });
  return toNodeListener(createHandler(fake, { auth: { keys: ['key'] }, ...options }));
};
const logger = () => pino(destination('/dev/null'));

function registerSdk() {
  const spans = new BatchSpanProcessor({
    export: (_spans, done) => done({ code: 0 }),
    shutdown: async () => {},
  });
  trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors: [spans] }));
  const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 60_000 });
  metrics.setGlobalMeterProvider(new MeterProvider({ readers: [reader] }));
}

/** @type {Record<string, () => Promise<import('node:http').RequestListener> | import('node:http').RequestListener>} */
const mounts = {
  bare: () => bare,
  node: () => toNodeListener(handler),
  'bare in express': () => express().use('/v1', (request, response) => bare(request, response)),
  express: () => express().use('/v1', toExpress(handler)),
  'express after express.json()': () => express().use(express.json()).use('/v1', toExpress(handler)),
  'bare in fastify': async () => {
    const app = Fastify();
    app.post('/v1/chat/completions', (request, reply) =>
      reply.send(completion(/** @type {{ model: string }} */ (request.body))),
    );
    await app.ready();
    return app.routing;
  },
  fastify: async () => {
    const app = Fastify().register(toFastify(handler), { prefix: '/v1' });
    await app.ready();
    return app.routing;
  },
  'observed by nobody': () => observed({}),
  'observed by a logger': () => observed({ logger: logger() }),
  'observed by metrics': () => observed({ observers: [createMetrics().observer] }),
  'observed by telemetry without an SDK': () => observed({ observers: [createTelemetry()] }),
  'observed by telemetry': () => {
    registerSdk();
    return observed({ observers: [createTelemetry()] });
  },
  'observed by all': () => {
    registerSdk();
    return observed({ logger: logger(), observers: [createMetrics().observer, createTelemetry()] });
  },
};

const listener = await mounts[process.argv[2] ?? 'node']?.();
const server = createServer(listener).listen(Number(process.env['PORT'] ?? 0), '127.0.0.1', () => {
  process.send?.(server.address());
});
process.on('message', () => process.send?.(process.cpuUsage()));
process.on('disconnect', () => process.exit());
