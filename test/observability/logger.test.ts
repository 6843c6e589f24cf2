import { pino } from 'pino';
import { describe, expect, it, vi } from 'vitest';
import { createInference as createRealInference } from '../../src/inference.ts';
import { completeChatRequest } from '../../src/categories/chat/request.ts';
import { chatTelemetry } from '../../src/categories/chat/telemetry.ts';
import type { CategoryTelemetry } from '../../src/contracts/telemetry.ts';
import { InferenceError } from '../../src/errors.ts';
import { logObserver } from '../../src/observability/log-observer.ts';
import type { Logger } from '../../src/observability/logger.ts';
import { createHandler } from '../../src/create-handler.ts';
import type { HandlerOptions } from '../../src/server/options.ts';
import type { FakeInferenceOptions } from '../../src/testing/fake-inference.ts';
import { sentForm, uploadOf } from '../server/forms.ts';
import { chatBody, key, send, toRequest } from '../server/support.ts';
import { createInference, until } from './support.ts';

/** A real pino, and the lines that it has written. */
function createPino(level = 'info') {
  const lines: Record<string, unknown>[] = [];
  const logger = pino({ level, base: null }, { write: (line: string) => void lines.push(JSON.parse(line)) });
  return { logger, lines };
}

function serve(fake: FakeInferenceOptions = {}, options: Partial<HandlerOptions> = {}, level?: string) {
  const { logger, lines } = createPino(level);
  const inference = createInference(fake);
  const handler = createHandler(inference, { auth: { keys: [key] }, logger, ...options });
  return { inference, handler, lines };
}

const levels = { info: 30, warn: 40, error: 50 };

describe('a request', () => {
  it('has one line, with all that a run tells', async () => {
    const { handler, lines } = serve({ reply: { reasoning: 'hm hm', text: 'four little words here' } });
    const body = chatBody({ max_tokens: 3, stream: true });
    const { headers } = await send(handler, { json: body, headers: { 'x-request-id': 'abc' } });
    expect(headers['x-request-id']).toBe('abc');
    expect(lines).toEqual([
      {
        level: levels.info,
        time: expect.any(Number),
        component: 'slashv1',
        msg: 'POST /chat/completions 200',
        requestId: 'abc',
        method: 'POST',
        route: '/chat/completions',
        status: 200,
        durationMs: expect.any(Number),
        model: 'fake-chat',
        waitMs: expect.any(Number),
        firstOutputMs: expect.any(Number),
        inputTokens: 2,
        cachedTokens: 0,
        outputTokens: 3,
        reasoningTokens: 2,
        finishReasons: ['length'],
      },
    ]);
  });

  it('that the default of max_tokens cuts warns once for each model', () => {
    const { logger, lines } = createPino();
    const observer = logObserver(logger);
    const messages = [{ role: 'user', content: 'Hi' }] as const;
    const end = (model: string, given: string[], outputTokens: number, finishReason = 'length'): void => {
      const request = { ...completeChatRequest({ model, messages }), given };
      const run = { category: 'chat', telemetry: chatTelemetry, request, model, isKnownModel: true };
      const outcome = { durationMs: 1, waitMs: 0, firstOutputMs: 1, error: undefined };
      observer.onRunEnd!(
        { ...run, telemetry: chatTelemetry as CategoryTelemetry, origin: undefined, responseId: undefined },
        { ...outcome, usage: { outputTokens }, finishReasons: [finishReason] },
      );
    };
    end('told', ['maxTokens'], 256);
    end('at the end of its context', [], 100);
    end('of another server', [], 4096);
    end('done', [], 256, 'stop');
    for (const model of ['cut', 'cut', 'other']) end(model, ['temperature'], 256);
    const warnings = lines.filter(({ level }) => level === levels.warn);
    expect(warnings.map(({ model }) => model)).toEqual(['cut', 'other']);
    expect(warnings[0]!['msg']).toContain('256 tokens');
    expect(warnings[0]!['msg']).toContain('defaults: { maxTokens }');
  });

  it('without a run has one too', async () => {
    const { handler, lines } = serve();
    await send(handler, { url: '/v1/models/fake-chat/parameters' });
    expect(lines).toMatchObject([
      { route: '/models/{model_id}/parameters', status: 200, level: levels.info },
    ]);
  });

  it('that comes has a line for those who debug', async () => {
    const { handler, lines } = serve({}, {}, 'debug');
    await send(handler, { url: '/v1/models' });
    expect(lines.map(({ msg }) => msg)).toEqual(['GET /models received', 'GET /models 200']);
  });

  it.each([
    [{ json: chatBody({ temperature: 9 }) }, 400, 'invalid_request', 'temperature'],
    [{ json: chatBody({ model: 'nope' }) }, 404, 'model_not_found', 'model'],
    [
      { url: '/v1/models', headers: { authorization: 'Bearer wrong' } },
      401,
      'authentication_failed',
      undefined,
    ],
    [{ url: '/v1/no/such/thing' }, 404, 'route_not_found', undefined],
    [{ text: '{' }, 400, 'invalid_request', undefined],
  ])('that is refused is a warning: %#', async (sent, status, code, param) => {
    const { handler, lines } = serve();
    await send(handler, sent);
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatchObject({ level: levels.warn, status, code, requestId: expect.any(String) });
    expect(lines[0]!['param']).toBe(param);
    expect(lines[0]).not.toHaveProperty('reason');
  });

  it('that finds its model gone is a warning with a reason', async () => {
    const { handler, lines } = serve({ reply: { error: new InferenceError('worker_failed', 'Gone.') } });
    await send(handler, { json: chatBody() });
    expect(lines).toMatchObject([
      { level: levels.warn, status: 502, code: 'worker_failed', reason: 'Gone.', model: 'fake-chat' },
    ]);
  });

  it('that fails inside is an error with its cause, and is not printed as well', async () => {
    const print = vi.spyOn(console, 'error').mockReturnValue();
    const { handler, lines } = serve({ reply: { error: new TypeError('a bug') } });
    const { json, headers } = await send(handler, { json: chatBody() });
    expect(lines).toMatchObject([
      { level: levels.error, status: 500, code: 'internal', err: { type: 'TypeError', message: 'a bug' } },
    ]);
    expect(lines[0]!['requestId']).toBe(headers['x-request-id']);
    expect(json.error.message).toContain(lines[0]!['requestId']);
    expect(print).not.toHaveBeenCalled();
    print.mockRestore();
  });

  it('whose client leaves its stream is none of anybody’s faults', async () => {
    const { inference, handler, lines } = serve({ reply: { text: 'word '.repeat(1000), delayMs: 1 } });
    const { body } = await handler(toRequest({ json: chatBody({ stream: true }) }));
    const pieces = (body as AsyncIterable<string>)[Symbol.asyncIterator]();
    await pieces.next();
    await pieces.return!();
    await until(() => inference.running === 0);
    expect(lines).toMatchObject([{ level: levels.info, status: 200, code: 'cancelled' }]);
  });

  it('tells nothing that anybody sent', async () => {
    const secret = 'canary';
    const { handler, lines } = serve(
      {
        reply: { text: secret, reasoning: secret, toolCalls: [{ name: secret, arguments: secret }] },
        transcript: secret,
      },
      { auth: { keys: [secret, key] } },
      'trace',
    );
    const headers = { authorization: `Bearer ${secret}`, cookie: secret, traceparent: secret };
    const refused = { authorization: `Bearer ${secret}-2` };
    for (const sent of [
      {
        json: chatBody({ messages: [{ role: 'user', content: secret }], stop: secret, user: secret }),
        headers,
      },
      { text: `{"messages": "${secret}`, headers },
      { json: { [secret]: secret }, headers },
      { json: chatBody({ model: secret }), headers },
      { json: chatBody({ tool_choice: { type: 'function', function: { name: secret } } }), headers },
      { json: chatBody({ messages: [{ role: secret, content: secret }] }), headers },
      { json: chatBody({ response_format: { type: secret } }), headers },
      { url: `/v1/${secret}?key=${secret}`, headers },
      { url: `/v1/models/${secret}?key=${secret}`, headers },
      { url: `/v1/models/%${secret}`, headers },
      { url: '/v1/models', headers: refused },
      { url: '/v1/embeddings', json: { model: 'fake-embedder', input: secret }, headers },
      { url: '/v1/images/generations', json: { model: 'fake-painter', prompt: secret }, headers },
      { url: '/v1/audio/speech', json: { model: 'fake-speaker', input: secret, voice: secret }, headers },
      { url: '/v1/detect', json: { model: 'fake-detector', image: `https://${secret}/` }, headers },
      sentForm(uploadOf({ model: 'fake-recognizer', prompt: secret }, secret)),
    ]) {
      await send(handler, { url: '/v1/chat/completions', ...sent });
    }
    expect(lines.length).toBeGreaterThan(20);
    const statuses = new Set(lines.map(({ status }) => status));
    expect([200, 400, 401, 404].every((status) => statuses.has(status))).toBe(true);
    expect(JSON.stringify(lines)).not.toContain(secret);
  });
});

describe('a run that belongs to no request', () => {
  it('has its own line', async () => {
    const { inference, lines } = serve();
    await inference.embed({ model: 'fake-embedder', input: 'one two' }, { origin: { requestId: 'job-1' } });
    expect(lines).toMatchObject([
      {
        level: levels.info,
        msg: 'embedding done',
        requestId: 'job-1',
        model: 'fake-embedder',
        inputTokens: 2,
        vectors: 1,
      },
    ]);
  });
});

describe('a model', () => {
  it('that can’t be loaded is an error, told once though the handler has the same logger', async () => {
    const { logger, lines } = createPino();
    const models = { gone: { category: 'chat', source: './there/is/no/model' } } as const;
    const inference = createRealInference({ models, isolation: 'inline', logger });
    createHandler(inference, { auth: 'none', logger });
    await expect(inference.ready()).rejects.toThrow();
    await inference.close();
    expect(lines).toMatchObject([
      { level: levels.error, msg: 'model could not be loaded', model: 'gone', category: 'chat', replica: 0 },
      { level: levels.info, msg: 'model closed', model: 'gone' },
    ]);
    expect(lines[0]!['err']).toMatchObject({ message: expect.stringMatching(/./) });
  });
});

describe('a logger', () => {
  it('may be the console, or anything with four methods', async () => {
    const asConsole: Logger = console;
    const asPino: Logger = createPino().logger;
    expect([asConsole, asPino]).toHaveLength(2);
    const lines: object[] = [];
    const log = (fields: object): void => void lines.push(fields);
    const handler = createHandler(createInference(), {
      auth: 'none',
      logger: { debug: () => {}, info: log, warn: log, error: log },
    });
    await send(handler, { json: chatBody() });
    expect(lines).toMatchObject([{ status: 200 }]);
  });

  it.each([null, {}, 'pino', { info: () => {} }])('is refused where it is %j', (logger) => {
    const given = logger as unknown as Logger;
    expect(() => createHandler(createInference(), { auth: 'none', logger: given })).toThrow(
      /^logger: expected/,
    );
    expect(() => createRealInference({ models: {}, logger: given })).toThrow(/^logger: expected/);
  });

  it('that fails takes no request with it', async () => {
    const emitWarning = vi.spyOn(process, 'emitWarning').mockReturnValue();
    const fail = (): never => {
      throw new Error('disk full');
    };
    const handler = createHandler(createInference(), {
      auth: 'none',
      logger: { debug: fail, info: fail, warn: fail, error: fail },
    });
    expect((await send(handler, { json: chatBody() })).status).toBe(200);
    expect((await send(handler, { json: {} })).status).toBe(400);
    expect(emitWarning).toHaveBeenCalledOnce();
    emitWarning.mockRestore();
  });
});
