import { describe, expect, it } from 'vitest';
import { completionSchema } from '../../../../../src/categories/chat/wire/completions/schema.ts';
import { createHandler } from '../../../../../src/create-handler.ts';
import type { ChatRequest } from '../../../../../src/categories/chat/request.ts';
import type { FakeAnswer } from '../../../../../src/testing/fake-chat.ts';
import { createFakeInference } from '../../../../../src/testing/fake-inference.ts';
import { send } from '../../../../server/support.ts';

function serve(reply: FakeAnswer = 'there') {
  const asked: ChatRequest[] = [];
  const watched = (request: ChatRequest, choice: number) => {
    asked.push(request);
    return typeof reply === 'function' ? reply(request, choice) : (reply ?? '');
  };
  const handler = createHandler(createFakeInference({ reply: watched }), { auth: 'none' });
  const ask = (json: object) =>
    send(handler, { url: '/v1/completions', json: { model: 'fake-chat', prompt: 'Hi', ...json } });
  const stream = async (json: object) => {
    const { text } = await ask({ ...json, stream: true });
    const data = [...text.matchAll(/^data: (.*)$/gm)].map(([, line]) => line!);
    expect(data.pop()).toBe('[DONE]');
    return data.map((line) => completionSchema.parse(JSON.parse(line)));
  };
  return { ask, stream, asked };
}

describe('POST /completions', () => {
  it('continues a text, by 16 tokens at most', async () => {
    const { ask, asked } = serve();
    const { status, json } = await ask({});
    expect(status).toBe(200);
    expect(completionSchema.parse(json)).toEqual(json);
    expect(json).toMatchObject({
      id: expect.stringMatching(/^cmpl-\w+$/),
      choices: [{ index: 0, text: 'there', logprobs: null, finish_reason: 'stop' }],
      usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
    });
    expect(asked[0]).toMatchObject({ prompts: ['Hi'], messages: [], maxTokens: 16, echo: undefined });
  });

  it('takes lists of texts, token ids and lists of those', async () => {
    const { ask, asked } = serve();
    for (const prompt of [
      ['a', 'b'],
      [1, 2],
      [[1, 2], [3]],
    ])
      expect((await ask({ prompt })).status).toBe(200);
    const read = [...new Set(asked)].map(({ prompts }) => prompts);
    expect(read).toEqual([['a', 'b'], [[1, 2]], [[1, 2], [3]]]);
  });

  it('has n choices for each prompt, in their order', async () => {
    const { ask } = serve(({ prompts }, choice) => `${prompts[choice >> 1]} ${choice}`);
    const { json } = await ask({ prompt: ['a', 'b'], n: 2, best_of: 2 });
    expect(json.choices.map(({ index, text }: { index: number; text: string }) => [index, text])).toEqual([
      [0, 'a 0'],
      [1, 'a 1'],
      [2, 'b 2'],
      [3, 'b 3'],
    ]);
  });

  it('passes every parameter of the table on', async () => {
    const { ask, asked } = serve();
    const json = { temperature: 0.3, top_k: 7, min_p: 0.2, seed: 4, stop: ['x'], logit_bias: { 5: 1 } };
    await ask({ ...json, suffix: 'after', add_special_tokens: false });
    expect(asked[0]).toMatchObject({
      temperature: 0.3,
      topK: 7,
      minP: 0.2,
      seed: 4,
      stop: ['x'],
      logitBias: new Map([[5, 1]]),
      suffix: 'after',
      addSpecialTokens: false,
    });
  });

  it('begins with the prompt and describes its tokens', async () => {
    const { json } = await serve(' and you').ask({ prompt: 'Héllo there', echo: true, logprobs: 1 });
    expect(json.choices).toEqual([
      {
        index: 0,
        text: 'Héllo there and you',
        finish_reason: 'stop',
        logprobs: {
          tokens: ['Héllo', ' there', ' and', ' you'],
          token_logprobs: [null, 0, 0, 0],
          top_logprobs: [null, { ' there': 0 }, { ' and': 0 }, { ' you': 0 }],
          text_offset: [0, 5, 11, 15],
        },
      },
    ]);
  });

  it('only reads the prompt where max_tokens is 0', async () => {
    const { ask, asked } = serve();
    const { json } = await ask({ echo: true, max_tokens: 0 });
    expect(json.choices).toEqual([{ index: 0, text: 'Hi', logprobs: null, finish_reason: 'length' }]);
    expect(json.usage.completion_tokens).toBe(0);
    expect(asked[0]!.stopAfter).toBe('prompt');
  });

  it('streams what it gives at once', async () => {
    const { ask, stream } = serve((_request, choice) => ` one two ${choice}`);
    const options = { prompt: ['a b', 'c'], n: 2, echo: true, logprobs: 0 };
    const { json } = await ask(options);
    const chunks = await stream({ ...options, stream_options: { include_usage: true } });
    const last = chunks.pop()!;
    expect([last.choices, last.usage]).toEqual([[], json.usage]);
    for (const expected of json.choices) {
      const pieces = chunks.flatMap(({ choices }) => choices).filter(({ index }) => index === expected.index);
      expect(pieces.map(({ text }) => text).join('')).toBe(expected.text);
      expect(pieces.map(({ finish_reason: reason }) => reason).filter(Boolean)).toEqual(['stop']);
      for (const name of ['tokens', 'token_logprobs', 'top_logprobs', 'text_offset'] as const)
        expect(pieces.flatMap<unknown>(({ logprobs }) => logprobs?.[name] ?? [])).toEqual(
          expected.logprobs[name],
        );
    }
    expect(chunks.every(({ usage }) => usage === null)).toBe(true);
  });

  it('counts the tokens so far in every chunk', async () => {
    const chunks = await serve(' one two').stream({ stream_options: { continuous_usage_stats: true } });
    expect(chunks.map(({ usage }) => usage?.completion_tokens)).toEqual([1, 2, 2]);
  });

  it.each([
    ['prompt', { prompt: 7 }],
    ['prompt', { prompt: [] }],
    ['prompt[0]', { prompt: [-1] }],
    ['prompt', { prompt: Array.from({ length: 129 }, () => 'a') }],
    ['best_of', { best_of: 2 }],
    ['logprobs', { logprobs: true }],
    ['logprobs', { logprobs: 21 }],
    ['max_tokens', { max_tokens: -1 }],
    ['stream_options', { stream_options: { include_usage: true } }],
    ['messages', { messages: [] }],
    ['tools', { tools: [] }],
    ['guided_regex', { guided_regex: '' }],
    ['top_logprobs', { top_logprobs: 2 }],
    ['suffix', { suffix: 'x', echo: true }],
    ['truncate_prompt_tokens', { suffix: 'x', truncate_prompt_tokens: 4 }],
  ])('names %s when it is at fault: %j', async (param, body) => {
    const { status, json } = await serve().ask(body);
    expect([status, json.error.param]).toEqual([400, param]);
  });
});
