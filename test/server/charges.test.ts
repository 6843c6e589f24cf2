import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { afterAll, describe, expect, it } from 'vitest';
import { categories } from '../../src/categories/registry.ts';
import type { CallOptions } from '../../src/contracts/run.ts';
import { createHandler } from '../../src/create-handler.ts';
import { InferenceError } from '../../src/errors.ts';
import type { Handler } from '../../src/contracts/http.ts';
import { createMemoryLimiter, type Limiter } from '../../src/server/rate-limit.ts';
import { createFakeInference } from '../../src/testing/fake-inference.ts';
import { sentForm, uploadDirectory, uploadOf } from './forms.ts';
import { toRequest, type Sent } from './support.ts';

const directory = await uploadDirectory();
afterAll(() => rm(directory.path, { recursive: true }));

/** Requests and tokens that one run takes from a quota. */
type Cost = readonly [requests: number, tokens: number];

interface Ending {
  /** The row of the table in the docs. */
  readonly row: string;
  readonly deadlineHeader?: boolean;
  /** Throws what ends the run; `undefined` lets it finish. */
  readonly fail?: InferenceError;
  /** The end comes before a worker begins. */
  readonly waiting?: boolean;
  readonly leaves?: boolean;
  /** Part of what the run has used by then that is charged, or nothing, not even the request. */
  readonly stream: 'all' | 'sent' | 'request' | 'nothing';
  readonly whole: 'all' | 'sent' | 'request' | 'nothing';
}

const late = new InferenceError('deadline_exceeded', 'Late.');
const endings: Readonly<Record<string, Ending>> = {
  finished: {
    row: '| finished | 1 | prompt and answer | prompt and answer |',
    stream: 'all',
    whole: 'all',
  },
  left: {
    row: '| the client disconnects | 1 | prompt, and the tokens sent | prompt, and the tokens generated |',
    leaves: true,
    stream: 'sent',
    whole: 'sent',
  },
  "the caller's deadline": {
    row: '| the deadline passes | 1 | prompt, and the tokens sent | prompt, and the tokens generated |',
    deadlineHeader: true,
    fail: late,
    stream: 'sent',
    whole: 'sent',
  },
  "the model's deadline": {
    row: '| the deadline passes | 1 | prompt, and the tokens sent | prompt, and the tokens generated |',
    fail: late,
    stream: 'sent',
    whole: 'sent',
  },
  "the caller's deadline, in the queue": {
    row: "| the caller's own deadline passes in the queue | 1 | 0 | 0 |",
    deadlineHeader: true,
    fail: late,
    waiting: true,
    stream: 'request',
    whole: 'request',
  },
  "the model's deadline, in the queue": {
    row: "| the model's deadline passes in the queue | 0 | 0 | 0 |",
    fail: late,
    waiting: true,
    stream: 'nothing',
    whole: 'nothing',
  },
  drained: {
    row: '| drained: the service shuts down | 1 if anything was sent | prompt, and the tokens sent | 0 |',
    fail: new InferenceError('overloaded', 'The service is shutting down.'),
    stream: 'sent',
    whole: 'nothing',
  },
  'a lost worker': {
    row: '| the worker is lost | 1 if anything was sent | prompt, and the tokens sent | 0 |',
    fail: new InferenceError('worker_failed', 'Lost.'),
    stream: 'sent',
    whole: 'nothing',
  },
  refused: {
    row: '| refused with 4xx or 503 | 0 | 0 | 0 |',
    fail: new InferenceError('overloaded', 'Full.'),
    waiting: true,
    stream: 'nothing',
    whole: 'nothing',
  },
};

interface Scene {
  readonly category: string;
  readonly url: string;
  readonly json?: object;
  readonly form?: Record<string, string>;
  readonly isStream: boolean;
  /** What comes before the run is cut, and what would come after. */
  readonly before: readonly object[];
  readonly after: readonly object[];
  /** Tokens of the run that finishes, and of one that is cut. */
  readonly tokens: { readonly all: number; readonly cut: number };
}

const delta = { type: 'text-delta', choice: 0, text: 'x', tokens: 3 };
const usage = {
  type: 'usage',
  promptTokens: 7,
  cachedTokens: 0,
  completionTokens: 10,
  reasoningTokens: 0,
};
const chat = {
  category: 'chat',
  before: [{ type: 'prompt-end', promptTokens: 7 }, delta, delta],
  after: [{ ...delta, tokens: 4 }, { type: 'choice-end', choice: 0, finishReason: 'stop' }, usage],
  tokens: { all: 17, cut: 13 },
};
const segment = {
  type: 'segment',
  segment: { id: 0, text: ' Hi', startSeconds: 0, endSeconds: 1, tokens: [] },
};
const preview = {
  category: 'chat',
  isStream: false,
  before: [{ type: 'prompt', prompt: 0, text: 'Hi', tokens: [1], before: 0, contextLength: 9 }],
  after: [],
  // Nobody pays for what no model reads.
  tokens: { all: 0, cut: 0 },
};
const transcript = {
  category: 'transcription',
  before: [segment],
  after: [{ type: 'transcription-end', language: 'en', durationSeconds: 2 }],
  tokens: { all: 0, cut: 0 },
};
const speech = {
  category: 'speech',
  url: '/v1/audio/speech',
  before: [
    { type: 'speech-start', mediaType: 'audio/wav', sampleRateHz: 24_000 },
    { type: 'audio', bytes: new Uint8Array(8) },
  ],
  after: [{ type: 'speech-end', durationSeconds: 1 }],
  tokens: { all: 0, cut: 0 },
};
const picture = {
  category: 'image',
  url: '/v1/images/generations',
  before: [{ type: 'image', image: 0, png: new Uint8Array(8), seed: 0 }],
  after: [{ type: 'image', image: 1, png: new Uint8Array(8), seed: 1 }],
  tokens: { all: 0, cut: 0 },
};
const messages = [{ role: 'user', content: 'Hi' }];

const scenes: Readonly<Record<string, Scene>> = {
  'chat, whole': { ...chat, url: '/v1/chat/completions', json: { messages }, isStream: false },
  'chat, streamed': {
    ...chat,
    url: '/v1/chat/completions',
    json: { messages, stream: true },
    isStream: true,
  },
  'responses, whole': { ...chat, url: '/v1/responses', json: { input: 'Hi' }, isStream: false },
  'responses, streamed': {
    ...chat,
    url: '/v1/responses',
    json: { input: 'Hi', stream: true },
    isStream: true,
  },
  'messages, whole': { ...chat, url: '/v1/messages', json: { messages }, isStream: false },
  'messages, streamed': { ...chat, url: '/v1/messages', json: { messages, stream: true }, isStream: true },
  'completions, whole': { ...chat, url: '/v1/completions', json: { prompt: 'Hi' }, isStream: false },
  'completions, streamed': {
    ...chat,
    url: '/v1/completions',
    json: { prompt: 'Hi', stream: true },
    isStream: true,
  },
  count_tokens: { ...preview, url: '/v1/messages/count_tokens', json: { messages } },
  input_tokens: { ...preview, url: '/v1/responses/input_tokens', json: { input: 'Hi' } },
  tokenize: { ...preview, url: '/v1/tokenize', json: { prompt: 'Hi' } },
  detokenize: { ...preview, url: '/v1/detokenize', json: { tokens: [1, 2] } },
  embeddings: {
    category: 'embedding',
    url: '/v1/embeddings',
    json: { input: 'one two three' },
    isStream: false,
    before: [],
    after: [{ type: 'embeddings', embeddings: [new Float32Array(2)], promptTokens: 3 }],
    // Cut before they are counted, they cost the estimate.
    tokens: { all: 3, cut: 4 },
  },
  rerank: {
    category: 'rerank',
    url: '/v1/rerank',
    json: { query: 'one', documents: ['two'] },
    isStream: false,
    before: [],
    after: [{ type: 'ranking', results: [], promptTokens: 5 }],
    tokens: { all: 5, cut: 2 },
  },
  'transcriptions, whole': { ...transcript, url: '/v1/audio/transcriptions', form: {}, isStream: false },
  'transcriptions, streamed': {
    ...transcript,
    url: '/v1/audio/transcriptions',
    form: { stream: 'true' },
    isStream: true,
  },
  translations: { ...transcript, url: '/v1/audio/translations', form: {}, isStream: false },
  'speech, audio': { ...speech, json: { input: 'Hi' }, isStream: true },
  'speech, events': { ...speech, json: { input: 'Hi', stream_format: 'sse' }, isStream: true },
  'images, whole': { ...picture, json: { prompt: 'Hi' }, isStream: false },
  'images, streamed': { ...picture, json: { prompt: 'Hi', stream: true }, isStream: true },
  detect: {
    category: 'detection',
    url: '/v1/detect',
    json: { image: 'https://example.com/a.png' },
    isStream: false,
    before: [],
    after: [{ type: 'detections', detections: [], image: { width: 1, height: 1 } }],
    tokens: { all: 0, cut: 0 },
  },
};

/** What one run takes from a quota. */
async function costOf({ category, isStream, before, after, ...scene }: Scene, ending: Ending): Promise<Cost> {
  const limiters = new Map<string, Limiter>();
  async function* run(_name: string, _request: object, { signal, onDispatch }: CallOptions) {
    if (ending.waiting) throw ending.fail;
    onDispatch?.();
    for (const event of before) yield event;
    // The answer that waits for the next event is on its way by then.
    await new Promise((resolve) => setTimeout(resolve, 5));
    if (ending.leaves && !isStream) leave.abort();
    if (ending.leaves && !signal!.aborted) await once(signal!, 'abort');
    signal!.throwIfAborted();
    if (ending.fail) throw ending.fail;
    for (const event of after) yield event;
  }
  const fake = createFakeInference({ models: [{ id: 'it', category: category as never }] });
  const handler: Handler = createHandler(
    { ...fake, run: run as never },
    {
      auth: { keys: [{ key: 'test-key', id: 'me', plan: 'free' }] },
      plans: { free: { quota: { requests: 10, tokens: 1e6, perSeconds: 60 } } },
      uploadDirectory: directory.path,
      onError: () => {},
      limiter(options) {
        const limiter = createMemoryLimiter(options);
        limiters.set(options.keyPrefix, limiter);
        return limiter;
      },
    },
  );
  const leave = new AbortController();
  const { url, json, form } = scene;
  const sent: Sent = form
    ? { ...sentForm(uploadOf({ model: 'it', ...form })), url }
    : { url, json: { model: 'it', ...json } };
  const headers = { ...sent.headers, ...(ending.deadlineHeader ? { 'x-request-timeout': '0.6' } : {}) };
  const { status, body } = await handler(toRequest({ ...sent, headers, signal: leave.signal }));
  const isOpen = typeof body !== 'string' && !(body instanceof Uint8Array);
  // A stream has begun by then, whatever ends it.
  expect(isOpen).toBe(isStream && !ending.waiting);
  if (isOpen) {
    expect(status).toBe(200);
    const pieces = body[Symbol.asyncIterator]();
    if (ending.leaves) {
      await pieces.next();
      await pieces.return!();
    }
    try {
      while (!ending.leaves && !(await pieces.next()).done);
    } catch (error) {
      // Audio has no other way to say so.
      expect(error).toBe(ending.fail);
    }
  }
  const used = async (of: string): Promise<number> =>
    (await limiters.get(`slashv1:free:quota:${of}`)!.get('me'))?.consumedPoints ?? 0;
  return [await used('requests'), await used('tokens')];
}

const rows = new Set(
  readFileSync(new URL('../../docs/guides/errors-and-limits.md', import.meta.url), 'utf8')
    .split('\n')
    .map((line) => line.replaceAll(/ +/g, ' ')),
);

describe.each(Object.entries(endings))('%s', (_name, ending) => {
  it('costs what the docs say', () => expect(rows).toContain(ending.row));

  it.each(Object.entries(scenes))('%s', async (_scene, scene) => {
    const charged = scene.isStream ? ending.stream : ending.whole;
    const { all, cut } = scene.tokens;
    const expected: Cost =
      charged === 'nothing' ? [0, 0] : [1, charged === 'all' ? all : charged === 'sent' ? cut : 0];
    expect(await costOf(scene, ending)).toEqual(expected);
  });
});

it('every endpoint that runs a model is in the table', () => {
  const paths = [...categories.values()].flatMap(({ endpoints }) =>
    endpoints.filter((endpoint) => 'answer' in endpoint).map(({ path }) => `/v1${path}`),
  );
  expect(new Set(Object.values(scenes).map(({ url }) => url))).toEqual(new Set(paths));
});
