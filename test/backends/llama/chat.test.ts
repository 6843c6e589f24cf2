import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { ChatEvent, TokenLogprobs } from '../../../src/categories/chat/events.ts';
import { completeChatRequest, type ChatRequestInput } from '../../../src/categories/chat/request.ts';
import { appendEvent } from '../../../src/categories/chat/models.ts';
import type { Pipeline } from '../../../src/contracts/category.ts';
import type * as samplers from '../../../src/core/sampling/sampler.ts';
import { loadPipeline } from '../../../src/loading/load-pipeline.ts';
import { LlamaContext } from '../../../src/runtime/llama/llama-context.ts';
import { within } from '../../tolerance.ts';
import { tinyChat, tinyChatAsGguf } from './tiny-gguf.ts';
import { watch, watching, type Drawn } from './watched-sampler.ts';
import { missingLlama, needs } from '../../needs.ts';

// The same weights, once as ONNX and once as GGUF. Logits differ in their last bits, since llama.cpp keeps keys and
// values as float16.
const logprobTolerance = within(5e-3);

vi.mock('../../../src/core/sampling/sampler.ts', async (original) => {
  const module = await original<typeof samplers>();
  return { ...module, createSampler: watching(module.createSampler, within(5e-3)) };
});

type Ask = Omit<ChatRequestInput, 'model'>;
interface Answer {
  readonly text: string;
  readonly calls: string;
  readonly finishReasons: readonly string[];
  readonly logprobs: readonly TokenLogprobs[];
  readonly usage: ChatEvent | undefined;
  /** Of each choice. */
  readonly drawn: readonly Drawn[];
}

async function ask(pipeline: Pipeline, input: Ask, signal?: AbortSignal): Promise<Answer> {
  const request = completeChatRequest({ model: 'a', ...input });
  const events: ChatEvent[] = [];
  const drawn = await watch(async () => {
    for await (const event of pipeline.run(request, { signal })) appendEvent(events, event as ChatEvent);
  });
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
    drawn,
  };
}

/** Compares what doesn't depend on the last bits of the logits: whole answers where every token is sure, else their sure beginnings. */
function expectSame(found: Answer, expected: Answer): void {
  expectTexts(found, expected);
  if (expected.drawn.some(({ tokens, sure }) => sure < tokens.length)) return;
  expect({ ...found, drawn: [] }).toEqual({ ...expected, drawn: [] });
}

/** As `expectSame`, whatever needed computing. */
function expectTexts(found: Answer, expected: Answer): void {
  for (const [choice, { tokens, sure }] of expected.drawn.entries()) {
    expect(found.drawn[choice]!.tokens.slice(0, sure)).toEqual(tokens.slice(0, sure));
  }
}

interface Turn {
  readonly messages: ReturnType<typeof user>;
  readonly answer: Answer;
}

/** Counts what contexts hold after each run; every call returns the counts since the one before. */
function watchContexts(): () => number[] {
  const counts: number[] = [];
  const run = LlamaContext.prototype.run;
  onTestFinished(() => void vi.restoreAllMocks());
  vi.spyOn(LlamaContext.prototype, 'run').mockImplementation(async function (this: LlamaContext, count) {
    await run.call(this, count);
    const sequences = Array.from({ length: this.options.sequences }, (_, id) => this.stateBytes(id));
    counts.push(sequences.reduce((sum, bytes) => sum + bytes, 0));
  });
  return () => counts.splice(0);
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

describe('a GGUF file of tiny-chat', { ...needs(missingLlama), timeout: 120_000 }, () => {
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
    expectSame(found, expected);
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
    for (const [index, found] of together.entries()) expectTexts(found, alone[index]!);
  });

  it('reads the beginning of a conversation once', async () => {
    const first = user('Name a colour and a shape, please.');
    const answer = await ask(llama, { messages: first, ...greedy });
    const messages = [...first, { role: 'assistant', content: answer.text }, ...user('Thank you.')] as const;
    const found = await ask(llama, { messages, ...greedy });
    expectTexts(found, await ask(onnx, { messages, ...greedy }));
    expect(found.usage).toMatchObject({ cachedTokens: expect.toSatisfy((count: number) => count > 10) });
  });

  it('attends to nothing of the conversations that ended, and continues them all the same', async () => {
    const held = watchContexts();
    const spoken = async (pipeline: Pipeline, count: number): Promise<Turn[]> => {
      const turns: Turn[] = [];
      for (let index = 0; index < count; index++) {
        const messages = user(`What is ${index + 21} + ${3 * index + 14}?`);
        turns.push({ messages, answer: await ask(pipeline, { messages, ...greedy }) });
      }
      return turns;
    };
    const last = { messages: user('Describe a scene with two shapes.'), ...greedy };
    const fresh = await loadPipeline({ id: 'a', source: path, category: 'chat' });
    await ask(fresh, last);
    const alone = held();
    await fresh.close();

    const used = await loadPipeline({ id: 'a', source: path, category: 'chat' });
    const turns = await spoken(used, 12);
    held();
    await ask(used, last);
    expect(held()).toEqual(alone);

    // The answers think first, which the next turn leaves out. The last but one left the context, the last one is still there.
    for (const { messages, answer } of [turns.at(-2)!, turns.at(-1)!]) {
      const next = [...messages, { role: 'assistant', content: answer.text }, ...user('Thank you.')] as const;
      const found = await ask(used, { messages: next, ...greedy });
      const { promptTokens } = answer.usage as { promptTokens: number };
      expect(found.usage).toMatchObject({
        cachedTokens: expect.toSatisfy((count: number) => count >= promptTokens - 2),
      });
      expectTexts(found, await ask(onnx, { messages: next, ...greedy }));
    }
    await used.close();
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
    expectTexts(await ask(engine, free), await ask(onnx, free));
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
    for (const [index, each] of found.entries()) expectTexts(each, expected[index]!);
    await small.close();
  });
});
