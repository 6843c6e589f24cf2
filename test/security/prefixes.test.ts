import { afterAll, expect, it } from 'vitest';
import { createHandler } from '../../src/create-handler.ts';
import type { HandlerOptions } from '../../src/server/options.ts';
import { createInference } from '../../src/inference.ts';
import { send } from '../server/support.ts';

const inference = createInference({ models: { it: { source: 'tiny-chat' } }, isolation: 'inline' });
afterAll(() => inference.close({ graceMs: 0 }));

const keys = ['a', 'b', { key: 'c1', id: 'c' }, { key: 'c2', id: 'c' }];

/** Tokens of a prompt that were reused, by the key that asked, in the order of asking. */
async function cachedTokens(
  content: string,
  asking: readonly string[],
  options: Partial<HandlerOptions> = {},
) {
  const handler = createHandler(inference, { auth: { keys }, ...options });
  const cached: number[] = [];
  for (const key of asking) {
    const json = { model: 'it', max_tokens: 2, messages: [{ role: 'user', content }] };
    const answer = await send(handler, { json, headers: { authorization: `Bearer ${key}` } });
    cached.push(answer.json.usage.prompt_tokens_details.cached_tokens as number);
  }
  return cached;
}

it('nobody learns by `cached_tokens` what another key has asked', async () => {
  const secret = 'Describe a scene with a red circle and two shapes.';
  const [first, others, again] = await cachedTokens(secret, ['a', 'b', 'a']);
  expect([first, others]).toEqual([0, 0]);
  expect(again).toBeGreaterThan(5);
});

it('keys of one id share', async () => {
  const [, second] = await cachedTokens('How many circles are there in a scene?', ['c1', 'c2']);
  expect(second).toBeGreaterThan(5);
});

it('all share with `sharedPrefixes`, and callers without a key', async () => {
  const content = 'What is left of a green star, and what is right of it?';
  const [, second] = await cachedTokens(content, ['a', 'b'], { sharedPrefixes: true });
  expect(second).toBeGreaterThan(5);
  const request = { model: 'it', messages: [{ role: 'user', content }], maxTokens: 2 } as const;
  let inProcess = 0;
  for await (const event of inference.chat(request))
    if (event.type === 'usage') inProcess = event.cachedTokens;
  expect(inProcess).toBeGreaterThan(5);
});
