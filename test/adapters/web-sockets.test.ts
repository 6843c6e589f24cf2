import { createServer, request as httpRequest, type Server } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import express from 'express';
import Fastify from 'fastify';
import OpenAI from 'openai';
import { OpenAIRealtimeWS } from 'openai/realtime/ws';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { WebSocket } from 'ws';
import { toExpress } from '../../dist/adapters/express.js';
import { toFastify } from '../../dist/adapters/fastify.js';
import { serveWebSockets, toNodeListener } from '../../dist/adapters/node.js';
import { createHandler, createInference, InferenceError, voice } from '../../dist/src/index.js';
import type { HandlerOptions } from '../../dist/src/server/options.js';
import { createFakeInference, type FakeInferenceOptions } from '../../dist/src/testing/fake-inference.js';
import { append, commit, pcm, pieces, update } from '../realtime/audio.ts';
import { listening, pem, toPcm, word } from './live-support.ts';

const models = [
  { id: 'ears', category: 'transcription' },
  { id: 'other-ears', category: 'transcription' },
  'fake-chat',
] as const;
const transcribed = 'conversation.item.input_audio_transcription';
const byHand = update({ turn_detection: null });
const speech = pcm([0.5, 0.1]);

async function serve(fake: FakeInferenceOptions = {}, options: Partial<HandlerOptions> = {}) {
  const inference = createFakeInference({ models, transcript: 'A red circle.', ...fake });
  const handler = createHandler(inference, { auth: { keys: ['k1', 'k2'] }, onError: () => {}, ...options });
  const server = createServer(toNodeListener(handler));
  serveWebSockets(server, handler);
  return { inference, handler, server, host: await listening(server) };
}

/** A client that notes its events. */
function open(
  host: string,
  { path = '/v1/realtime?intent=transcription', key = 'k1', headers = {}, protocols = [] as string[] } = {},
) {
  const authorization = key === '' ? {} : { authorization: `Bearer ${key}` };
  const socket = new WebSocket(`ws://${host}${path}`, protocols, {
    headers: { ...authorization, ...headers },
  });
  onTestFinished(() => socket.terminate());
  const events: any[] = [];
  socket.on('message', (data: Buffer) => events.push(JSON.parse(data.toString())));
  socket.on('error', () => undefined);
  const refusal = new Promise<{ status: number; body: any; headers: any }>((resolve) =>
    socket.on('unexpected-response', async (_request, response) => {
      resolve({
        status: response.statusCode!,
        headers: response.headers,
        body: JSON.parse(await text(response)),
      });
    }),
  );
  const closed = new Promise<{ code: number; reason: string }>((resolve) =>
    socket.on('close', (code, reason) => resolve({ code, reason: reason.toString() })),
  );
  const isOpen = new Promise<void>((resolve) => socket.on('open', resolve));
  return {
    socket,
    events,
    refusal,
    closed,
    isOpen,
    send: (...messages: object[]) => messages.forEach((message) => socket.send(JSON.stringify(message))),
    /** The nth event of a type. */
    event: (type: string, count = 1): Promise<any> =>
      vi.waitFor(() => {
        const found = events.filter((event) => event.type === type)[count - 1];
        if (!found) throw new Error(`no ${type} among ${events.map((event) => event.type).join(', ')}`);
        return found;
      }, 20_000),
  };
}

async function opened(host: string, options?: Parameters<typeof open>[1]) {
  const client = open(host, options);
  await client.isOpen;
  return client;
}

describe('serveWebSockets', () => {
  test('transcribes what is committed, as a request that counts', async () => {
    const { inference, host } = await serve();
    const client = await opened(host, { path: '/v1/realtime?model=other-ears' });
    expect((await client.event('session.created')).session.audio.input.transcription.model).toBe(
      'other-ears',
    );
    client.send(byHand, append(speech), commit);
    const done = await client.event(`${transcribed}.completed`);
    expect(done).toMatchObject({ transcript: 'A red circle.', content_index: 0, usage: { type: 'tokens' } });
    expect(client.events.map(({ type }) => type)).toEqual([
      'session.created',
      'session.updated',
      'input_audio_buffer.committed',
      'conversation.item.added',
      'conversation.item.done',
      `${transcribed}.delta`,
      `${transcribed}.completed`,
    ]);
    const [request] = inference.requestsOf('transcription');
    expect(request).toMatchObject({ model: 'other-ears', task: 'transcribe', temperature: 0 });
    expect(inference.calls[0]!.owner).toMatch(/^[0-9a-f]{32}$/);
  });

  test.each<[string, Parameters<typeof open>[1], number, string, string | null]>([
    ['without a key', { key: '' }, 401, 'invalid_api_key', null],
    ['with a wrong key', { key: 'nobody' }, 401, 'invalid_api_key', null],
    ['of another intent', { path: '/v1/realtime?intent=conversation' }, 400, 'unsupported_feature', 'intent'],
    ['of a call', { path: '/v1/realtime?call_id=1' }, 400, 'unsupported_feature', 'call_id'],
    ['of no model', { path: '/v1/realtime?model=none' }, 404, 'model_not_found', 'model'],
    ['of a chat model', { path: '/v1/realtime?model=fake-chat' }, 400, 'invalid_request', 'model'],
    ['at another path', { path: '/v1/models/none/at/all' }, 404, 'model_not_found', 'model'],
    ['of no path', { path: '/v1/nothing' }, 404, 'route_not_found', null],
    ['of another page', { headers: { origin: 'https://evil.example' } }, 400, 'invalid_request', 'origin'],
  ])('refuses a socket %s', async (_name, options, status, code, param) => {
    const { host } = await serve();
    const { refusal } = open(host, options);
    const { status: got, body, headers } = await refusal;
    expect([got, body.error.code, body.error.param]).toEqual([status, code, param]);
    expect(headers['x-request-id']).toMatch(/^req_/);
  });

  test('takes the key of a page, and pages of its own origin and of permitted ones', async () => {
    const { host } = await serve({}, { cors: { origins: ['https://app.example'] } });
    const protocols = ['realtime', 'openai-insecure-api-key.k1', 'openai-beta.realtime-v1'];
    for (const origin of ['https://app.example', `http://${host}`]) {
      const client = await opened(host, { key: '', protocols, headers: { origin } });
      expect(client.socket.protocol).toBe('realtime');
      await client.event('session.created');
    }
    const { refusal } = open(host, { key: '', protocols: ['realtime', 'openai-insecure-api-key.no'] });
    expect((await refusal).status).toBe(401);
  });

  test('goes on after messages that are none', async () => {
    const { host } = await serve();
    const client = await opened(host);
    client.socket.send('{"type": ');
    client.socket.send(Buffer.from('{}'));
    client.socket.send('[]');
    client.socket.send('{"type":"response.create","event_id":"e7"}');
    await client.event('error', 4);
    const errors = client.events.filter(({ type }) => type === 'error').map(({ error }) => error);
    expect(errors.map(({ code, param, event_id: id }) => [code, param, id])).toEqual([
      ['invalid_request', null, null],
      ['invalid_request', null, null],
      ['invalid_request', null, null],
      ['invalid_request', 'type', 'e7'],
    ]);
    expect(errors[0].message).toMatch(/^The message is not valid JSON/);
    client.send(byHand, append(speech), commit);
    await client.event(`${transcribed}.completed`);
  });

  test('closes at a message that is too large', async () => {
    const { host } = await serve({}, { sockets: { maxMessageBytes: 20_000 } });
    const client = await opened(host);
    client.send(append(pcm([1, 0.1])));
    expect((await client.closed).code).toBe(1009);
  });

  test('refuses audio beyond the buffer, and takes it after a commit', async () => {
    const { host } = await serve({}, { sockets: { maxBufferBytes: 50_000 } });
    const client = await opened(host);
    client.send(byHand, append(pcm([0.9, 0.1])), append(speech));
    expect((await client.event('error')).error).toMatchObject({ code: 'invalid_request', param: 'audio' });
    client.send(commit, append(speech), commit);
    await client.event(`${transcribed}.completed`, 2);
  });

  test('answers a failure of one utterance, and transcribes the next', async () => {
    let count = 0;
    const transcript = () => {
      if (count++ > 0) return 'Yes.';
      throw new InferenceError('worker_failed', 'The worker was lost.');
    };
    const { host } = await serve({ transcript });
    const client = await opened(host);
    client.send(byHand, append(speech), commit, append(speech), commit);
    const { error, item_id: id } = await client.event(`${transcribed}.failed`);
    expect(error).toMatchObject({ code: 'worker_failed', type: 'server_error' });
    const done = await client.event(`${transcribed}.completed`);
    expect(done).toMatchObject({ transcript: 'Yes.' });
    expect(done.item_id).not.toBe(id);
  });

  test('counts each utterance against the quota of its plan', async () => {
    const { host } = await serve(
      {},
      {
        auth: { keys: [{ key: 'k1', plan: 'small' }] },
        plans: { small: { models: ['ears'], quota: { requests: 1, perSeconds: 60 } } },
      },
    );
    expect((await open(host, { path: '/v1/realtime?model=other-ears' }).refusal).status).toBe(403);
    const client = await opened(host);
    client.send(update({ transcription: { model: 'other-ears' } }));
    expect((await client.event('error')).error).toMatchObject({ code: 'upgrade_required', param: 'model' });
    client.send(byHand, append(speech), commit, append(speech), commit);
    await client.event(`${transcribed}.completed`);
    expect((await client.event(`${transcribed}.failed`)).error.code).toBe('quota_exceeded');
  });

  test('counts what it heard at a pause only if the utterance ends there', async () => {
    const limit = { requests: 1, perSeconds: 60 };
    let count = 0;
    const { host } = await serve(
      { transcript: () => `${++count}` },
      {
        auth: { keys: [{ key: 'k1', plan: 'small' }] },
        plans: { small: { quota: { ...limit }, rateLimit: { ...limit } } },
      },
    );
    const client = await opened(host);
    client.send(append(pcm([0.5, 0], [0.5, 0.3], [0.3, 0])));
    await expect.poll(() => count).toBe(1);
    client.send(append(pcm([0.5, 0.3])));
    await new Promise((resolve) => setTimeout(resolve, 50));
    client.send(append(pcm([0.3, 0])));
    await expect.poll(() => count).toBe(2);
    client.send(append(pcm([0.5, 0])));
    expect((await client.event(`${transcribed}.completed`)).transcript).toBe('2');
    client.send(append(pcm([0.5, 0.3], [0.8, 0])));
    expect((await client.event(`${transcribed}.failed`)).error.code).toBe('rate_limit_exceeded');
    expect(count).toBe(2);
  });

  test('limits the sockets of a key, and of all', async () => {
    const { host } = await serve({}, { sockets: { count: 3, countPerKey: 2 } });
    const [first] = [await opened(host), await opened(host)];
    expect((await open(host).refusal).body.error.code).toBe('rate_limit_exceeded');
    await opened(host, { key: 'k2' });
    expect((await open(host, { key: 'k2' }).refusal).body.error.code).toBe('overloaded');
    first!.socket.close();
    await first!.closed;
    await opened(host);
  });

  test('audio that was given up or transcribed counts no longer', async () => {
    const bytes = 3 * speech.length;
    const { host } = await serve({}, { sockets: { bytesPerKey: bytes, maxBufferBytes: bytes } });
    const [one, other] = [await opened(host), await opened(host)];
    one.send(byHand, append(speech), append(speech), append(speech), byHand);
    await one.event('session.updated', 2);
    other.send(byHand, append(speech));
    expect((await other.event('error')).error.code).toBe('rate_limit_exceeded');
    one.send({ type: 'input_audio_buffer.clear' });
    await one.event('input_audio_buffer.cleared');
    other.send(append(speech), append(speech), commit);
    await other.event(`${transcribed}.completed`);
    one.send(append(speech), append(speech), append(speech), commit);
    await one.event(`${transcribed}.completed`);
    expect([one, other].map(({ events }) => events.filter(({ type }) => type === 'error').length)).toEqual([
      0, 1,
    ]);
  });

  test('counts a message before it parses it', async () => {
    const { host } = await serve();
    const client = await opened(host);
    client.socket.send('['.repeat(2 ** 19));
    expect((await client.event('error')).error.message).toMatch(/expected at most 32 levels of nesting/);
    client.socket.send(`[${'0,'.repeat(2 ** 18)}0]`);
    expect((await client.event('error', 2)).error.message).toMatch(/expected at most 8192 values/);
  });

  test('a client that vanishes ends its run and what waits behind it, and leaves nothing', async () => {
    const { inference, host } = await serve(
      { transcript: { segments: ['never'], delayMs: 60_000 } },
      { sockets: { countPerKey: 1 } },
    );
    const client = await opened(host);
    client.send(byHand, append(speech), commit, append(speech), commit, append(speech), append(speech));
    await vi.waitFor(() => expect(inference.running).toBe(1), 20_000);
    client.socket.terminate();
    await vi.waitFor(() => expect([inference.running, inference.cancelled]).toEqual([0, 1]), 20_000);
    expect(inference.requestsOf('transcription').length).toBe(1);
    await opened(host);
  });

  test('closes a socket that says nothing, and one that answers no ping', async () => {
    const { host } = await serve({}, { sockets: { idleTimeoutMs: 100 }, keepAliveMs: 60_000 });
    const idle = await opened(host);
    expect(await idle.closed).toEqual({ code: 1000, reason: 'The client was idle.' });
    expect(idle.events.at(-1)).toMatchObject({ type: 'error', error: { code: 'request_timeout' } });
    const { host: pinging } = await serve({}, { keepAliveMs: 100 });
    const silent = await opened(pinging);
    const alive = await opened(pinging);
    Object.assign(silent.socket, { ['_autoPong']: false });
    expect((await silent.closed).code).toBe(1006);
    expect(alive.socket.readyState).toBe(WebSocket.OPEN);
  });

  test('lets a client wait that sends more than is transcribed, and loses nothing', async () => {
    const { inference, host } = await serve({ transcript: { segments: ['Yes.'], delayMs: 5 } });
    const client = await opened(host);
    client.send(byHand);
    for (let count = 0; count < 60; count++) client.send(append(speech), commit);
    await client.event(`${transcribed}.completed`, 60);
    const idsOf = (type: string) =>
      client.events.filter((event) => event.type === type).map((event) => event.item_id);
    expect(idsOf(`${transcribed}.completed`)).toEqual(idsOf('input_audio_buffer.committed'));
    expect(inference.running).toBe(0);
  });

  test('at shutdown it ends the utterance under way, then the socket', async () => {
    const { inference, server, host } = await serve({ transcript: { segments: ['Yes.'], delayMs: 300 } });
    const client = await opened(host);
    const idle = await opened(host, { key: 'k2' });
    client.send(byHand, append(speech), commit);
    await vi.waitFor(() => expect(inference.running).toBe(1), 20_000);
    await inference.close();
    expect((await idle.closed).code).toBe(1001);
    expect(await client.closed).toEqual({ code: 1001, reason: 'The service is shutting down.' });
    expect(client.events.at(-1)).toMatchObject({ type: `${transcribed}.completed`, transcript: 'Yes.' });
    expect((await open(host).refusal).status).toBe(503);
    await new Promise((resolve) => server.close(resolve));
  });

  test('observers see one request, which ends with its socket', async () => {
    const ends: any[] = [];
    const { host } = await serve(
      {},
      { observers: [{ onRequestEnd: (request, end) => ends.push({ request, end }) }] },
    );
    const client = await opened(host);
    client.send(byHand, append(speech), commit);
    await client.event(`${transcribed}.completed`);
    expect(ends).toEqual([]);
    client.socket.close();
    await vi.waitFor(() => expect(ends.length).toBe(1), 20_000);
    expect(ends[0]).toMatchObject({
      request: { route: '/realtime' },
      end: { status: 101, error: undefined },
    });
  });

  test('a request without an upgrade gets a reason', async () => {
    const { host } = await serve();
    const response = await fetch(`http://${host}/v1/realtime`, { headers: { authorization: 'Bearer k1' } });
    expect(response.status).toBe(400);
    expect(((await response.json()) as any).error.message).toMatch(/^Expected a WebSocket/);
  });

  test('other upgrades are answered as before, with their bodies', async () => {
    const { host } = await serve();
    const body = JSON.stringify({ model: 'fake-chat', messages: [{ role: 'user', content: 'Hello there' }] });
    const ask = (path: string, headers: Record<string, string>, content = ''): Promise<string> =>
      new Promise((resolve, reject) => {
        const request = httpRequest(
          `http://${host}${path}`,
          { method: content ? 'POST' : 'GET', headers },
          (response) => resolve(text(response)),
        );
        request.on('error', reject);
        request.end(content);
      });
    const h2c = {
      authorization: 'Bearer k1',
      connection: 'Upgrade, HTTP2-Settings',
      upgrade: 'h2c',
      'http2-settings': 'AA',
    };
    const json = { 'content-type': 'application/json', 'content-length': String(body.length) };
    expect(
      JSON.parse(await ask('/v1/chat/completions', { ...h2c, ...json }, body)).choices[0].message.content,
    ).toBe('Hello there');
    expect(JSON.parse(await ask('/v1/models', h2c)).data.length).toBe(3);
    const elsewhere = { connection: 'Upgrade', upgrade: 'websocket', authorization: 'Bearer k1' };
    expect(JSON.parse(await ask('/elsewhere', elsewhere)).error.code).toBe('route_not_found');
  });

  test('leaves the upgrades of the host to the host', async () => {
    const { server, host } = await serve();
    server.on('upgrade', (request, socket) => {
      if (request.url === '/chat') socket.end('taken');
    });
    const port = Number(host.split(':')[1]);
    const socket = connect(port, '127.0.0.1');
    socket.write('GET /chat HTTP/1.1\r\nhost: a\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n');
    expect(await text(socket)).toBe('taken');
  });

  test.each(['express', 'fastify'])('serves the server of %s', async (framework) => {
    const inference = createFakeInference({ models, transcript: 'A red circle.' });
    const handler = createHandler(inference, { auth: 'none' });
    let server: Server;
    if (framework === 'express') {
      const app = express();
      app.use('/ai/v1', toExpress(handler));
      server = createServer(app);
    } else {
      const app = Fastify({ forceCloseConnections: true });
      app.register(toFastify(handler), { prefix: '/ai/v1' });
      await app.ready();
      server = app.server;
    }
    serveWebSockets(server, handler, { mountPath: '/ai/v1' });
    const client = await opened(await listening(server), { path: '/ai/v1/realtime', key: '' });
    client.send(byHand, append(speech), commit);
    expect((await client.event(`${transcribed}.completed`)).transcript).toBe('A red circle.');
  });

  test.each([{ mountPath: 'v1' }, { path: '/v1' }])('refuses the options %o', (options) => {
    expect(() =>
      serveWebSockets(
        createServer(),
        async () => ({ status: 200, headers: {}, body: '' }),
        options as object,
      ),
    ).toThrow(TypeError);
  });
});

describe('the socket of a voice agent', () => {
  const agent = voice({ hears: 'ears', thinks: 'fake-chat', speaks: 'mouth' });
  const withAgent = {
    models: [...models, { id: 'mouth', category: 'speech' }] as FakeInferenceOptions['models'],
    voices: { agent },
  };
  const path = '/v1/realtime?model=agent';
  const respond = { type: 'response.create', response: { output_modalities: ['text'] } };
  const say = {
    type: 'conversation.item.create',
    item: { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'hi' }] },
  };

  test('leaves nothing behind after many answers', async () => {
    const warnings: string[] = [];
    const warn = ({ name }: Error): unknown => warnings.push(name);
    process.on('warning', warn);
    onTestFinished(() => void process.off('warning', warn));
    const { host, inference } = await serve(withAgent);
    const client = await opened(host, { path });
    for (let count = 1; count <= 15; count++) {
      client.send(append(speech), { type: 'input_audio_buffer.commit' }, say, respond);
      await client.event('response.done', count);
    }
    expect(warnings).toEqual([]);
    expect(inference.running).toBe(0);
  });

  test('ends its runs when its client leaves', async () => {
    const { host, inference } = await serve({
      ...withAgent,
      reply: { text: 'Well. '.repeat(500), delayMs: 20 },
    });
    const client = await opened(host, { path });
    client.send(say, { type: 'response.create' });
    await client.event('response.output_audio.delta');
    client.socket.terminate();
    await vi.waitFor(() => expect(inference.running).toBe(0));
    expect(inference.cancelled).toBeGreaterThan(0);
  });

  test('answers what a plan includes, and says what it does not', async () => {
    const plans = { small: { models: ['agent', 'ears', 'mouth'] } };
    const { host } = await serve(withAgent, { plans, auth: { keys: [{ key: 'k1', plan: 'small' }] } });
    const client = await opened(host, { path });
    client.send(say, respond);
    const { response } = await client.event('response.done');
    expect(response).toMatchObject({
      status: 'failed',
      status_details: { error: { code: 'upgrade_required', message: expect.stringContaining('fake-chat') } },
    });
  });

  test('lasts no longer than it may', async () => {
    const { host } = await serve(withAgent, { sockets: { maxDurationMs: 200 } });
    const client = await opened(host, { path });
    expect((await client.event('error')).error.message).toBe('The session has lasted 200 ms.');
    expect((await client.closed).code).toBe(1000);
  });
});

describe('with a model', () => {
  test('ten clients of the openai package speak at once, over TLS', async () => {
    const inference = createInference({
      models: { ears: { category: 'transcription', source: 'tiny-whisper' } },
    });
    onTestFinished(() => inference.close());
    await inference.ready();
    const handler = createHandler(inference, { auth: { keys: ['k1'] } });
    const server = createSecureServer(
      { key: pem('server.key'), cert: pem('server.pem') },
      toNodeListener(handler),
    );
    serveWebSockets(server, handler);
    const host = await listening(server as unknown as Server);
    const client = new OpenAI({ apiKey: 'k1', baseURL: `https://${host}/v1` });
    const audio = Buffer.concat([pcm([0.5, 0]), await toPcm(word('circle')), pcm([1, 0])]);
    const speak = async (): Promise<string> => {
      const realtime = new OpenAIRealtimeWS({ model: 'ears', options: { ca: pem('authority.pem') } }, client);
      const transcript = new Promise<string>((resolve, reject) => {
        realtime.on('error', reject);
        realtime.on(`${transcribed}.completed`, (event) => resolve(event.transcript));
      });
      realtime.on('session.created', () => {
        realtime.send({
          type: 'session.update',
          session: {
            type: 'transcription',
            audio: {
              input: {
                format: { type: 'audio/pcm', rate: 24_000 },
                transcription: { model: 'ears', language: 'en' },
                turn_detection: { type: 'server_vad', silence_duration_ms: 300 },
              },
            },
          },
        });
        for (const piece of pieces(audio))
          realtime.send({ type: 'input_audio_buffer.append', audio: piece.toString('base64') });
      });
      try {
        return await transcript;
      } finally {
        realtime.close();
      }
    };
    const transcripts = await Promise.all(Array.from({ length: 10 }, speak));
    expect(new Set(transcripts).size).toBe(1);
    expect(transcripts[0]!.toLowerCase()).toContain('circle');
    expect(inference.status()).toMatchObject([{ running: 0, waiting: 0 }]);
  });
});
