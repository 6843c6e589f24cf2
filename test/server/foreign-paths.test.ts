import { expect, it } from 'vitest';
import { createHandler } from '../../src/create-handler.ts';
import { createFakeInference } from '../../src/testing/fake-inference.ts';
import { key, send } from './support.ts';

const handler = createHandler(createFakeInference(), { auth: { keys: [key] } });

it.each([
  ['/completion', 'completions'],
  ['/api/chat', 'chat/completions'],
  ['/api/generate', 'chat/completions'],
  ['/infill', 'completions'],
  ['/v1/engines/davinci/completions', 'completions'],
  ['/v1/deployments/gpt/chat/completions', 'chat/completions'],
  ['/apply-template', 'tokenize'],
  ['/v1/engines', 'models'],
  ['/api/tags', 'models'],
  ['/api/embed', 'embeddings'],
  ['/props', 'models/'],
  ['/v1/images/edits', 'images/generations'],
  ['/inference', 'audio/transcriptions'],
  ['/tts', 'audio/speech'],
  ['/v1/moderations', 'chat/completions'],
  ['/v1/threads/thread_1/runs', 'responses'],
])('%s names what to call instead: %s', async (url, path) => {
  const { status, json } = await send(handler, { url, json: {} });
  expect(status).toBe(404);
  const [, method = '', called = ''] = /Call (GET|POST) \/v1\/([\w/]+)/.exec(json.error.message) ?? [];
  expect(called).toBe(path);
  if (path.endsWith('/')) return;
  const there = await send(handler, { method, url: `/v1/${called}`, ...(method === 'POST' && { json: {} }) });
  expect([404, 405]).not.toContain(there.status);
});

it('names nothing in the place of what nobody has', async () => {
  const { json } = await send(handler, { url: '/v1/nothing' });
  expect(json.error.message).toBe('There is no GET /v1/nothing.');
});
