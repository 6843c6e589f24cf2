import { Counter, Registry } from 'prom-client';
import { describe, expect, it } from 'vitest';
import { InferenceError } from '../../src/errors.ts';
import { createMetrics } from '../../src/create-metrics.ts';
import type { MetricsOptions } from '../../src/observability/metrics.ts';
import { createHandler } from '../../src/create-handler.ts';
import type { FakeInferenceOptions } from '../../src/testing/fake-inference.ts';
import { sentForm, uploadOf } from '../server/forms.ts';
import { chatBody, key, send, toRequest, type Sent } from '../server/support.ts';
import { parseText, valueOf, type Sample } from './prometheus-text.ts';
import { createInference, until } from './support.ts';

function serve(fake: FakeInferenceOptions = {}, options: MetricsOptions = {}) {
  const metrics = createMetrics(options);
  const inference = createInference(fake);
  const handler = createHandler(inference, {
    auth: { keys: [key] },
    onError: () => {},
    observers: [metrics.observer],
  });
  const scrape = async (): Promise<readonly Sample[]> =>
    parseText((await send(metrics.handler, { url: '/metrics' })).text);
  return { inference, handler, metrics, scrape };
}

/** Takes what is asked for of a service's metrics, by name. */
async function read(
  scrape: () => Promise<readonly Sample[]>,
  names: readonly (string | readonly [string, Sample['labels']])[],
): Promise<number[]> {
  const samples = await scrape();
  return names.map((name) =>
    typeof name === 'string'
      ? valueOf(samples, `slashv1_${name}`)
      : valueOf(samples, `slashv1_${name[0]}`, name[1]),
  );
}

const requests: readonly [string, Sent, Record<string, number>][] = [
  [
    'chat',
    { json: chatBody() },
    {
      input_tokens_total: 2,
      output_tokens_total: 4,
      cached_input_tokens_total: 0,
      reasoning_output_tokens_total: 0,
      choices_total: 1,
      time_to_first_token_seconds_count: 1,
      time_per_output_token_seconds_count: 1,
    },
  ],
  [
    'chat',
    { json: chatBody({ stream: true, n: 2 }) },
    { input_tokens_total: 2, output_tokens_total: 8, choices_total: 2, time_to_first_token_seconds_count: 1 },
  ],
  [
    'embedding',
    { url: '/v1/embeddings', json: { model: 'fake-embedder', input: ['one two', 'three'] } },
    { input_tokens_total: 3, vectors_total: 2, time_to_first_token_seconds_count: 0 },
  ],
  [
    'image',
    { url: '/v1/images/generations', json: { model: 'fake-painter', prompt: 'a circle', n: 3 } },
    { images_total: 3 },
  ],
  [
    'speech',
    { url: '/v1/audio/speech', json: { model: 'fake-speaker', input: 'one two three' } },
    {
      spoken_audio_seconds_total: 0.3,
      time_to_first_audio_seconds_count: 1,
      transcribed_audio_seconds_total: 0,
    },
  ],
  [
    'transcription',
    { url: '/v1/audio/transcriptions', ...sentForm(uploadOf({ model: 'fake-recognizer' })) },
    { transcribed_audio_seconds_total: 1.5, spoken_audio_seconds_total: 0 },
  ],
  [
    'detection',
    { url: '/v1/detect', json: { model: 'fake-detector', image: 'aGVsbG8=' } },
    { detections_total: 1 },
  ],
];

describe('requests', () => {
  it.each(requests)('of %s', async (category, sent, expected) => {
    const { handler, scrape } = serve({
      transcript: { segments: ['a red circle'] },
      detections: {
        detections: [{ className: 'cat', classId: 0, confidence: 1, box: { x1: 0, y1: 0, x2: 1, y2: 1 } }],
        image: { width: 1, height: 1 },
      },
    });
    const headers = { ...sent.headers, authorization: `Bearer ${key}` };
    const answer = await send(handler, {
      ...sent,
      headers: { 'content-type': 'application/json', ...headers },
    });
    expect(answer.status, answer.text).toBe(200);
    const samples = await scrape();
    for (const [name, value] of Object.entries(expected)) {
      expect([name, valueOf(samples, `slashv1_${name}`)]).toEqual([name, expect.closeTo(value, 9)]);
    }
    expect(valueOf(samples, 'slashv1_runs_total', { category, outcome: 'done' })).toBe(1);
    expect(valueOf(samples, 'slashv1_run_duration_seconds_count', { category })).toBe(1);
    expect(valueOf(samples, 'slashv1_queue_wait_seconds_count')).toBe(1);
    expect(
      valueOf(samples, 'slashv1_http_requests_total', { method: 'POST', status: '200', error: '' }),
    ).toBe(1);
    expect(valueOf(samples, 'slashv1_http_request_duration_seconds_count')).toBe(1);
    expect(valueOf(samples, 'slashv1_http_requests_in_flight')).toBe(0);
  });

  it('are told apart by model and finish reason', async () => {
    const { handler, scrape } = serve({ models: ['first', 'second'] });
    for (const [model, max_tokens] of [
      ['first', 2],
      ['second', 9],
      ['second', 9],
    ] as const) {
      await send(handler, { json: chatBody({ model, max_tokens }) });
    }
    expect(
      await read(scrape, [
        ['output_tokens_total', { model: 'first' }],
        ['output_tokens_total', { model: 'second' }],
        ['choices_total', { model: 'first', finish_reason: 'length' }],
        ['choices_total', { model: 'second', finish_reason: 'stop' }],
      ]),
    ).toEqual([2, 8, 1, 2]);
  });

  it('that fail count by their status and code, and those before a run as requests alone', async () => {
    const { handler, scrape } = serve();
    await send(handler, { json: chatBody({ temperature: 9 }) });
    await send(handler, { json: chatBody({ model: `made-up-${'x'.repeat(50)}` }) });
    await send(handler, { json: chatBody(), headers: { authorization: 'Bearer nonsense' } });
    await send(handler, { url: '/v1/%zz/nowhere', method: 'BREW' });
    await send(handler, { url: '/v1/models/%zz' });
    await send(handler, { url: '/v1/chat/completions', method: 'DELETE' });
    const route = '/chat/completions';
    expect(
      await read(scrape, [
        ['http_requests_total', { route, status: '400', error: 'invalid_request' }],
        ['http_requests_total', { route, status: '404', error: 'model_not_found' }],
        ['http_requests_total', { route, status: '401', error: 'authentication_failed' }],
        ['http_requests_total', { route: 'unknown', status: '404', method: 'other' }],
        ['http_requests_total', { route: '/models/{model_id}', status: '400' }],
        ['http_requests_total', { route: 'unknown', status: '405', method: 'DELETE' }],
        'runs_total',
        'http_requests_in_flight',
      ]),
    ).toEqual([1, 1, 1, 1, 1, 1, 0, 0]);
    expect((await send(handler, { url: '/v1/models' })).status).toBe(200);
    expect(JSON.stringify(await scrape())).not.toContain('made-up');
  });

  it.each([
    [new InferenceError('worker_failed', 'Gone.'), '502', 'worker_failed'],
    [new InferenceError('overloaded', 'Full.'), '503', 'overloaded'],
    [new Error('secret'), '500', 'internal'],
  ] as const)('whose run fails with %s', async (error, status, code) => {
    const { handler, scrape } = serve({ reply: { text: 'a b c', error, failAfter: 2 } });
    await send(handler, { json: chatBody() });
    expect(
      await read(scrape, [
        ['http_requests_total', { status, error: code }],
        ['runs_total', { outcome: code }],
        'input_tokens_total',
        'output_tokens_total',
        'time_to_first_token_seconds_count',
        'time_per_output_token_seconds_count',
      ]),
    ).toEqual([1, 1, 2, 1, 1, 0]);
  });

  it('that fail amid their stream have the status that was sent and the code that came later', async () => {
    const error = new InferenceError('worker_failed', 'Gone.');
    const { handler, scrape } = serve({ reply: { text: 'a b c', error, failAfter: 2 } });
    await send(handler, { json: chatBody({ stream: true }) });
    expect(
      await read(scrape, [
        ['http_requests_total', { status: '200', error: 'worker_failed' }],
        ['runs_total', { outcome: 'worker_failed' }],
        'http_requests_in_flight',
      ]),
    ).toEqual([1, 1, 0]);
  });

  it('that are left amid their stream count as cancelled, with what was made', async () => {
    const { inference, handler, scrape } = serve({ reply: { text: 'word '.repeat(1000), delayMs: 1 } });
    const { body } = await handler(toRequest({ json: chatBody({ stream: true }) }));
    const pieces = (body as AsyncIterable<string>)[Symbol.asyncIterator]();
    for (let piece = 0; piece < 5; piece += 1) await pieces.next();
    const meanwhile = [
      'http_requests_in_flight',
      ['runs_running', { model: 'fake-chat' }],
      'runs_total',
    ] as const;
    expect(await read(scrape, meanwhile)).toEqual([1, 1, 0]);
    await pieces.return!();
    await until(() => inference.running === 0);
    const samples = await scrape();
    expect(valueOf(samples, 'slashv1_runs_total', { outcome: 'cancelled' })).toBe(1);
    expect(valueOf(samples, 'slashv1_http_requests_total', { status: '200', error: 'cancelled' })).toBe(1);
    expect(valueOf(samples, 'slashv1_http_requests_in_flight')).toBe(0);
    expect(valueOf(samples, 'slashv1_input_tokens_total')).toBe(2);
    expect(valueOf(samples, 'slashv1_output_tokens_total')).toBeGreaterThan(0);
    expect(valueOf(samples, 'slashv1_output_tokens_total')).toBeLessThan(100);
    expect(valueOf(samples, 'slashv1_choices_total')).toBe(0);
  });

  it('that are left while their next piece is awaited count as cancelled', async () => {
    const { handler, scrape } = serve({ reply: { text: 'a b', delayMs: 10_000 } });
    const { body } = await handler(toRequest({ json: chatBody({ stream: true }) }));
    const pieces = (body as AsyncIterable<string>)[Symbol.asyncIterator]();
    await pieces.next();
    const awaited = pieces.next();
    await pieces.return!();
    expect(await awaited).toEqual({ done: true, value: undefined });
    expect(await read(scrape, [['http_requests_total', { status: '200', error: 'cancelled' }]])).toEqual([1]);
  });

  it('whose client goes before the answer count as cancelled', async () => {
    const { inference, handler, scrape } = serve({ reply: { text: 'a b', delayMs: 10_000 } });
    const controller = new AbortController();
    const answer = handler(toRequest({ json: chatBody(), signal: controller.signal }));
    await until(() => inference.running === 1);
    controller.abort();
    expect((await answer).status).toBe(499);
    expect(
      await read(scrape, [
        ['http_requests_total', { status: '499', error: 'cancelled' }],
        ['runs_total', { outcome: 'cancelled' }],
      ]),
    ).toEqual([1, 1]);
  });

  it('of the host itself count as runs', async () => {
    const { inference, scrape } = serve();
    await inference.embed({ model: 'fake-embedder', input: ['a b c'] });
    expect(await read(scrape, ['input_tokens_total', 'http_requests_total'])).toEqual([3, 0]);
  });
});

describe('models', () => {
  it('are seen as they are when somebody looks', async () => {
    const { scrape } = serve({ models: ['ready'], state: 'loading' });
    const labels = { category: 'chat', model: 'ready' };
    expect(await read(scrape, [['model_ready', labels], 'queue_depth', 'runs_running'])).toEqual([0, 0, 0]);
    const { scrape: other } = serve({ models: ['ready'] });
    expect(await read(other, [['model_ready', labels]])).toEqual([1]);
  });

  it('of several inferences add up, and a handler more counts nothing twice', async () => {
    const metrics = createMetrics();
    const [first, second] = [createInference(), createInference()];
    const handlers = [first, first, second].map((inference) =>
      createHandler(inference, { auth: 'none', observers: [metrics.observer] }),
    );
    for (const handler of handlers) await send(handler, { json: chatBody() });
    const samples = parseText(await metrics.register.metrics());
    expect(valueOf(samples, 'slashv1_runs_total')).toBe(3);
    expect(valueOf(samples, 'slashv1_http_requests_total')).toBe(3);
  });

  it('begin with 0 losses, so that the first one is a step', async () => {
    const { scrape } = serve();
    const samples = await scrape();
    expect(samples).toContainEqual({
      name: 'slashv1_worker_restarts_total',
      labels: { model: 'fake-chat' },
      value: 0,
    });
  });
});

describe('the handler', () => {
  it('answers GET and HEAD as Prometheus asks, whatever the path, and nothing else', async () => {
    const { metrics } = serve();
    const answer = await send(metrics.handler, { url: '/whatever', headers: { 'x-request-id': 'scrape-1' } });
    expect(answer).toMatchObject({
      status: 200,
      headers: {
        'content-type': 'text/plain; version=0.0.4; charset=utf-8',
        'cache-control': 'no-store',
        'x-request-id': 'scrape-1',
      },
    });
    expect(answer.headers['content-length']).toBe(String(Buffer.byteLength(answer.text)));
    const head = await send(metrics.handler, { method: 'HEAD' });
    expect([head.status, head.text]).toEqual([200, '']);
    expect(Number(head.headers['content-length'])).toBeGreaterThan(0);
    const refused = await send(metrics.handler, { method: 'POST', text: 'x' });
    expect([refused.status, refused.headers['allow']]).toEqual([405, 'GET, HEAD']);
  });

  it('includes what the host counts in the same registry', async () => {
    const register = new Registry();
    new Counter({ name: 'orders_total', help: 'Orders.', registers: [register] }).inc(7);
    const { scrape } = serve({}, { register });
    expect(valueOf(await scrape(), 'orders_total')).toBe(7);
  });

  it('answers with an error when a metric of the host fails', async () => {
    const register = new Registry();
    const broken = new Counter({
      name: 'broken_total',
      help: 'Broken.',
      registers: [],
      collect() {
        throw new InferenceError('overloaded', 'no database');
      },
    });
    register.registerMetric(broken);
    const { metrics } = serve({}, { register });
    expect((await send(metrics.handler, { url: '/metrics' })).status).toBe(503);
  });
});

describe('names', () => {
  it('have the prefix', async () => {
    const { metrics } = serve({}, { prefix: 'ai:' });
    const names = (await metrics.register.getMetricsAsJSON()).map(({ name }) => name);
    expect(names.length).toBeGreaterThan(20);
    expect(names.filter((name) => !name.startsWith('ai:'))).toEqual([]);
  });

  it.each(['1', 'a-', 'a b', '{'])('refuse the prefix %j', (prefix) => {
    expect(() => createMetrics({ prefix })).toThrow(/^prefix: expected/);
  });

  it('cannot be registered twice', () => {
    const register = new Registry();
    createMetrics({ register });
    expect(() => createMetrics({ register })).toThrow(/already been registered/);
  });

  it('follow the rules of Prometheus', async () => {
    const all = await createMetrics().register.getMetricsAsJSON();
    for (const { name, type, help } of all) {
      expect([name, name.endsWith('_total')]).toEqual([name, String(type) === 'counter']);
      if (String(type) === 'histogram') expect(name).toMatch(/_seconds$/);
      expect(help).toMatch(/\.$/);
    }
  });
});
