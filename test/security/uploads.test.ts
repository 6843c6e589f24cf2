import { rm } from 'node:fs/promises';
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest';
import { createDeferred } from '../../src/concurrency/deferred.ts';
import { createHandler } from '../../src/create-handler.ts';
import { readJson } from '../../src/http/body.ts';
import type { Handler } from '../../src/contracts/http.ts';
import type { HandlerOptions } from '../../src/server/options.ts';
import type { BodyGateLimits } from '../../src/server/body-gate.ts';
import { createFakeInference } from '../../src/testing/fake-inference.ts';
import {
  boundary,
  fieldPart,
  filePart,
  formOf,
  sentForm,
  uploadDirectory,
  uploadOf,
} from '../server/forms.ts';
import { chatBody, expectError, send, type Answer, type Sent } from '../server/support.ts';

const directory = await uploadDirectory();
afterEach(async () => expect(await directory.files()).toEqual([]));
afterAll(() => rm(directory.path, { recursive: true }));

const models = ['fake-chat', { id: 'ears', category: 'transcription' as const }];

function serve(
  options: Partial<HandlerOptions> = {},
  inference = createFakeInference({ models, transcript: 'Hi' }),
): Handler {
  return createHandler(inference, {
    auth: { keys: [{ key: 'a', id: 'both' }, { key: 'b', id: 'both' }, { key: 'c', plan: 'free' }, 'd'] },
    plans: { free: {} },
    maxUploadBytes: 1000,
    uploadDirectory: directory.path,
    onError: () => {},
    ...options,
  });
}

const as = (key: string, sent: Sent): Sent => ({
  ...sent,
  headers: { ...sent.headers, authorization: `Bearer ${key}` },
});
const whole = (key: string): Sent => as(key, sentForm(uploadOf({ model: 'ears' })));

/** An upload that stops half-way until it is let go on. */
function half(handler: Handler, key: string, bytes = 100) {
  const rest = createDeferred();
  const text = uploadOf({ model: 'ears' }, 'x'.repeat(bytes));
  const sent = sentForm('');
  async function* body(): AsyncGenerator<Uint8Array> {
    yield Buffer.from(text.slice(0, -40));
    await rest.promise;
    yield Buffer.from(text.slice(-40));
  }
  const answer = send(handler, as(key, { ...sent, body: body() }));
  return { answer, finish: () => rest.resolve() };
}

/** A JSON body of so many bytes that stops before its end until it is let go on. */
function halfJson(handler: Handler, key: string, bytes = 100) {
  const rest = createDeferred();
  const text = JSON.stringify(chatBody({ messages: [{ role: 'user', content: 'x'.repeat(bytes) }] }));
  async function* body(): AsyncGenerator<Uint8Array> {
    yield Buffer.from(text.slice(0, -10));
    await rest.promise;
    yield Buffer.from(text.slice(-10));
  }
  const answer = send(handler, as(key, { body: body(), method: 'POST' }));
  return { answer, finish: () => rest.resolve() };
}

/** Sends what must not be read. */
async function refused(handler: Handler, sent: Sent): Promise<Answer> {
  let read = 0;
  async function* body(): AsyncGenerator<Uint8Array> {
    read++;
    yield new Uint8Array(1);
  }
  const answer = await send(handler, { ...sent, body: body() });
  expect(read).toBe(0);
  return answer;
}

describe('uploads under way', () => {
  it.each<[string, BodyGateLimits, string, number, string]>([
    ['of one key', { countPerKey: 2 }, 'b', 429, 'rate_limit_exceeded'],
    ['of all', { count: 2 }, 'd', 503, 'overloaded'],
  ])('are bounded in number, %s', async (_title, uploads, key, status, code) => {
    const handler = serve({ uploads });
    const open = [half(handler, 'a'), half(handler, 'a')];
    await vi.waitFor(async () => expect(await directory.files()).toHaveLength(2));
    const answer = await refused(handler, whole(key));
    expectError(answer, status, code);
    expect(answer.headers['retry-after']).toBe('5');
    if (status === 429) expect((await send(handler, whole('d'))).status).toBe(200);
    // Other requests have no part in it.
    const chat = await send(handler, as(key, { json: chatBody() }));
    expect(chat.status).toBe(200);
    for (const { finish } of open) finish();
    for (const one of open) expect((await one.answer).status).toBe(200);
    expect((await send(handler, whole(key))).status).toBe(200);
  });

  it.each<[string, BodyGateLimits, string, number]>([
    ['of one key', { bytesPerKey: 1000 }, 'b', 429],
    ['of all', { bytes: 1000 }, 'd', 503],
  ])('are bounded in bytes, told or not, %s', async (_title, uploads, key, status) => {
    const handler = serve({ uploads });
    const open = half(handler, 'a', 500);
    await vi.waitFor(async () => expect(await directory.files()).toHaveLength(1));
    const told = whole(key);
    const answer = await refused(handler, { ...told, headers: { ...told.headers, 'content-length': '900' } });
    expect(answer.status).toBe(status);
    const untold = as(key, sentForm(uploadOf({ model: 'ears' }, 'x'.repeat(600)), 100));
    expect((await send(handler, untold)).status).toBe(status);
    expect(await directory.files()).toHaveLength(1);
    open.finish();
    expect((await open.answer).status).toBe(200);
    const again = as(key, sentForm(uploadOf({ model: 'ears' }, 'x'.repeat(600)), 100));
    expect((await send(handler, again)).status).toBe(200);
  });

  it.each([
    ['the time for a body', {}, { bodyTimeoutMs: 30 }],
    ["the caller's own deadline", { 'x-request-timeout': '0.03' }, {}],
  ])('end with %s, and their files too', async (_title, headers, options) => {
    const handler = serve(options);
    const { body } = whole('a');
    const stuck = sentForm('');
    async function* never(): AsyncGenerator<Uint8Array> {
      for await (const piece of body as AsyncIterable<Uint8Array>) yield piece.subarray(0, -20);
      await new Promise(() => {});
    }
    const answer = await send(
      handler,
      as('a', { ...stuck, headers: { ...stuck.headers, ...headers }, body: never() }),
    );
    expectError(answer, 408, 'request_timeout');
    expect(answer.json.error.message).toBe('The request body did not arrive within 30 ms.');
    expect(answer.headers['x-should-retry']).toBe('false');
    expect(await directory.files()).toEqual([]);
  });

  it('share the deadline of their caller with the run', async () => {
    const inference = createFakeInference({ models, transcript: 'Hi' });
    const run = vi.spyOn(inference, 'run');
    const handler = serve({}, inference);
    async function* slow(): AsyncGenerator<Uint8Array> {
      await new Promise((resolve) => setTimeout(resolve, 60));
      yield* whole('a').body as AsyncIterable<Uint8Array>;
    }
    const sent = whole('a');
    const headers = { ...sent.headers, 'x-request-timeout': '60' };
    expect((await send(handler, { ...sent, headers, body: slow() })).status).toBe(200);
    const { deadlineMs } = run.mock.calls[0]![2]!;
    expect(deadlineMs).toBeLessThanOrEqual(60_000 - 50);
    expect(deadlineMs).toBeGreaterThan(0);
  });

  it('a JSON body has as long', async () => {
    async function* never(): AsyncGenerator<Uint8Array> {
      yield Buffer.from('{');
      await new Promise(() => {});
    }
    const answer = await send(serve({ bodyTimeoutMs: 30 }), as('a', { body: never(), method: 'POST' }));
    expectError(answer, 408, 'request_timeout');
  });
});

describe('JSON bodies under way', () => {
  const large = { maxBodyBytes: 200_000 };

  it.each<[string, BodyGateLimits, string, number, string]>([
    ['of one key', { countPerKey: 2 }, 'b', 429, 'rate_limit_exceeded'],
    ['of all', { count: 2 }, 'd', 503, 'overloaded'],
  ])('are bounded in number, %s', async (_title, bodies, key, status, code) => {
    const handler = serve({ bodies });
    const open = [halfJson(handler, 'a'), halfJson(handler, 'a')];
    const sent = as(key, { method: 'POST' });
    const answer = await vi.waitFor(async () => {
      const refusal = await refused(handler, sent);
      expect(refusal.status).toBe(status);
      return refusal;
    });
    expectError(answer, status, code);
    expect(answer.headers['retry-after']).toBe('5');
    expect(answer.json.error.message).toContain('2 JSON bodies in progress');
    // Uploads have a gate of their own.
    expect((await send(handler, whole(key))).status).toBe(200);
    for (const { finish } of open) finish();
    for (const one of open) expect((await one.answer).status).toBe(200);
    expect((await send(handler, as(key, { json: chatBody() }))).status).toBe(200);
  });

  it.each<[string, BodyGateLimits, string, number]>([
    ['of one key', { bytesPerKey: 200_000 }, 'b', 429],
    ['of all', { bytes: 200_000 }, 'd', 503],
  ])('are bounded in bytes, %s, and small ones go on', async (_title, bodies, key, status) => {
    const handler = serve({ ...large, bodies });
    const open = [halfJson(handler, 'a', 150_000), halfJson(handler, 'a', 150_000)];
    const answer = await vi.waitFor(async () => {
      const refusal = halfJson(handler, key, 150_000);
      refusal.finish();
      expect((await refusal.answer).status).toBe(status);
      return refusal.answer;
    });
    expect(answer.json.error.message).toContain('JSON bodies of 200000 bytes in progress');
    expect((await send(handler, as(key, { json: chatBody() }))).status).toBe(200);
    for (const { finish } of open) finish();
    for (const one of open) expect((await one.answer).status).toBe(200);
    const again = halfJson(handler, key, 150_000);
    again.finish();
    expect((await again.answer).status).toBe(200);
  });
});

describe('a body that comes slowly', () => {
  afterEach(() => void vi.useRealTimers());

  const drip = (bytes: number, everyMs: number, pieces: number) => {
    async function* body(): AsyncGenerator<Uint8Array> {
      for (let sent = 0; sent < pieces; sent++) {
        await new Promise((resolve) => setTimeout(resolve, everyMs));
        yield Buffer.alloc(bytes, ' ');
      }
      yield Buffer.from('{}');
    }
    const request = {
      method: 'POST',
      url: '/',
      headers: { 'content-type': 'application/json' },
      body: body(),
      signal: new AbortController().signal,
    };
    return readJson(request, { maxBytes: 1e6, timeoutMs: 300_000 });
  };

  it.each([
    ['nothing', 0, 300_000],
    ['a byte a second', 1, 1000],
    ['half of the least rate', 5120, 10_000],
  ])('is refused long before its time: %s', async (_title, bytes, everyMs) => {
    vi.useFakeTimers();
    const outcome = expect(drip(bytes, everyMs, 200)).rejects.toThrow(
      'The request body arrived slower than 1024 bytes a second for 20 s.',
    );
    await vi.advanceTimersByTimeAsync(60_000);
    await outcome;
  });

  it('is read where it keeps the least rate, with pauses', async () => {
    vi.useFakeTimers();
    const outcome = expect(drip(15 * 1024, 15_000, 10)).resolves.toEqual({});
    await vi.advanceTimersByTimeAsync(200_000);
    await outcome;
  });
});

describe('a plan is looked at before an upload is read', () => {
  it.each([{ requests: 1 }, { tokens: 1 }])('a quota that is spent: %j', async (limit) => {
    const handler = serve({ plans: { free: { quota: { ...limit, perSeconds: 60 } } } });
    // Chat spends tokens, too.
    expect((await send(handler, as('c', { json: chatBody() }))).status).toBe(200);
    expectError(await refused(handler, whole('c')), 403, 'quota_exceeded');
  });

  it.each([
    ['before the file', formOf(fieldPart('model', 'ears'), filePart('x'.repeat(500)))],
    ['nowhere', formOf(filePart('x'.repeat(500)))],
    ['after the file', formOf(filePart('x'.repeat(500)), fieldPart('model', 'ears'))],
  ])('models that it includes, named %s', async (_place, form) => {
    const handler = serve({ plans: { free: { models: ['fake-chat'] } } });
    const bytes = Buffer.from(form);
    const cut = form.indexOf('xxx');
    let written = -1;
    async function* body(): AsyncGenerator<Uint8Array> {
      yield bytes.subarray(0, cut);
      // The file has been announced by now; nothing more is asked for where it is refused.
      written = (await directory.files()).length;
      yield bytes.subarray(cut);
    }
    const headers = { 'content-type': `multipart/form-data; boundary=${boundary}` };
    const answer = await send(handler, as('c', { ...sentForm(''), headers, body: body() }));
    expectError(answer, 403, 'upgrade_required', 'model');
    expect(written).toBeLessThan(1);
  });
});

it.each([
  [{ uploads: { count: 0 } }, /^uploads\.count: /],
  [{ uploads: { bytesPerKey: 999 } }, /^uploads\.bytesPerKey: .*maxUploadBytes/],
  [{ uploads: { perKey: 3 } }, /perKey/],
  [{ bodies: { countPerKey: 0 } }, /^bodies\.countPerKey: /],
  [{ bodies: { bytes: 999 } }, /^bodies\.bytes: .*maxBodyBytes/],
  [{ bodyTimeoutMs: 0 }, /^bodyTimeoutMs: /],
])('%j is refused', (options, message) => {
  expect(() => serve(options as never)).toThrow(message);
});
