import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { toNodeListener } from '../../dist/adapters/node.js';
import { chat, createHandler, createInference, remote } from '../../dist/src/index.js';
import type { ApiServer } from '../../src/backends/openai/server.ts';
import { expectError, send, type Answer } from '../server/support.ts';
import { json, scriptedServer, type Answer as Script } from './scripted-server.ts';

/** A service whose only model runs at an address. */
function serveRemote(server: Omit<ApiServer, 'kind'>, source = 'tiny-chat') {
  const inference = createInference({ models: { near: chat({ source, backend: remote.openai(server) }) } });
  onTestFinished(() => inference.close());
  const handler = createHandler(inference, { auth: 'none' });
  return (path: string, body: object) =>
    send(handler, { method: 'POST', url: `/v1/${path}`, json: { model: 'near', ...body } });
}

describe('a bundled model behind another service', () => {
  const inference = createInference({ models: { 'tiny-chat': chat({ source: 'tiny-chat' }) } });
  const handler = createHandler(inference, { auth: 'none', keepResponses: true });
  const server = createServer(toNodeListener(handler));
  let baseURL = '';
  beforeAll(async () => {
    await inference.ready();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    baseURL = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  });
  afterAll(async () => {
    server.closeAllConnections();
    server.close();
    await inference.close();
  });

  /** The same request to the model itself, and through the service in front of it. */
  const askBoth = async (path: string, body: object): Promise<[far: Answer, near: Answer]> => {
    const near = await serveRemote({ baseURL, dialect: 'slashv1' })(path, body);
    const far = await send(handler, {
      method: 'POST',
      url: `/v1/${path}`,
      json: { model: 'tiny-chat', ...body },
    });
    return [far, near];
  };
  const own = ({
    json: { id: _id, created: _at, model: _model, system_fingerprint: _print, ...rest },
  }: Answer) => rest;

  it.each([
    { prompt: 'a red circle', max_tokens: 6, temperature: 0 },
    { prompt: [11, 12, 13], max_tokens: 3, temperature: 0 },
    { prompt: ['a red', 'two blue'], n: 2, max_tokens: 4, seed: 5 },
    { prompt: 'a red', echo: true, max_tokens: 3, temperature: 0 },
    { prompt: 'a red', logprobs: 2, max_tokens: 3, temperature: 0 },
    { prompt: 'a red', stop: [' '], max_tokens: 9, temperature: 0, add_special_tokens: false },
  ])('continues %j as the model itself', async (body) => {
    const [far, near] = await askBoth('completions', body);
    expect(far.status, far.text).toBe(200);
    expect(near.status, near.text).toBe(200);
    const { usage: farUsage, ...farRest } = own(far);
    const { usage, ...rest } = own(near);
    expect(rest).toEqual(farRest);
    expect([usage.prompt_tokens, usage.completion_tokens]).toEqual([
      farUsage.prompt_tokens,
      farUsage.completion_tokens,
    ]);
  });

  it('streams the same text', async () => {
    const body = { prompt: 'a red circle', max_tokens: 8, temperature: 0, stream: true };
    const textOf = ({ text }: Answer) =>
      [...text.matchAll(/"text":("(?:[^"\\]|\\.)*")/g)].map(([, one]) => JSON.parse(one!)).join('');
    const [far, near] = await askBoth('completions', body);
    expect(textOf(far)).not.toBe('');
    expect(textOf(near)).toBe(textOf(far));
    expect(near.text).toContain('data: [DONE]');
  });

  const messages = [{ role: 'user', content: 'two red circles' }];
  const tools = [{ type: 'function', function: { name: 'get_time', parameters: { type: 'object' } } }];
  it.each([
    ['tokenize', { prompt: 'a red circle' }],
    ['tokenize', { content: 'a red circle' }],
    ['tokenize', { messages, tools }],
    ['detokenize', { tokens: [11, 12, 13] }],
    ['messages/count_tokens', { messages, system: 'Be brief.' }],
    ['responses/input_tokens', { input: 'two red circles', instructions: 'Be brief.' }],
  ])('answers %s for %j as the model itself', async (path, body) => {
    const [far, near] = await askBoth(path, body);
    expect(far.status, far.text).toBe(200);
    expect(near.json, near.text).toEqual(far.json);
  });

  it.each([
    ['completions', { prompt: 'a', echo: true, logprobs: 1 }, 'echo'],
    ['completions', { prompt: 'a', max_tokens: 0 }, 'max_tokens'],
    ['completions', { prompt: [11], echo: true }, 'echo'],
    ['tokenize', { prompt: 'a', with_pieces: true }, 'model'],
  ])('%s refuses %j', async (path, body, param) => {
    const [, near] = await askBoth(path, body);
    expectError(near, 400, 'unsupported_feature', param);
  });

  it('passes on what is wrong with a prompt', async () => {
    const [, long] = await askBoth('completions', { prompt: 'a '.repeat(9000) });
    expectError(long, 400, 'context_length_exceeded', 'prompt');
    const [, unknown] = await askBoth('detokenize', { tokens: [1e9] });
    expect([unknown.status, unknown.json.error.param]).toEqual([
      400,
      expect.stringMatching(/^tokens|^prompt/),
    ]);
  });
});

const models: Script = (_, response) => json(response, { data: [{ id: 'm', max_model_len: 64 }] });

describe('servers of other dialects', () => {
  const open = async (dialect: ApiServer['dialect'], answers: Readonly<Record<string, unknown>>) => {
    const { origin, asked } = await scriptedServer((one, response) => {
      if (!(one.url in answers)) return models(one, response);
      const answer = answers[one.url];
      if (!Array.isArray(answer)) return json(response, answer);
      const frames = [...answer.map((chunk) => JSON.stringify(chunk)), '[DONE]'];
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.end(frames.map((frame) => `data: ${frame}\n\n`).join(''));
    });
    const bodyTo = (url: string) => JSON.parse(String(asked.findLast((one) => one.url === url)!.body));
    return { ask: serveRemote({ baseURL: `${origin}/v1`, dialect }, 'm'), bodyTo };
  };
  const ended = { index: 0, text: '', finish_reason: 'stop' };

  it('vllm: texts, with its lists of log probabilities', async () => {
    const logprobs = {
      tokens: ['Hi', '!'],
      token_logprobs: [-0.5, -1],
      top_logprobs: [{ Hi: -0.5, Ho: -2 }, { '!': -1 }],
      text_offset: [0, 2],
    };
    const { ask, bodyTo } = await open('vllm', {
      '/v1/completions': [
        { choices: [{ index: 0, text: 'Hi!', logprobs }] },
        { choices: [ended], usage: { prompt_tokens: 3, completion_tokens: 2 } },
      ],
    });
    const { json: body } = await ask('completions', { prompt: 'Say', logprobs: 2, suffix: 'x', min_p: 0.1 });
    expect(body.choices).toEqual([
      { index: 0, text: 'Hi!', finish_reason: 'stop', logprobs: expect.objectContaining(logprobs) },
    ]);
    expect(body.usage).toMatchObject({ prompt_tokens: 3, completion_tokens: 2 });
    expect(bodyTo('/v1/completions')).toMatchObject({
      model: 'm',
      prompt: 'Say',
      logprobs: 2,
      suffix: 'x',
      min_p: 0.1,
      max_tokens: 16,
      stream: true,
    });
  });

  it('vllm: tokens, at the root of the server', async () => {
    const { ask, bodyTo } = await open('vllm', {
      '/tokenize': { tokens: [5, 6], count: 2, max_model_len: 99 },
      '/detokenize': { prompt: 'Hello' },
    });
    const { json: body } = await ask('tokenize', { prompt: 'Hello', add_special_tokens: false });
    expect(body).toEqual({ count: 2, max_model_len: 99, tokens: [5, 6], token_strs: null });
    expect(bodyTo('/tokenize')).toEqual({ model: 'm', prompt: 'Hello', add_special_tokens: false });
    expect((await ask('detokenize', { tokens: [5, 6] })).json.prompt).toBe('Hello');
    const messages = [{ role: 'user', content: 'Hello' }];
    const counted = await ask('messages/count_tokens', { messages });
    expect(counted.json).toEqual({ input_tokens: 2 });
    expect(bodyTo('/tokenize')).toMatchObject({ model: 'm', messages });
  });

  it('llama-server: its log probabilities and its tokenizer', async () => {
    const content = [{ token: 'Hi', logprob: -0.5, top_logprobs: [{ token: 'Hi', logprob: -0.5 }] }];
    const { ask, bodyTo } = await open('llama-server', {
      '/v1/completions': [
        { choices: [{ index: 0, text: 'Hi', logprobs: { content } }] },
        { choices: [ended] },
      ],
      '/apply-template': { prompt: '<s>Hello' },
      '/tokenize': { tokens: [1, 2, 3] },
      '/detokenize': { content: 'Hello' },
    });
    const answer = await ask('completions', { prompt: 'Say', logprobs: 1 });
    expect(answer.json.choices[0]).toMatchObject({
      text: 'Hi',
      logprobs: { tokens: ['Hi'], token_logprobs: [-0.5] },
    });
    expect(
      (await ask('messages/count_tokens', { messages: [{ role: 'user', content: 'Hello' }] })).json,
    ).toEqual({
      input_tokens: 3,
    });
    expect(bodyTo('/tokenize')).toMatchObject({ content: '<s>Hello', add_special: true });
    expect((await ask('tokenize', { content: 'Hello' })).json).toMatchObject({ count: 3, max_model_len: 64 });
    expect(bodyTo('/tokenize')).toMatchObject({ content: 'Hello', add_special: false });
    expect((await ask('detokenize', { tokens: [1] })).json.content).toBe('Hello');
    for (const field of [{ suffix: 'x' }, { add_special_tokens: false }]) {
      expectError(
        await ask('completions', { prompt: 'a', ...field }),
        400,
        'invalid_request',
        Object.keys(field)[0],
      );
    }
  });

  it('openai: texts, and no tokens', async () => {
    const { ask } = await open('openai', {
      '/v1/completions': [{ choices: [{ index: 0, text: 'Hi' }] }, { choices: [ended] }],
    });
    expect((await ask('completions', { prompt: 'Say' })).json.choices[0].text).toBe('Hi');
    expectError(await ask('tokenize', { prompt: 'a' }), 400, 'unsupported_feature', 'model');
  });

  it.each([
    ['no list', { tokens: 5 }],
    ['other things than ids', { tokens: ['a'] }],
    ['nothing', null],
  ])('a tokenizer that answers with %s fails, and the service goes on', async (_title, answer) => {
    const { ask } = await open('vllm', { '/tokenize': answer });
    expectError(await ask('tokenize', { prompt: 'a' }), 502, 'worker_failed');
  });

  it.each([
    { tokens: ['a'], token_logprobs: 5 },
    { tokens: [5], token_logprobs: [-1] },
    { tokens: ['a'], token_logprobs: [null] },
  ])('log probabilities of the form %j fail', async (logprobs) => {
    const { ask } = await open('vllm', {
      '/v1/completions': [{ choices: [{ index: 0, text: 'a', logprobs }] }, { choices: [ended] }],
    });
    expectError(await ask('completions', { prompt: 'a', logprobs: 0 }), 502, 'worker_failed');
  });
});
