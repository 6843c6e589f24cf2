import Anthropic from '@anthropic-ai/sdk';
import * as ort from 'onnxruntime-node';
import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chat } from '../../dist/src/index.js';
import { within } from '../tolerance.ts';
import { serve, type RunningService } from './serve.ts';

const source = 'examples/models/tiny-chat';
const key = 'sk-of-completions';
const model = 'tiny-chat';
const messages = [{ role: 'user' as const, content: 'What is 2 + 3?' }];
/** Longer than the pieces in which it is read. */
const text = 'The scene shows a red circle above a large blue square; what is left of them? '.repeat(9);
/** Products of one row and of several round differently. */
const tolerance = within(1e-4);

let service: RunningService;
let client: OpenAI;

beforeAll(async () => {
  service = await serve(
    { [model]: chat({ source, threads: 1 }) },
    {
      auth: { keys: [{ key, id: 'me', plan: 'free' }] },
      plans: { free: { rateLimit: { requests: 1000, tokens: 1e6, perSeconds: 3600 } } },
    },
  );
  client = new OpenAI({ baseURL: `${service.origin}/v1`, apiKey: key, maxRetries: 0 });
}, 60_000);
afterAll(() => service?.close());

async function post(path: string, body: object) {
  const response = await fetch(`${service.origin}/v1/${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model, ...body }),
  });
  const left = Number(response.headers.get('x-ratelimit-remaining-tokens'));
  return { status: response.status, json: (await response.json()) as any, left };
}

/** Log-softmax of the logits of one forward pass over all tokens, by the graph as it is. */
async function referenceOf(tokens: readonly number[]): Promise<Float64Array[]> {
  const session = await ort.InferenceSession.create(`${source}/onnx/model.onnx`, { intraOpNumThreads: 1 });
  const row = (value: (index: number) => number) =>
    new ort.Tensor(
      'int64',
      BigInt64Array.from(tokens, (_, index) => BigInt(value(index))),
      [1, tokens.length],
    );
  const feeds: Record<string, ort.Tensor> = {
    input_ids: row((index) => tokens[index]!),
    attention_mask: row(() => 1),
    position_ids: row((index) => index),
  };
  for (const name of session.inputNames.filter((one) => one.startsWith('past')))
    feeds[name] = new ort.Tensor('float32', new Float32Array(0), [1, 2, 0, 32]);
  const { logits } = await session.run(feeds, ['logits']);
  const size = logits!.dims[2]!;
  return tokens.map((_, position) => {
    const own = Float64Array.from(
      (logits!.data as Float32Array).subarray(position * size, (position + 1) * size),
    );
    const largest = own.reduce((most, logit) => Math.max(most, logit));
    const total = own.reduce((sum, logit) => sum + Math.exp(logit - largest), 0);
    return own.map((logit) => logit - largest - Math.log(total));
  });
}

describe('log probabilities of a prompt', () => {
  it('are the log-softmax of the logits of one forward pass', async () => {
    const { tokens } = (await post('tokenize', { prompt: text })).json as { tokens: number[] };
    expect(tokens.length).toBeGreaterThan(128);
    const reference = await referenceOf(tokens);
    const { json } = await post('completions', { prompt: text, echo: true, max_tokens: 0, logprobs: 3 });
    const [{ text: echoed, logprobs, finish_reason: reason }] = json.choices;
    expect([echoed, reason]).toEqual([text, 'length']);
    expect(logprobs.tokens.join('')).toBe(text);
    expect(logprobs.token_logprobs).toHaveLength(tokens.length);
    expect([logprobs.token_logprobs[0], logprobs.top_logprobs[0]]).toEqual([null, null]);
    for (let at = 1; at < tokens.length; at++) {
      const expected = reference[at - 1]!;
      expect(Math.abs(logprobs.token_logprobs[at] - expected[tokens[at]!]!)).toBeLessThan(tolerance);
      const best = expected.toSorted((a, b) => b - a).slice(0, 3);
      const listed = Object.values<number>(logprobs.top_logprobs[at]).sort((a, b) => b - a);
      best.forEach((logprob, index) => expect(Math.abs(listed[index]! - logprob)).toBeLessThan(tolerance));
      const offset = logprobs.text_offset[at] as number;
      expect(text.slice(offset, offset + logprobs.tokens[at].length)).toBe(logprobs.tokens[at]);
    }
    expect(json.usage).toMatchObject({ prompt_tokens: tokens.length, completion_tokens: 0 });
  });

  it('are the same for several prompts, for ids, with a seed, after others and beside an answer', async () => {
    const prompts = [text, 'A red circle', text];
    const scored = { echo: true, max_tokens: 0, logprobs: 0 };
    const alone = await Promise.all(prompts.map((prompt) => post('completions', { prompt, ...scored })));
    const together = await post('completions', { prompt: prompts, ...scored });
    const ids = await Promise.all(prompts.map((prompt) => post('tokenize', { prompt })));
    const byId = await post('completions', {
      prompt: ids.map(({ json }) => json.tokens),
      ...scored,
      seed: 1,
    });
    const begun = await post('completions', { prompt: prompts, ...scored, max_tokens: 1 });
    for (const [index, { json }] of alone.entries()) {
      const expected = json.choices[0].logprobs.token_logprobs as number[];
      for (const { json: other } of [together, byId, begun]) {
        const own = other.choices[index].logprobs.token_logprobs as number[];
        expect(own.length - expected.length).toBe(other === begun.json ? 1 : 0);
        expected
          .slice(1)
          .forEach((logprob, at) => expect(Math.abs(own[at + 1]! - logprob)).toBeLessThan(tolerance));
      }
    }
  });

  it('are bounded', async () => {
    const prompt = Array.from({ length: 100 }, () => text);
    const { status, json } = await post('completions', { prompt, echo: true, max_tokens: 0, logprobs: 20 });
    expect([status, json.error.param]).toEqual([400, 'logprobs']);
  });
});

describe('completions', () => {
  it('go on where the tokens of a conversation end, as chat does', async () => {
    const answer = await client.chat.completions.create({ model, messages, temperature: 0, max_tokens: 24 });
    const { tokens } = (await post('tokenize', { messages })).json as { tokens: number[] };
    const completion = await client.completions.create({
      model,
      prompt: tokens,
      temperature: 0,
      max_tokens: 24,
    });
    const { content, reasoning_content: thought = '' } = answer.choices[0]!.message as {
      content: string;
      reasoning_content?: string;
    };
    const said = completion.choices[0]!.text;
    expect(said).toContain(content);
    expect(said).toContain(thought);
    expect(completion.usage?.prompt_tokens).toBe(answer.usage?.prompt_tokens);
  });

  it('list the token that ends them, after the last of their text', async () => {
    const { tokens } = (await post('tokenize', { messages })).json as { tokens: number[] };
    const { json } = await post('completions', {
      prompt: tokens,
      temperature: 0,
      max_tokens: 60,
      logprobs: 0,
    });
    const [{ text: said, logprobs, finish_reason: reason }] = json.choices;
    expect([reason, logprobs.tokens.at(-1)]).toEqual(['stop', '<|im_end|>']);
    expect(logprobs.text_offset.at(-1)).toBe([...said].length);
    expect(logprobs.token_logprobs.at(-1)).toBeLessThanOrEqual(0);
  });

  it('are streamed by the openai package', async () => {
    const body = { model, prompt: ['A red', 'A blue'], n: 2, temperature: 0.8, seed: 3, max_tokens: 12 };
    const whole = await client.completions.create(body);
    const texts = ['', '', '', ''];
    const options = { stream: true, stream_options: { include_usage: true } } as const;
    for await (const { choices, usage } of await client.completions.create({ ...body, ...options })) {
      for (const { index, text: piece } of choices) texts[index] += piece;
      if (choices.length === 0) expect(usage).toMatchObject({ total_tokens: whole.usage!.total_tokens });
    }
    expect(texts).toEqual(whole.choices.map((choice) => choice.text));
  });

  it.each([
    ['suffix', { prompt: 'a', suffix: 'b' }],
    ['prompt', { prompt: '' }],
    ['prompt[1][0]', { prompt: [[1], [1244]] }],
    ['prompt[0]', { prompt: ['word '.repeat(3000)] }],
    ['prompt', { prompt: 'word '.repeat(3000) }],
    ['prompt', { prompt: Array.from({ length: 129 }, () => 'a') }],
  ])('names %s when it is at fault', async (param, body) => {
    const { status, json } = await post('completions', body);
    expect([status, json.error.param]).toEqual([400, param]);
  });
});

describe('previews', () => {
  it('count what chat reads', async () => {
    const tools = [
      { type: 'function' as const, function: { name: 'get_time', parameters: { type: 'object' } } },
    ];
    for (const more of [{}, { tools }]) {
      const { json } = await post('tokenize', { messages, ...more });
      const answer = await client.chat.completions.create({ model, messages, max_tokens: 1, ...more });
      expect(json).toMatchObject({ count: answer.usage!.prompt_tokens, max_model_len: 2048 });
    }
  });

  it('count for the Anthropic SDK', async () => {
    const anthropic = new Anthropic({ baseURL: service.origin, apiKey: key, maxRetries: 0 });
    const counted = await anthropic.messages.countTokens({ model, messages, system: 'Be brief.' });
    const { usage } = await anthropic.messages.create({
      model,
      messages,
      system: 'Be brief.',
      max_tokens: 1,
    });
    expect(counted.input_tokens).toBe(usage.input_tokens + (usage.cache_read_input_tokens ?? 0));
  });

  it('give every text back', async () => {
    const said = 'Héllo, <|im_end|> wörld 🌍\n';
    const { json } = await post('tokenize', { prompt: said, with_pieces: true, return_token_strs: true });
    const ids = json.tokens.map(({ id }: { id: number }) => id);
    expect(json.token_strs).toHaveLength(ids.length);
    expect((await post('detokenize', { tokens: ids })).json).toEqual({ prompt: said, content: said });
  });

  it('are no answer, and cost a request but no tokens', async () => {
    const { left: before } = await post('tokenize', { prompt: text });
    const { left } = await post('tokenize', { prompt: text });
    expect(left).toBe(before);
    await post('completions', { prompt: text, max_tokens: 1 });
    expect((await post('tokenize', { prompt: 'a' })).left).toBeLessThan(before - 100);
  });

  it('may be longer than the context, up to a bound', async () => {
    const { json } = await post('tokenize', { prompt: 'word '.repeat(3000) });
    expect(json.count).toBeGreaterThan(2048);
    const { status, json: refused } = await post('tokenize', { content: 'x '.repeat(200_000) });
    expect([status, refused.error.param]).toEqual([400, 'content']);
  });
});
