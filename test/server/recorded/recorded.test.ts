import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { beforeAll, expect, it, vi } from 'vitest';
import { createHandler } from '../../../src/create-handler.ts';
import { InferenceError } from '../../../src/errors.ts';
import type { ApiResponse } from '../../../src/contracts/http.ts';
import { createFakeInference } from '../../../src/testing/fake-inference.ts';
import { completeChatRequest } from '../../../src/categories/chat/request.ts';
import { key, send } from '../support.ts';
import { requests } from './requests.ts';

/** Answers to all requests, made with `UPDATE_RECORDED=1`: a change of the code behind them must not change them unnoticed. */
const file = new URL('answers.json', import.meta.url);
const isUpdate = process.env['UPDATE_RECORDED'] === '1';
const recorded: Record<string, unknown> = isUpdate ? {} : JSON.parse(readFileSync(file, 'utf8'));

const errors: Readonly<Record<string, Error>> = {
  'fails-early': new InferenceError('internal', 'It broke.'),
  'fails-late': new InferenceError('internal', 'It broke.'),
  overloaded: new InferenceError('overloaded', 'Too many requests are waiting.', { retryAfter: 3 } as never),
  full: new InferenceError('context_length_exceeded', 'The prompt has 9 tokens, the model holds 8.', {
    param: 'messages',
  }),
};

const reply = 'Hello, world! 😀\nAll is well.';
const replies: Readonly<Record<string, object>> = {
  talker: { text: reply },
  thinker: { reasoning: 'They greet me.', text: reply },
  caller: {
    text: 'I look.',
    toolCalls: [
      { name: 'get_weather', arguments: { city: 'Rom' } },
      { name: 'get_weather', arguments: '{"city":"Köln"}' },
    ],
  },
  'fails-late': { text: reply, error: errors['fails-late'], failAfter: 3 },
};

const inference = createFakeInference({
  models: [
    ...['talker', 'thinker', 'caller', ...Object.keys(errors)].map((id) => ({
      id,
      category: 'chat' as const,
    })),
    { id: 'vectors', category: 'embedding' },
    { id: 'ranks', category: 'rerank' },
    { id: 'paints', category: 'image' },
    { id: 'ears', category: 'transcription' },
    { id: 'eyes', category: 'detection' },
    { id: 'mouth', category: 'speech', voices: [{ id: 'af_heart', name: 'Heart', language: 'en-US' }] },
  ],
  reply: ({ model }) => replies[model] ?? { error: errors[model]! },
  detections: { image: { width: 4, height: 3 }, detections: [] },
  transcript: { segments: [' Hello there.', ' Bye.'] },
});
const handler = createHandler(inference, { auth: { keys: [key] } });

beforeAll(() => {
  vi.spyOn(console, 'error').mockReturnValue();
  vi.useFakeTimers({ now: 1_700_000_000_000, toFake: ['Date'] });
  return () => vi.useRealTimers();
});

it.each([...requests])('%s', async (name, sent) => {
  const before = inference.requests.length;
  const { status, headers, text: body } = await send(handler, sent);
  const shown = Object.entries(headers).filter(([header]) =>
    /^(content-type|retry-after|x-slashv1|x-should)/.test(header),
  );
  const taken = inference.requests.slice(before).map(withoutDefaults);
  const answer = toPlain({
    status,
    headers: Object.fromEntries(shown),
    body: isBinary(headers) ? hashOf(body) : withoutIds(body),
    ...(taken.length > 0 && { taken }),
  });
  if (isUpdate) recorded[name] = answer;
  else expect(answer).toEqual(recorded[name]);
  if (isUpdate) writeFileSync(file, `{\n${linesOf(recorded).join(',\n')}\n}\n`);
});

function isBinary(headers: ApiResponse['headers']): boolean {
  return String(headers['content-type']).startsWith('audio/');
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function linesOf(answers: object): string[] {
  return Object.entries(answers).map((entry) => entry.map((part) => JSON.stringify(part)).join(': '));
}

const defaults: Readonly<Record<string, unknown>> = {
  ...completeChatRequest({ model: 'none', messages: [{ role: 'user', content: '' }] }),
};

/** What a request has beside the defaults. */
function withoutDefaults(request: object): object {
  const own = Object.entries(request).filter(
    ([name, value]) => JSON.stringify(toPlain(value)) !== JSON.stringify(toPlain(defaults[name])),
  );
  return Object.fromEntries(own);
}

/** Ids are made at random. */
function withoutIds(body: string): string {
  return body.replace(/\b(chatcmpl-|cmpl-|rerank-|msg_|resp_|rs_|fc_|req_|conv_)[\w-]{8,}/g, '$1…');
}

/** What JSON keeps of a value, with maps as objects. */
function toPlain(value: unknown): unknown {
  if (value === undefined) return undefined;
  return JSON.parse(
    JSON.stringify(value, (_, member: unknown) =>
      member instanceof Map ? Object.fromEntries(member) : member,
    ),
  );
}
