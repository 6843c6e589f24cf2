import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ChatEvent, TokenLogprobs } from '../../../src/categories/chat/events.ts';
import { completeChatRequest, type ChatRequestInput } from '../../../src/categories/chat/request.ts';
import { appendEvent } from '../../../src/categories/chat/append-event.ts';
import type { Pipeline } from '../../../src/categories/contract.ts';
import { loadPipeline } from '../../../src/load-pipeline.ts';
import { hasLlamaBinaries } from '../../../src/runtime/llama/find-binaries.ts';
import { tinyChat, tinyChatAsGguf } from './tiny-gguf.ts';

// The same weights, once as ONNX and once as GGUF. Logits differ in their last bits, since llama.cpp keeps keys and
// values as float16.
const logprobTolerance = 5e-3;

type Ask = Omit<ChatRequestInput, 'model'>;
interface Answer {
  readonly text: string;
  readonly calls: string;
  readonly finishReasons: readonly string[];
  readonly logprobs: readonly TokenLogprobs[];
  readonly usage: ChatEvent | undefined;
}

async function ask(pipeline: Pipeline, input: Ask, signal?: AbortSignal): Promise<Answer> {
  const request = completeChatRequest({ model: 'a', ...input });
  const events: ChatEvent[] = [];
  for await (const event of pipeline.run(request, { signal })) appendEvent(events, event as ChatEvent);
  const of = <T extends ChatEvent['type']>(type: T) =>
    events.filter((event): event is Extract<ChatEvent, { type: T }> => event.type === type);
  const starts = of('tool-call-start').map(({ choice, call, name }) => `${choice}.${call} ${name} `);
  const calls = of('tool-call-delta').map((delta) => `${delta.choice}.${delta.call} ${delta.arguments}`);
  return {
    text: of('text-delta')
      .sort((a, b) => a.choice - b.choice)
      .map(({ text }) => text)
      .join(''),
    calls: [...starts, ...calls].sort().join('\n'),
    finishReasons: of('choice-end').map(({ finishReason }) => finishReason),
    logprobs: of('logprobs').flatMap(({ tokens }) => tokens),
    usage: of('usage')[0],
  };
}

const user = (content: string) => [{ role: 'user', content }] as const;
const weather = {
  name: 'get_weather',
  description: 'Get the weather of a city.',
  parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
};
const scene = {
  type: 'json-schema',
  schema: {
    type: 'object',
    properties: { shape: { enum: ['circle', 'square', 'star'] }, count: { type: 'integer' } },
    required: ['shape', 'count'],
    additionalProperties: false,
  },
} as const;
/** No token ends an answer. */
const endless = new Map([
  [0, -100],
  [2, -100],
]);
const greedy = { temperature: 0, maxTokens: 48 };

describe.skipIf(!hasLlamaBinaries())('a GGUF file of tiny-chat', { timeout: 120_000 }, () => {
  let folder: string;
  let path: string;
  let onnx: Pipeline;
  let llama: Pipeline;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'slashv1-gguf-'));
    path = join(folder, 'tiny-chat.gguf');
    writeFileSync(path, tinyChatAsGguf());
    onnx = await loadPipeline({ id: 'a', source: tinyChat, category: 'chat' });
    llama = await loadPipeline({ id: 'a', source: path, category: 'chat' });
  }, 120_000);
  afterAll(async () => {
    await Promise.all([onnx.close(), llama.close()]);
    rmSync(folder, { recursive: true });
  });

  it.each<[name: string, input: Ask]>([
    ['a scene', { messages: user('Describe a scene with two shapes.'), ...greedy }],
    ['a sum', { messages: user('What is 17 + 25?'), ...greedy }],
    [
      'a system message',
      { messages: [{ role: 'system', content: 'Be brief.' }, ...user('Who are you?')], ...greedy },
    ],
    ['penalties', { messages: user('Describe a scene with two shapes.'), ...greedy, repeatPenalty: 1.5 }],
    ['a tool call', { messages: user('What is the weather in Paris?'), tools: [weather], ...greedy }],
    [
      'a required call',
      { messages: user('Hello'), tools: [weather], toolChoice: 'required', temperature: 0, maxTokens: 64 },
    ],
    ['a schema', { messages: user('Describe a scene.'), responseFormat: scene, ...greedy }],
    ['a stop string', { messages: user('Describe a scene with two shapes.'), stop: [' of'], ...greedy }],
    ['a bias', { messages: user('Hello'), logitBias: new Map([[1203, 30]]), temperature: 0, maxTokens: 4 }],
    ['two choices', { messages: user('Hello'), n: 2, ...greedy }],
    [
      'a seed',
      { messages: user('Describe a scene with two shapes.'), seed: 7, temperature: 1, maxTokens: 32 },
    ],
    ['a seed and mirostat', { messages: user('Hello'), seed: 3, mirostatMode: 2, maxTokens: 32 }],
  ])('answers %s as the ONNX file does', async (_name, input) => {
    const [expected, found] = [await ask(onnx, input), await ask(llama, input)];
    expect(found).toEqual(expected);
    expect(found.text + found.calls).not.toBe('');
  });

  it('gives the same log probabilities', async () => {
    const input = {
      messages: user('Describe a scene with two shapes.'),
      logprobs: true,
      topLogprobs: 5,
      ...greedy,
    };
    const [expected, found] = [await ask(onnx, input), await ask(llama, input)];
    expect(found.logprobs.map(({ token }) => token)).toEqual(expected.logprobs.map(({ token }) => token));
    expect(found.logprobs.length).toBeGreaterThan(4);
    for (const [index, { logprob }] of found.logprobs.entries()) {
      expect(Math.abs(logprob - expected.logprobs[index]!.logprob)).toBeLessThan(logprobTolerance);
    }
  });

  it('answers eight at once as one after the other', async () => {
    const inputs = Array.from({ length: 8 }, (_, index) => ({
      messages: user(`What is ${index + 3} + ${2 * index + 5}?`),
      ...greedy,
      maxTokens: 24,
    }));
    const together = await Promise.all(inputs.map((input) => ask(llama, input)));
    const alone = [];
    for (const input of inputs) alone.push(await ask(onnx, input));
    expect(together.map(({ text }) => text)).toEqual(alone.map(({ text }) => text));
  });

  it('reads the beginning of a conversation once', async () => {
    const first = user('Name a colour and a shape, please.');
    const answer = await ask(llama, { messages: first, ...greedy });
    const messages = [...first, { role: 'assistant', content: answer.text }, ...user('Thank you.')] as const;
    const found = await ask(llama, { messages, ...greedy });
    const expected = await ask(onnx, { messages, ...greedy });
    expect(found.text).toBe(expected.text);
    expect(found.usage).toMatchObject({ cachedTokens: expect.toSatisfy((count: number) => count > 10) });
  });

  it('repeats itself with a seed, also beside others', async () => {
    const input = {
      messages: user('Describe a scene with two shapes.'),
      seed: 11,
      temperature: 1.2,
      maxTokens: 40,
    };
    const alone = await ask(llama, input);
    const others = [1, 2, 3].map((count) =>
      ask(llama, { messages: user(`Count to ${count}.`), maxTokens: 30 }),
    );
    const beside = await ask(llama, input);
    await Promise.all(others);
    expect(beside.text).toBe(alone.text);
  });

  it('stops where the caller leaves', async () => {
    const controller = new AbortController();
    const input = { messages: user('Hello'), logitBias: endless, maxTokens: 1500 };
    const request = completeChatRequest({ model: 'a', ...input });
    let texts = 0;
    const run = async () => {
      for await (const event of llama.run(request, { signal: controller.signal })) {
        if (event.type === 'text-delta' && ++texts === 3) controller.abort();
      }
    };
    await expect(run()).rejects.toMatchObject({ code: 'cancelled' });
    expect(texts).toBeLessThan(20);
    expect((await ask(llama, { messages: user('What is 1 + 2?'), ...greedy })).text).toContain('3');
  });

  it('refuses a prompt that is longer than its context', async () => {
    const messages = user('a red circle '.repeat(900));
    await expect(ask(llama, { messages })).rejects.toMatchObject({ code: 'context_length_exceeded' });
  });

  it('ends at the end of its context, and forgets nothing before', async () => {
    const small = await loadPipeline({ id: 'a', source: path, category: 'chat', contextLength: 24 } as never);
    const input = { messages: user('Describe a scene with two shapes.'), maxTokens: 100, temperature: 0 };
    const found = await ask(small, { ...input, logitBias: endless });
    expect(found.finishReasons).toEqual(['length']);
    expect(found.usage).toMatchObject({ promptTokens: 15, completionTokens: 9 });
    await small.close();
  });

  it('answers with the tokenizer of llama.cpp where the file carries none', async () => {
    const plain = join(folder, 'plain.gguf');
    writeFileSync(plain, tinyChatAsGguf({ carriesTokenizer: false }));
    const engine = await loadPipeline({ id: 'a', source: plain, category: 'chat' });
    const free = { messages: user('Describe a scene with two shapes.'), ...greedy };
    expect((await ask(engine, free)).text).toBe((await ask(onnx, free)).text);
    const { text } = await ask(engine, { messages: user('A scene.'), responseFormat: scene, ...greedy });
    expect(JSON.parse(text)).toEqual({ shape: expect.any(String), count: expect.any(Number) });
    const call = await ask(engine, {
      messages: user('Hello'),
      tools: [weather],
      toolChoice: 'required',
      temperature: 0,
      maxTokens: 64,
    });
    expect(call.calls).toContain('get_weather');
    await engine.close();
  });

  it('lets requests wait where the cache holds one of them', async () => {
    const backend = { kind: 'llama', cacheTokens: 96 };
    const small = await loadPipeline({
      id: 'a',
      source: path,
      category: 'chat',
      contextLength: 96,
      backend,
    } as never);
    const inputs = Array.from({ length: 4 }, (_, index) => ({
      messages: user(`What is ${index + 3} + ${index + 5}?`),
      temperature: 0,
      logitBias: endless,
      maxTokens: 40,
    }));
    const found = await Promise.all(inputs.map((input) => ask(small, input)));
    const expected = [];
    for (const input of inputs) expected.push(await ask(onnx, input));
    expect(found.map(({ text }) => text)).toEqual(expected.map(({ text }) => text));
    await small.close();
  });
});
