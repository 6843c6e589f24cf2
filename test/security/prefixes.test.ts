import { afterAll, describe, expect, it } from 'vitest';
import { createHandler } from '../../src/create-handler.ts';
import type { Handler } from '../../src/contracts/http.ts';
import type { HandlerOptions } from '../../src/server/options.ts';
import { createInference } from '../../src/inference.ts';
import { send } from '../server/support.ts';

const system = 'You describe scenes with coloured shapes, in one short sentence, and answer nothing else.';
const inference = createInference({
  models: {
    it: { source: 'tiny-chat' },
    sharing: { source: 'tiny-chat', sharedSystemPrompts: ['You rhyme.', system] },
  },
  isolation: 'inline',
});
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
  for (const key of asking)
    cached.push(await cachedBy(handler, key, { model: 'it', messages: [{ role: 'user', content }] }));
  return cached;
}

/** Tokens of one prompt that were reused. */
async function cachedBy(handler: Handler, key: string, body: object): Promise<number> {
  const json = { max_tokens: 2, ...body };
  const answer = await send(handler, { json, headers: { authorization: `Bearer ${key}` } });
  return answer.json.usage.prompt_tokens_details.cached_tokens as number;
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

describe('a system prompt of the list is shared', () => {
  const secret = 'The number of the safe is 7305.';
  const guesses = ['The number of the safe is 7', 'The number', 'Of the safe 7305', secret];
  const keyOf = (guess: string) => guess.replaceAll(' ', '-');
  const handler = createHandler(inference, { auth: { keys: [...keys, 'd', 'e', ...guesses.map(keyOf)] } });
  const ask = (key: string, content: string, more: object = {}, instruction = system) =>
    cachedBy(handler, key, {
      model: 'sharing',
      messages: [
        { role: 'system', content: instruction },
        { role: 'user', content },
      ],
      ...more,
    });
  const promptTokens = async (content: string): Promise<number> => {
    const json = { model: 'it', max_tokens: 1, messages: [{ role: 'user', content }] };
    const answer = await send(handler, { json, headers: { authorization: 'Bearer a' } });
    return answer.json.usage.prompt_tokens as number;
  };
  let shared: number;

  it('up to its end: nobody reads on in what another key has asked', async () => {
    expect(await ask('a', secret)).toBe(0);
    shared = await ask('b', secret);
    expect(shared).toBeGreaterThanOrEqual((await promptTokens(system)) - (await promptTokens('a')) + 1);
    for (const guess of guesses) expect(await ask(keyOf(guess), guess)).toBe(shared);
    expect(await ask('a', secret)).toBeGreaterThan(shared);
  });

  it.each([
    ['tools', 'c1', { tools: [{ type: 'function', function: { name: 'draw' } }] }, system],
    ['more text', 'd', {}, `${system} Be kind.`],
  ])('also before %s', async (_title, key, more, instruction) => {
    expect(await ask(key, 'Hello!', more, instruction)).toBe(shared);
  });

  it('with those alone that send all of it', async () => {
    expect(await ask('e', 'Hello!', {}, system.slice(0, -10))).toBe(0);
  });
});
