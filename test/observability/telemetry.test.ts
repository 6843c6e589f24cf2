import { context, metrics, propagation, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import {
  AggregationTemporality,
  DataPointType,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
  type HistogramMetricData,
} from '@opentelemetry/sdk-metrics';
import {
  AlwaysOffSampler,
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
  type ReadableSpan,
} from '@opentelemetry/sdk-trace-base';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { InferenceError } from '../../src/errors.ts';
import { createTelemetry, type TelemetryOptions } from '../../src/observability/telemetry.ts';
import { createHandler } from '../../src/create-handler.ts';
import type { FakeInferenceOptions } from '../../src/testing/fake-inference.ts';
import { sentForm, uploadOf } from '../server/forms.ts';
import { chatBody, send, toRequest } from '../server/support.ts';
import { createInference, until } from './support.ts';

const spanExporter = new InMemorySpanExporter();
let reader: PeriodicExportingMetricReader;

/** The W3C format, of whose package the API is no part. @see https://www.w3.org/TR/trace-context/ */
const traceparent = {
  inject: () => undefined,
  extract: (base: ReturnType<typeof context.active>, carrier: unknown) => {
    const header = (carrier as Record<string, string>)['traceparent'] ?? '';
    const [, traceId, spanId] = /^00-([0-9a-f]{32})-([0-9a-f]{16})-01$/.exec(header) ?? [];
    if (traceId === undefined) return base;
    return trace.setSpanContext(base, { traceId, spanId: spanId!, traceFlags: 1, isRemote: true });
  },
  fields: () => ['traceparent'],
};

function registerSdk(sampler?: AlwaysOffSampler): void {
  trace.setGlobalTracerProvider(
    new BasicTracerProvider({
      spanProcessors: [new SimpleSpanProcessor(spanExporter)],
      ...(sampler ? { sampler } : {}),
    }),
  );
  const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 2 ** 30 });
  metrics.setGlobalMeterProvider(new MeterProvider({ readers: [reader] }));
}

beforeEach(() => {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  propagation.setGlobalPropagator(traceparent);
});
afterEach(async () => {
  await reader?.shutdown();
  for (const api of [context, metrics, propagation, trace]) api.disable();
  spanExporter.reset();
});

function serve(fake: FakeInferenceOptions = {}, options: TelemetryOptions = {}) {
  const inference = createInference(fake);
  const observers = [createTelemetry(options)];
  return { inference, handler: createHandler(inference, { auth: 'none', onError: () => {}, observers }) };
}

function onlySpan(): ReadableSpan {
  const spans = spanExporter.getFinishedSpans();
  expect(spans).toHaveLength(1);
  return spans[0]!;
}

/** Points of all histograms by name. */
async function collect() {
  const { resourceMetrics } = await reader.collect();
  const all = resourceMetrics.scopeMetrics.flatMap((scope) => scope.metrics);
  return Object.fromEntries(
    all.map((metric) => {
      expect(metric.dataPointType).toBe(DataPointType.HISTOGRAM);
      return [metric.descriptor.name, (metric as HistogramMetricData).dataPoints];
    }),
  );
}

const parameters = {
  temperature: 0.5,
  top_p: 0.9,
  top_k: 7,
  max_tokens: 3,
  seed: 11,
  frequency_penalty: 0.25,
};

describe('a span', () => {
  beforeEach(() => registerSdk());

  it('tells the parameters and the outcome of a chat, and nothing that people wrote', async () => {
    const { handler } = serve({ reply: { reasoning: 'hidden thought', text: 'an open secret' } });
    const body = chatBody({ ...parameters, n: 2, stop: ['forbidden'], user: 'somebody' });
    const { json } = await send(handler, { json: body, headers: { 'x-request-id': 'request-1' } });
    const span = onlySpan();
    expect(span.name).toBe('chat fake-chat');
    expect(span.kind).toBe(SpanKind.INTERNAL);
    expect(span.status).toEqual({ code: SpanStatusCode.UNSET });
    expect(span.attributes).toEqual({
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': 'slashv1',
      'gen_ai.request.model': 'fake-chat',
      'gen_ai.output.type': 'text',
      'gen_ai.request.temperature': 0.5,
      'gen_ai.request.top_p': 0.9,
      'gen_ai.request.top_k': 7,
      'gen_ai.request.max_tokens': 3,
      'gen_ai.request.seed': 11,
      'gen_ai.request.frequency_penalty': 0.25,
      'gen_ai.request.presence_penalty': 0,
      'gen_ai.request.choice.count': 2,
      'gen_ai.response.id': json.id,
      'gen_ai.response.model': 'fake-chat',
      'gen_ai.response.finish_reasons': ['length', 'length'],
      'gen_ai.response.time_to_first_chunk': expect.any(Number),
      'gen_ai.usage.input_tokens': 2,
      'gen_ai.usage.output_tokens': 6,
      'gen_ai.usage.cache_read.input_tokens': 0,
      'gen_ai.usage.reasoning.output_tokens': 4,
      'slashv1.request.id': 'request-1',
      'slashv1.queue.wait': expect.any(Number),
    });
  });

  it.each([
    [
      'embeddings fake-embedder',
      { url: '/v1/embeddings', json: { model: 'fake-embedder', input: 'x', dimensions: 4 } },
      { 'gen_ai.embeddings.dimension.count': 4, 'gen_ai.usage.input_tokens': 1 },
    ],
    [
      'generate_content fake-painter',
      { url: '/v1/images/generations', json: { model: 'fake-painter', prompt: 'x', seed: 3 } },
      { 'gen_ai.output.type': 'image', 'gen_ai.request.seed': 3 },
    ],
    [
      'generate_content fake-speaker',
      { url: '/v1/audio/speech', json: { model: 'fake-speaker', input: 'x' } },
      { 'gen_ai.output.type': 'speech' },
    ],
    [
      'generate_content fake-recognizer',
      { url: '/v1/audio/transcriptions', ...sentForm(uploadOf({ model: 'fake-recognizer' })) },
      { 'gen_ai.output.type': 'text' },
    ],
    [
      'detect_objects fake-detector',
      { url: '/v1/detect', json: { model: 'fake-detector', image: 'aGVsbG8=' } },
      {},
    ],
  ] as const)('of %s', async (name, sent, attributes) => {
    const { handler } = serve({ transcript: 'heard' });
    expect((await send(handler, sent)).status).toBe(200);
    expect(onlySpan().name).toBe(name);
    expect(onlySpan().attributes).toMatchObject(attributes);
    expect(JSON.stringify(onlySpan().attributes)).not.toMatch(/heard|aGVsbG8/);
  });

  it('is a child of the active span, also where the headers name another one', async () => {
    const { handler } = serve();
    const parent = trace.getTracer('host').startSpan('POST /v1');
    await context.with(trace.setSpan(context.active(), parent), () =>
      send(handler, {
        json: chatBody(),
        headers: { traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01` },
      }),
    );
    expect(onlySpan().parentSpanContext).toMatchObject({ spanId: parent.spanContext().spanId });
    expect(onlySpan().spanContext().traceId).toBe(parent.spanContext().traceId);
  });

  it('is a child of the one in `traceparent` where none is active', async () => {
    const { handler } = serve();
    const headers = { traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01` };
    await send(handler, { json: chatBody({ stream: true }), headers });
    expect(onlySpan().parentSpanContext).toMatchObject({ spanId: 'b'.repeat(16), isRemote: true });
    expect(onlySpan().spanContext().traceId).toBe('a'.repeat(32));
  });

  it.each(['', 'nonsense', `00-${'0'.repeat(32)}-${'0'.repeat(16)}-01`, '00-x'.repeat(10_000)])(
    'begins a trace where `traceparent` is %.20s',
    async (header) => {
      const { handler } = serve();
      expect((await send(handler, { json: chatBody(), headers: { traceparent: header } })).status).toBe(200);
      expect(onlySpan().parentSpanContext).toBeUndefined();
    },
  );

  it('takes the context that the host gives with a call of its own', async () => {
    const { inference } = serve();
    const carrier = { traceparent: `00-${'c'.repeat(32)}-${'d'.repeat(16)}-01` };
    await inference.embed(
      { model: 'fake-embedder', input: 'x' },
      { origin: { requestId: 'job-1', carrier } },
    );
    expect(onlySpan().spanContext().traceId).toBe('c'.repeat(32));
    expect(onlySpan().attributes['slashv1.request.id']).toBe('job-1');
  });

  it.each([
    [new InferenceError('worker_failed', 'Gone.'), 'worker_failed', 'Gone.'],
    [new InferenceError('context_length_exceeded', 'quoted'), 'context_length_exceeded', undefined],
    [new Error('secret'), 'internal', undefined],
  ])('of a run that fails with %s', async (error, type, message) => {
    const { handler } = serve({ reply: { text: 'a b', error, failAfter: 2 } });
    await send(handler, { json: chatBody() });
    expect(onlySpan().attributes['error.type']).toBe(type);
    expect(onlySpan().status).toEqual({ code: SpanStatusCode.ERROR, ...(message ? { message } : {}) });
    expect(onlySpan().attributes['gen_ai.usage.output_tokens']).toBe(1);
    expect(onlySpan().attributes['gen_ai.response.finish_reasons']).toBeUndefined();
  });

  it('of a stream that its client leaves ends, and is no error', async () => {
    const { inference, handler } = serve({ reply: { text: 'word '.repeat(1000), delayMs: 1 } });
    const { body } = await handler(toRequest({ json: chatBody({ stream: true }) }));
    const pieces = (body as AsyncIterable<string>)[Symbol.asyncIterator]();
    await pieces.next();
    expect(spanExporter.getFinishedSpans()).toEqual([]);
    await pieces.return!();
    await until(() => inference.running === 0);
    expect(onlySpan().attributes['error.type']).toBe('cancelled');
    expect(onlySpan().status).toEqual({ code: SpanStatusCode.UNSET });
  });
});

describe('contents', () => {
  const messages = [
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: 'Weather?' },
    {
      role: 'assistant',
      content: null,
      tool_calls: [
        { id: 'call_1', type: 'function', function: { name: 'weather', arguments: '{"city":"Rome"}' } },
      ],
    },
    { role: 'tool', tool_call_id: 'call_1', content: 'rainy' },
  ];
  const tools = [{ type: 'function', function: { name: 'weather', parameters: { type: 'object' } } }];

  beforeEach(() => registerSdk());

  it('are recorded where somebody asks for it', async () => {
    const reply = {
      reasoning: 'let me see',
      text: 'It rains.',
      toolCalls: [{ name: 'weather', arguments: '{"city":' }],
    };
    const { handler } = serve({ reply }, { captureContent: true });
    await send(handler, { json: chatBody({ messages, tools, stop: 'END' }) });
    const { attributes } = onlySpan();
    expect(JSON.parse(String(attributes['gen_ai.input.messages']))).toEqual([
      { role: 'system', parts: [{ type: 'text', content: 'Be brief.' }] },
      { role: 'user', parts: [{ type: 'text', content: 'Weather?' }] },
      {
        role: 'assistant',
        parts: [{ type: 'tool_call', id: 'call_1', name: 'weather', arguments: { city: 'Rome' } }],
      },
      { role: 'tool', parts: [{ type: 'tool_call_response', id: 'call_1', response: 'rainy' }] },
    ]);
    expect(JSON.parse(String(attributes['gen_ai.output.messages']))).toEqual([
      {
        role: 'assistant',
        parts: [
          { type: 'reasoning', content: 'let me see' },
          { type: 'text', content: 'It rains.' },
          { type: 'tool_call', id: 'call_0_0', name: 'weather', arguments: '{"city":' },
        ],
        finish_reason: 'tool_call',
      },
    ]);
    expect(JSON.parse(String(attributes['gen_ai.tool.definitions']))).toEqual([
      { type: 'function', name: 'weather', parameters: { type: 'object' } },
    ]);
    expect(attributes['gen_ai.request.stop_sequences']).toEqual(['END']);
  });

  it('of several choices tell which have not ended', async () => {
    const error = new InferenceError('worker_failed', 'Gone.');
    const { handler } = serve({ reply: { text: 'a b', error, failAfter: 5 } }, { captureContent: true });
    await send(handler, { json: chatBody({ n: 2, max_tokens: 1 }) });
    const output = JSON.parse(String(onlySpan().attributes['gen_ai.output.messages'])) as {
      finish_reason: string;
    }[];
    expect(output.map(({ finish_reason }) => finish_reason)).toEqual(['length', 'length']);
    spanExporter.reset();
    await send(handler, { json: chatBody({ n: 2, max_tokens: 2 }) });
    const unfinished = JSON.parse(String(onlySpan().attributes['gen_ai.output.messages'])) as typeof output;
    expect(unfinished.map(({ finish_reason }) => finish_reason)).toEqual(['error', 'error']);
  });

  it.each([
    [{ url: '/v1/images/generations', json: { model: 'fake-painter', prompt: 'a fox' } }, 'a fox', undefined],
    [{ url: '/v1/audio/speech', json: { model: 'fake-speaker', input: 'a fox' } }, 'a fox', undefined],
    [
      {
        url: '/v1/audio/transcriptions',
        ...sentForm(uploadOf({ model: 'fake-recognizer', prompt: 'a fox' })),
      },
      'a fox',
      'heard',
    ],
  ])('of other categories: %#', async (sent, written, said) => {
    const { handler } = serve({ transcript: 'heard' }, { captureContent: true });
    expect((await send(handler, sent)).status).toBe(200);
    const { attributes } = onlySpan();
    expect(String(attributes['gen_ai.input.messages'])).toContain(written);
    if (said === undefined) expect(attributes['gen_ai.output.messages']).toBeUndefined();
    else expect(String(attributes['gen_ai.output.messages'])).toContain(said);
  });
});

describe('measurements', () => {
  beforeEach(() => registerSdk());

  it('follow the conventions', async () => {
    const { handler } = serve();
    await send(handler, { json: chatBody() });
    const points = await collect();
    const attributes = {
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': 'slashv1',
      'gen_ai.request.model': 'fake-chat',
      'gen_ai.response.model': 'fake-chat',
    };
    for (const name of ['request.duration', 'time_to_first_token', 'time_per_output_token']) {
      expect(points[`gen_ai.server.${name}`]).toMatchObject([{ attributes, value: { count: 1 } }]);
    }
    expect(points['gen_ai.server.request.duration']![0]!.value.buckets.boundaries.slice(0, 3)).toEqual([
      0.01, 0.02, 0.04,
    ]);
    expect(points['gen_ai.client.token.usage']).toMatchObject([
      { attributes: { ...attributes, 'gen_ai.token.type': 'input' }, value: { sum: 2 } },
      { attributes: { ...attributes, 'gen_ai.token.type': 'output' }, value: { sum: 4 } },
    ]);
    expect(points['gen_ai.client.token.usage']![0]!.value.buckets.boundaries.at(-1)).toBe(67_108_864);
  });

  it('of failures have their type and no time of tokens', async () => {
    const { handler } = serve({
      reply: { text: 'a b', error: new InferenceError('overloaded', 'Full.'), failAfter: 3 },
    });
    await send(handler, { json: chatBody() });
    const points = await collect();
    expect(points['gen_ai.server.request.duration']![0]!.attributes['error.type']).toBe('overloaded');
    expect(points['gen_ai.server.time_to_first_token'] ?? []).toEqual([]);
  });
});

describe('without an SDK', () => {
  it('nothing happens', async () => {
    const { handler } = serve();
    expect((await send(handler, { json: chatBody() })).status).toBe(200);
  });

  it('an SDK that is registered later is used from then on', async () => {
    const { handler } = serve();
    await send(handler, { json: chatBody() });
    registerSdk();
    await send(handler, { json: chatBody() });
    expect(onlySpan().name).toBe('chat fake-chat');
    expect((await collect())['gen_ai.server.request.duration']![0]!.value.count).toBe(1);
  });

  it('a span that is not sampled records nothing, but is measured', async () => {
    registerSdk(new AlwaysOffSampler());
    const { handler } = serve({}, { captureContent: true });
    await send(handler, { json: chatBody() });
    expect(spanExporter.getFinishedSpans()).toEqual([]);
    expect((await collect())['gen_ai.server.request.duration']![0]!.value.count).toBe(1);
  });
});
