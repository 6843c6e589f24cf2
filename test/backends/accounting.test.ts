import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { toNodeListener } from '../../adapters/node.ts';
import type { ChatEvent } from '../../src/categories/chat/events.ts';
import type { ChatRequestInput } from '../../src/categories/chat/request.ts';
import { ChatEventReader } from '../../src/backends/openai/chat-events.ts';
import { byteCounter } from '../../src/backends/openai/count-tokens.ts';
import type { ApiServer } from '../../src/backends/openai/server.ts';
import { openTokenizerCounter } from '../../src/backends/openai/tokenizer-counter.ts';
import { remote } from '../../src/backends/registry.ts';
import { chat } from '../../src/categories/chat/settings.ts';
import { createHandler } from '../../src/create-handler.ts';
import { createInference } from '../../src/inference.ts';
import { createFakeInference } from '../../src/testing/fake-inference.ts';
import { eventsOf } from '../server/support.ts';
import { requestsUntilSpent } from './requests-until-spent.ts';

const quota = 2000;
const words = ' a small red circle is above the large blue square and left of it'.repeat(4);
const messages = [{ role: 'user', content: `Describe a scene.${words}` }];
const counter = await openTokenizerCounter('tiny-chat');
const pieces = ['a', ' red', ' circle', ' is', ' above', ' it', '.'];

/** A model that counts with the tokenizer of tiny-chat and writes a token every few milliseconds. */
function pacedModel() {
  async function* run(_category: string, request: unknown): AsyncGenerator<ChatEvent> {
    const { tools = [], toolChoice = 'auto', ...rest } = request as ChatRequestInput;
    const given = { ...rest, tools, toolChoice };
    const promptTokens = await counter.countPrompt(given);
    yield { type: 'prompt-start', promptTokens };
    yield { type: 'prompt-end', promptTokens };
    for (const text of pieces) {
      await new Promise((resolve) => setTimeout(resolve, 5));
      yield { type: 'text-delta', choice: 0, text };
    }
    yield { type: 'choice-end', choice: 0, finishReason: 'stop' };
    yield {
      type: 'usage',
      promptTokens,
      cachedTokens: 0,
      completionTokens: pieces.length,
      reasoningTokens: 0,
    };
  }
  return { ...createFakeInference(), run } as ReturnType<typeof createFakeInference>;
}

type Chunk = Record<string, any>;

/** How servers of each kind tell what they count: the one of vLLM and of this package is the wire's own. */
const rewrites: Readonly<Record<string, (chunk: Chunk) => Chunk>> = {
  openai: (chunk) => (chunk['choices'].length > 0 ? { ...chunk, usage: null } : chunk),
  'llama-server'({ usage, ...chunk }) {
    if (chunk['choices'].length === 0) return { ...chunk, usage };
    const { prompt_tokens = 0, completion_tokens = 0 } = usage ?? {};
    return { ...chunk, timings: { prompt_n: prompt_tokens - 5, cache_n: 5, predicted_n: completion_tokens } };
  },
};

/** The model after a server of a dialect. */
async function serveAs(dialect: string): Promise<string> {
  const handler = createHandler(pacedModel(), { auth: 'none' });
  const rewrite = rewrites[dialect] ?? ((chunk: Chunk) => chunk);
  const server = createServer(
    toNodeListener(async (request) => {
      const isChat = request.url.endsWith('/chat/completions');
      if (!isChat) return { status: 404, headers: {}, body: '' };
      const bytes: Uint8Array[] = [];
      for await (const part of request.body as AsyncIterable<Uint8Array>) bytes.push(part);
      const parsed = JSON.parse(Buffer.concat(bytes).toString());
      if (parsed.timings_per_token) parsed.stream_options.continuous_usage_stats = true;
      const answer = await handler({ ...request, body: { parsed: { ...parsed, model: 'fake-chat' } } });
      const body = answer.body as AsyncIterable<string>;
      async function* rewritten() {
        for await (const text of body) {
          for (const event of eventsOf(text)) {
            yield `data: ${event === '[DONE]' ? event : JSON.stringify(rewrite(event))}\n\n`;
          }
        }
      }
      return { ...answer, body: rewritten() };
    }),
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
}

function openRemote(server: Omit<ApiServer, 'kind'>) {
  const backend = remote.openai(server);
  const inference = createInference({ models: { chatter: chat({ source: 'fake-chat', backend }) } });
  onTestFinished(() => inference.close());
  return inference;
}

const local = await requestsUntilSpent(pacedModel(), { model: 'fake-chat', messages, quota });

describe('a quota of tokens whose clients leave after three pieces', () => {
  it('is spent here by some', () => {
    expect(local).toBeGreaterThan(5);
    expect(local).toBeLessThan(40);
  });

  it.each([
    ['slashv1', {}],
    ['vllm', {}],
    ['llama-server', {}],
    ['openai', { tokenizer: 'tiny-chat' }],
  ] as const)('is spent by as many on a server of the dialect %s', async (dialect, settings) => {
    const baseURL = await serveAs(dialect);
    const passed = await requestsUntilSpent(openRemote({ baseURL, dialect, ...settings }), {
      model: 'chatter',
      messages,
      quota,
    });
    expect(Math.abs(passed - local)).toBeLessThanOrEqual(1);
  });

  it('is spent too where tokens are estimated from bytes', async () => {
    const baseURL = await serveAs('openai');
    const passed = await requestsUntilSpent(openRemote({ baseURL }), { model: 'chatter', messages, quota });
    expect(passed).toBeGreaterThan(local / 3);
    expect(passed).toBeLessThan(local * 3);
  });
});

describe('chunks that tell tokens', () => {
  const choice = (index: number, delta: object, finish_reason: string | null = null) => ({
    choices: [{ index, delta, finish_reason }],
  });
  const usage = (prompt_tokens: number, completion_tokens: number) => ({
    usage: { prompt_tokens, completion_tokens },
  });

  function read(chunks: readonly Chunk[], options: { choices?: number; includeReasoning?: boolean } = {}) {
    const events: ChatEvent[] = [];
    const given = { choices: 1, includeReasoning: true, counter: byteCounter, promptTokens: 50, ...options };
    const reader = new ChatEventReader(given, (event) => events.push(event));
    for (const chunk of chunks) expect(reader.read(chunk)).toBe(false);
    reader.end();
    return events;
  }
  const tokensOf = (events: readonly ChatEvent[]) =>
    events.flatMap((event) => ('text' in event || event.type === 'hidden-tokens' ? [event.tokens ?? 1] : []));

  it('with each piece charge as many', () => {
    const events = read([
      { ...choice(0, { role: 'assistant' }), ...usage(9, 0) },
      { ...choice(0, { content: 'several words' }), ...usage(9, 4) },
      { ...choice(0, { content: '!' }), ...usage(9, 5) },
      { ...choice(0, {}, 'stop'), ...usage(9, 6) },
      { choices: [], ...usage(9, 6) },
    ]);
    expect(events[0]).toEqual({ type: 'prompt-end', promptTokens: 9 });
    expect(tokensOf(events)).toEqual([4, 1]);
    expect(events.at(-1)).toMatchObject({ promptTokens: 9, completionTokens: 6 });
  });

  it('of several choices, one after the other, add up', () => {
    const events = read(
      [
        choice(0, { content: 'a' }),
        choice(1, { content: 'b' }),
        choice(0, {}, 'stop'),
        { choices: [], ...usage(9, 3) },
        choice(1, {}, 'stop'),
        { choices: [], ...usage(9, 4) },
      ],
      { choices: 2 },
    );
    expect(events.at(-1)).toMatchObject({ promptTokens: 9, completionTokens: 7 });
  });

  it('of reasoning that nobody wants are charged', () => {
    const events = read(
      [
        choice(0, { reasoning_content: 'twelve bytes' }),
        choice(0, { content: 'yes' }),
        choice(0, {}, 'stop'),
      ],
      { includeReasoning: false },
    );
    expect(tokensOf(events)).toEqual([3, 1]);
    expect(events.at(-1)).toMatchObject({ promptTokens: 50, completionTokens: 4 });
  });
});
