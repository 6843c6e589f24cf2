import { afterEach, describe, expect, it, vi } from 'vitest';
import { InferenceError, type ErrorCode } from '../../src/errors.ts';
import { wireErrors } from '../../src/http/error-responses.ts';
import type { ApiRequest } from '../../src/contracts/http.ts';
import { createHandler } from '../../src/create-handler.ts';
import type { ErrorContext } from '../../src/server/options.ts';
import { createFakeInference } from '../../src/testing/fake-inference.ts';
import { chatBody, chunksOf, expectError, key, send, type Sent } from './support.ts';

const inference = createFakeInference({ models: ['fake-chat', 'org/other'], reply: 'ok' });
const handler = createHandler(inference, { auth: { keys: [key] }, maxBodyBytes: 16 * 1024 * 1024 });
const bytes = (...values: number[]): ApiRequest['body'] => chunksOf([Uint8Array.from(values)]);

describe('a request that is refused', () => {
  it.each<[string, Sent, number, string, string | null]>([
    ['malformed JSON', { text: '{"model": }' }, 400, 'invalid_request', null],
    ['truncated JSON', { text: '{"model": "fake-chat"' }, 400, 'invalid_request', null],
    ['two documents', { text: '{} {}' }, 400, 'invalid_request', null],
    ['no body', { text: '' }, 400, 'invalid_request', null],
    ['white space', { text: ' \n' }, 400, 'invalid_request', null],
    ['an array', { json: [] }, 400, 'invalid_request', null],
    ['null', { text: 'null' }, 400, 'invalid_request', null],
    ['invalid UTF-8', { body: bytes(0x22, 0xff, 0x22) }, 400, 'invalid_request', null],
    ['deep nesting', { text: '['.repeat(1_000_000) }, 413, 'request_too_large', null],
    [
      'deep nesting that ends',
      { text: `${'['.repeat(1e6)}${']'.repeat(1e6)}` },
      413,
      'request_too_large',
      null,
    ],
    [
      'five stop strings',
      { json: chatBody({ stop: ['1', '2', '3', '4', '5'] }) },
      400,
      'invalid_request',
      'stop',
    ],
    ['no messages', { json: { model: 'fake-chat' } }, 400, 'invalid_request', 'messages'],
    ['no model', { json: { messages: [] } }, 400, 'invalid_request', 'model'],
    ['top_logprobs alone', { json: chatBody({ top_logprobs: 2 }) }, 400, 'invalid_request', 'top_logprobs'],
    ['a missing feature', { json: chatBody({ functions: [] }) }, 400, 'unsupported_feature', 'functions'],
    ['an unknown model', { json: chatBody({ model: 'gpt' }) }, 404, 'model_not_found', 'model'],
    [
      'a wrong key',
      { json: chatBody(), headers: { authorization: 'Bearer nope' } },
      401,
      'invalid_api_key',
      null,
    ],
    ['no key', { json: chatBody(), headers: { authorization: undefined } }, 401, 'invalid_api_key', null],
    ['an unknown route', { url: '/v1/edits' }, 404, 'route_not_found', null],
    ['a version twice', { url: '/v1/v1/models' }, 404, 'route_not_found', null],
    ['GET of an endpoint for POST', { method: 'GET' }, 405, 'method_not_allowed', null],
    ['POST of an endpoint for GET', { method: 'POST', url: '/v1/models' }, 405, 'method_not_allowed', null],
    ['OPTIONS', { method: 'OPTIONS' }, 405, 'method_not_allowed', null],
    ['a bad percent-encoding', { url: '/v1/models/%ZZ' }, 400, 'invalid_request', null],
    ['text', { json: {}, headers: { 'content-type': 'text/plain' } }, 415, 'unsupported_media_type', null],
    [
      'a form',
      { json: {}, headers: { 'content-type': 'multipart/form-data; boundary=json' } },
      415,
      'unsupported_media_type',
      null,
    ],
    [
      'no content type',
      { json: {}, headers: { 'content-type': undefined } },
      415,
      'unsupported_media_type',
      null,
    ],
    [
      'another charset',
      { json: {}, headers: { 'content-type': 'application/json; charset=latin1' } },
      415,
      'unsupported_media_type',
      null,
    ],
    [
      'a compressed body',
      { json: {}, headers: { 'content-encoding': 'gzip' } },
      415,
      'unsupported_media_type',
      null,
    ],
    [
      'a parsed form',
      { body: { parsed: {} }, headers: { 'content-type': 'application/x-www-form-urlencoded' } },
      415,
      'unsupported_media_type',
      null,
    ],
    ['a body that was parsed to nothing', { body: { parsed: undefined } }, 400, 'invalid_request', null],
    ['a body of 20 MB', { text: JSON.stringify('x'.repeat(20e6)) }, 413, 'request_too_large', null],
    [
      'a body said to have 20 MB',
      { json: {}, headers: { 'content-length': '20000000' } },
      413,
      'request_too_large',
      null,
    ],
    ['a text parsed by the host', { body: { parsed: 'x'.repeat(20e6) } }, 413, 'request_too_large', null],
  ])('%s', async (_name, sent, status, code, param) => {
    expectError(await send(handler, sent), status, code, param);
  });

  it('reads no more of a body than the limit', async () => {
    let sent = 0;
    let returned = false;
    async function* endless(): AsyncGenerator<Uint8Array> {
      try {
        for (;;) {
          sent += 65_536;
          yield new Uint8Array(65_536);
        }
      } finally {
        returned = true;
      }
    }
    expectError(await send(handler, { body: endless() }), 413, 'request_too_large');
    expect(sent).toBe(16 * 1024 * 1024 + 65_536);
    expect(returned).toBe(true);
  });

  it('accepts a body of exactly the limit, and the limit is an option', async () => {
    const text = JSON.stringify(chatBody());
    const exact = createHandler(inference, { auth: 'none', maxBodyBytes: text.length });
    expect((await send(exact, { text })).status).toBe(200);
    expectError(await send(exact, { text: `${text} ` }), 413, 'request_too_large');
  });

  it('knows a body that breaks off because the client went', async () => {
    const client = new AbortController();
    async function* broken(): AsyncGenerator<Uint8Array> {
      yield new Uint8Array(1);
      client.abort();
      throw new Error('aborted');
    }
    expectError(await send(handler, { body: broken(), signal: client.signal }), 499, 'cancelled');
  });

  it('answers a body that breaks off', async () => {
    async function* broken(): AsyncGenerator<Uint8Array> {
      yield new Uint8Array(1);
      throw new Error('ECONNRESET');
    }
    expectError(await send(handler, { body: broken() }), 400, 'invalid_request');
  });

  it.each([
    ['{"model": }', 'unexpected character at position 11.'],
    ['{"model": "secret"} secret', 'unexpected character at position 21.'],
    ['{"model": "secret', 'it ends too early.'],
    ['"\\x secret"', 'unexpected character at position 3.'],
    ['12 secret', 'unexpected character at position 4.'],
  ])('says where JSON goes wrong, without its text: %s', async (text, fault) => {
    const { json } = await send(handler, { text });
    expect(json.error.message).toBe(`The request body is not valid JSON: ${fault}`);
  });

  it('lists models that exist', async () => {
    const { json } = await send(handler, { json: chatBody({ model: 'gpt' }) });
    expect(json.error.message).toBe('The model "gpt" does not exist. Available: "fake-chat", "org/other".');
  });

  it('says which methods are allowed', async () => {
    expect((await send(handler, { method: 'DELETE' })).headers['allow']).toBe('POST');
    expect((await send(handler, { method: 'DELETE', url: '/v1/models/x' })).headers['allow']).toBe(
      'GET, HEAD',
    );
  });
});

describe('a body that is accepted', () => {
  it.each<[string, Sent]>([
    [
      'in pieces',
      { body: chunksOf([...JSON.stringify(chatBody())].map((letter) => new TextEncoder().encode(letter))) },
    ],
    ['with a charset', { json: chatBody(), headers: { 'content-type': 'application/json; charset=UTF-8' } }],
    [
      'with a quoted charset',
      { json: chatBody(), headers: { 'content-type': 'Application/JSON;charset="utf-8"' } },
    ],
    ['of a JSON dialect', { json: chatBody(), headers: { 'content-type': 'application/vnd.api+json' } }],
    ['with a byte order mark', { text: `\uFEFF${JSON.stringify(chatBody())}` }],
    ['parsed by the host', { body: { parsed: chatBody() } }],
    ['parsed to bytes', { body: { parsed: Buffer.from(JSON.stringify(chatBody())) } }],
    ['parsed to text', { body: { parsed: JSON.stringify(chatBody()) } }],
    [
      'parsed, without content type',
      { body: { parsed: chatBody() }, headers: { 'content-type': undefined } },
    ],
    ['parsed after unpacking', { body: { parsed: chatBody() }, headers: { 'content-encoding': 'gzip' } }],
    ['with a key twice', { text: JSON.stringify(chatBody()).replace('{', '{"model":"nope",') }],
  ])('%s', async (_name, sent) => {
    const answer = await send(handler, { method: 'POST', ...sent });
    expect(answer.status, answer.text).toBe(200);
  });
});

describe('a failure of the inference', () => {
  afterEach(() => vi.restoreAllMocks());

  const failing = (error: Error, onError = (_error: InferenceError, _context: ErrorContext): void => {}) =>
    createHandler(createFakeInference({ reply: { error } }), { auth: 'none', onError });

  it.each(Object.entries(wireErrors))('%s has its status, plain and before a stream', async (code, wire) => {
    const error = new InferenceError(code as ErrorCode, 'Because.', { param: 'model' });
    for (const stream of [false, true]) {
      const answer = await send(failing(error), { json: chatBody({ stream }) });
      expectError(answer, wire.status, wire.code, 'model');
      expect(answer.json.error.type).toBe(wire.type);
    }
  });

  it.each([
    ['overloaded', 3.2, { 'retry-after': '4' }],
    ['overloaded', undefined, { 'retry-after': '1' }],
    ['rate_limited', 60, { 'retry-after': '60' }],
    ['deadline_exceeded', undefined, { 'x-should-retry': 'false' }],
    ['unsupported_feature', undefined, { 'x-should-retry': 'false' }],
    ['authentication_failed', undefined, { 'www-authenticate': 'Bearer' }],
  ] as const)('%s (%s s) sends %j', async (code, retryAfterSeconds, headers) => {
    const answer = await send(failing(new InferenceError(code, 'x', { retryAfterSeconds })), {
      json: chatBody(),
    });
    expect(answer.headers).toMatchObject(headers);
  });

  it.each([new Error('secret at /etc/passwd'), new RangeError('topK: secret'), 'secret' as never])(
    'shows nothing of %s but the request id',
    async (error) => {
      const answer = await send(failing(error), { json: chatBody(), headers: { 'x-request-id': 'id-7' } });
      expectError(answer, 500, 'internal_error');
      expect(answer.json.error.message).toBe('Internal error. Request id: id-7.');
      expect(answer.text).not.toContain('secret');
    },
  );

  it('of a kind that is not known is an internal one', async () => {
    const answer = await send(failing(new InferenceError('from_the_future' as ErrorCode, 'secret')), {
      json: chatBody(),
    });
    expectError(answer, 500, 'internal_error');
    expect(answer.text).not.toContain('secret');
  });

  it('is told to onError with its cause', async () => {
    const onError = vi.fn();
    const cause = new Error('boom');
    await send(failing(cause, onError), { json: chatBody(), headers: { 'x-request-id': 'id-8' } });
    expect(onError).toHaveBeenCalledOnce();
    const [error, context] = onError.mock.calls[0]!;
    expect(error).toMatchObject({ code: 'internal', cause });
    expect(context).toEqual({ requestId: 'id-8', method: 'POST', url: '/v1/chat/completions', status: 500 });
  });

  it('is not told to onError below 500', async () => {
    const onError = vi.fn();
    await send(failing(new InferenceError('invalid_request', 'x'), onError), { json: chatBody() });
    expect(onError).not.toHaveBeenCalled();
  });

  it('survives an onError that throws', async () => {
    const handlerOfFailure = failing(new Error('boom'), () => {
      throw new Error('hook');
    });
    expectError(await send(handlerOfFailure, { json: chatBody() }), 500, 'internal_error');
  });

  it('prints internal errors, and only those, by default', async () => {
    const print = vi.spyOn(console, 'error').mockImplementation(() => {});
    for (const error of [new InferenceError('overloaded', 'x'), new Error('boom')]) {
      const quiet = createHandler(createFakeInference({ reply: { error } }), { auth: 'none' });
      await send(quiet, { json: chatBody() });
    }
    expect(print).toHaveBeenCalledOnce();
  });
});
