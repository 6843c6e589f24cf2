import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { toNodeListener } from '../../dist/adapters/node.js';
import { createHandler, createInference, chat, embedding, remote } from '../../dist/src/index.js';
import { createFakeInference, type FakeInferenceOptions } from '../../dist/src/entries/testing.js';
import type { ChatEvent } from '../../src/categories/chat/events.ts';
import { toModelParameters } from '../../src/loading/model-parameters.ts';
import type { ApiServer } from '../../src/backends/openai/server.ts';
import { json, scriptedServer, type Answer } from './scripted-server.ts';

const messages = [{ role: 'user', content: 'Hello' }] as const;

/** A whole second service after HTTP. */
async function secondService(options: FakeInferenceOptions) {
  const models = [{ id: 'fake-chat' }, { id: 'fake-embed', category: 'embedding' }] as const;
  const inference = createFakeInference({ models, ...options });
  const server = createServer(toNodeListener(createHandler(inference, { auth: { keys: ['key'] } })));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const baseURL = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  return { inference, baseURL };
}

function openInference(server: Omit<ApiServer, 'kind'>, limits: { deadlineMs?: number } = {}) {
  const inference = createInference({
    models: {
      chatter: chat({ source: 'fake-chat', backend: remote.openai(server), ...limits }),
      embedder: embedding({ source: 'fake-embed', backend: remote.openai(server) }),
    },
  });
  onTestFinished(() => inference.close());
  return inference;
}

async function collect(events: AsyncIterable<ChatEvent>): Promise<ChatEvent[]> {
  const all: ChatEvent[] = [];
  for await (const event of events) all.push(event);
  return all;
}

const textOf = (events: readonly ChatEvent[]) =>
  events.map((event) => (event.type === 'text-delta' ? event.text : '')).join('');

describe('a chat model on another slashv1', () => {
  it('answers as the model itself', async () => {
    const { inference: far, baseURL } = await secondService({
      reply: { reasoning: 'Let me think.', text: 'Hello there, friend' },
    });
    const near = openInference({ baseURL, apiKey: 'key', dialect: 'slashv1' });
    const request = {
      model: 'chatter',
      messages,
      n: 2,
      topK: 40,
      mirostatMode: 2,
      seed: 7,
      logprobs: true,
    } as const;
    const events = await collect(near.chat(request));
    const expected = await collect(far.chat({ ...request, model: 'fake-chat' }));
    // The wire tells how long the prompt is at the end, and joins the log probabilities with the text.
    const byChoice = (all: readonly ChatEvent[], choice: number) =>
      ['reasoning-delta', 'text-delta', 'logprobs', 'choice-end'].map((type) =>
        all
          .filter((event) => event.type === type && 'choice' in event && event.choice === choice)
          .flatMap<unknown>((event) =>
            'text' in event ? event.text : 'tokens' in event ? event.tokens : 'end',
          ),
      );
    for (const choice of [0, 1]) {
      const [reasoning, text, logprobs, end] = byChoice(events, choice);
      const wanted = byChoice(expected, choice);
      expect(reasoning!.join('')).toBe(wanted[0]!.join(''));
      expect(text!.join('')).toBe(wanted[1]!.join(''));
      expect(logprobs).toEqual(wanted[2]);
      expect(end).toEqual(wanted[3]);
    }
    expect(events.at(-1)).toEqual(expected.at(-1));
    expect(far.requests[0]).toEqual({ ...far.requests[1], model: 'fake-chat' });
  });

  it('calls tools, whole conversations included', async () => {
    const { inference: far, baseURL } = await secondService({
      reply: { toolCalls: [{ name: 'get_weather', arguments: { city: 'Rome' } }] },
    });
    const near = openInference({ baseURL, apiKey: 'key', dialect: 'slashv1' });
    const request = {
      model: 'chatter',
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'Weather in Paris and Rome?' },
        {
          role: 'assistant',
          content: null,
          reasoningContent: 'Paris first.',
          toolCalls: [{ id: 'a', name: 'get_weather', arguments: '{"city":"Paris"}' }],
        },
        { role: 'tool', toolCallId: 'a', content: 'sunny' },
      ],
      tools: [
        { name: 'get_weather', parameters: { type: 'object', properties: { city: { type: 'string' } } } },
      ],
      toolChoice: 'required',
      parallelToolCalls: false,
      stop: ['END'],
      logitBias: new Map([[5, -2]]),
    } as const;
    const events = await collect(near.chat(request));
    const [start, ...others] = events.filter(({ type }) => type.startsWith('tool-call'));
    expect(start).toMatchObject({ name: 'get_weather', call: 0, choice: 0 });
    const written = others.map((event) => (event.type === 'tool-call-delta' ? event.arguments : '')).join('');
    expect(JSON.parse(written)).toEqual({ city: 'Rome' });
    expect(events.find(({ type }) => type === 'choice-end')).toMatchObject({ finishReason: 'tool_calls' });
    await collect(far.chat({ ...request, model: 'fake-chat' }));
    expect(far.requests[0]).toEqual(far.requests[1]);
  });

  it('is left when its caller leaves', async () => {
    const { inference: far, baseURL } = await secondService({
      reply: { text: 'one two three four five six', delayMs: 20 },
    });
    const near = openInference({ baseURL, apiKey: 'key' });
    for await (const event of near.chat({ model: 'chatter', messages }))
      if (event.type === 'text-delta') break;
    await expect.poll(() => far.cancelled).toBe(1);
    expect(near.status()[0]).toMatchObject({ state: 'ready', running: 0 });
  });

  it('embeds', async () => {
    const { inference: far, baseURL } = await secondService({
      models: [{ id: 'fake-embed', category: 'embedding' }],
    });
    const near = openInference({ baseURL, apiKey: 'key', dialect: 'slashv1' });
    const input = ['a cat', 'a dog'];
    expect(await near.embed({ model: 'embedder', input, truncate: true })).toEqual(
      await far.embed({ model: 'fake-embed', input, truncate: true }),
    );
    const ids = [[1, 2, 3], [4]];
    await expect(near.embed({ model: 'embedder', input: ids })).rejects.toMatchObject({ param: 'input' });
    const backend = remote.openai({ baseURL, apiKey: 'key' });
    const ofIds = createInference({
      models: { embedder: embedding({ source: 'fake-embed', backend, tokenIds: true }) },
    });
    onTestFinished(() => ofIds.close());
    expect(await ofIds.embed({ model: 'embedder', input: ids })).toEqual(
      await far.embed({ model: 'fake-embed', input: ids }),
    );
  });

  it('tells how long its context is', async () => {
    const { inference: far, baseURL } = await secondService({});
    const near = openInference({ baseURL, apiKey: 'key' });
    await near.ready();
    expect(near.models()[0]!.contextLength).toBe(far.models()[0]!.contextLength);
  });
});

const chunk = (delta: object, finish_reason: string | null = null, index = 0) =>
  `data: ${JSON.stringify({ choices: [{ index, delta, finish_reason }] })}\n\n`;

/** Answers every chat with these pieces of a stream. */
const streaming =
  (...pieces: readonly string[]): Answer =>
  async (_asked, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const piece of pieces) {
      response.write(piece);
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    response.end();
  };

async function ask(answer: Answer, options: Partial<ApiServer> = {}, request: object = {}) {
  const { origin, asked } = await scriptedServer((one, response) =>
    one.url.endsWith('/models') ? json(response, { data: [] }) : answer(one, response),
  );
  const near = openInference({ baseURL: `${origin}/v1/`, ...options });
  const run = () => collect(near.chat({ model: 'chatter', messages, ...request }));
  const body = () => JSON.parse(String(asked.at(-1)!.body)) as Record<string, unknown>;
  return { run, body, asked };
}

describe('a chat model on a server of another kind', () => {
  const plain = streaming(
    chunk({ role: 'assistant', content: '' }),
    chunk({ content: 'Hi' }),
    chunk({}, 'stop'),
    'data: [DONE]\n\n',
  );

  it('is sent what its server knows, under the names there', async () => {
    const vllm = await ask(plain, { dialect: 'vllm' }, { topK: 5, repeatPenalty: 1.2, maxTokens: 9 });
    await vllm.run();
    expect(vllm.body()).toMatchObject({ top_k: 5, repetition_penalty: 1.2, max_tokens: 9 });
    const llama = await ask(plain, { dialect: 'llama-server' }, { mirostatMode: 1, repeatPenalty: 1.2 });
    await llama.run();
    expect(llama.body()).toMatchObject({ mirostat: 1, repeat_penalty: 1.2 });
  });

  it.each(['openai', 'vllm', 'llama-server', 'slashv1'] as const)(
    'leaves to %s what its caller left out',
    async (dialect) => {
      const { run, body } = await ask(plain, { dialect });
      await run();
      const { model, stream, ...others } = body();
      expect([model, stream]).toEqual(['fake-chat', true]);
      const counting = dialect === 'llama-server' ? ['timings_per_token'] : [];
      expect(Object.keys(others).sort()).toEqual(['messages', 'stream_options', ...counting]);
    },
  );

  it('is sent the defaults of its settings and the extra fields, under what its caller gave', async () => {
    const { origin, asked } = await scriptedServer((one, response) =>
      one.url.endsWith('/models') ? json(response, { data: [] }) : plain(one, response),
    );
    const backend = remote.openai({
      baseURL: `${origin}/v1`,
      extraBody: { user: 'us', temperature: 2, stream: false },
    });
    const near = createInference({
      models: { chatter: chat({ source: 'm', backend, defaults: { temperature: 0.2, maxTokens: 5 } }) },
    });
    onTestFinished(() => near.close());
    await collect(near.chat({ model: 'chatter', messages, maxTokens: 7 }));
    const sent = JSON.parse(String(asked.at(-1)!.body));
    expect(sent).toMatchObject({ user: 'us', temperature: 0.2, max_tokens: 7, stream: true });
    const { parameters } = toModelParameters(near.models()[0]!);
    expect([parameters['temperature']?.default, parameters['max_tokens']?.default]).toEqual([0.2, 5]);
    expect(parameters['top_p']).not.toHaveProperty('default', expect.anything());
    expect(parameters['n']?.default).toBe(1);
  });

  it('is sent max_completion_tokens once its server wants that', async () => {
    const message = "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.";
    const { run, asked } = await ask(
      (one, response) =>
        'max_tokens' in JSON.parse(String(one.body))
          ? json(response, { error: { message } }, 400)
          : plain(one, response),
      {},
      { maxTokens: 3 },
    );
    await run();
    await run();
    const bodies = asked.filter(({ url }) => url.endsWith('/completions')).map(({ body }) => String(body));
    expect(bodies.map((body) => /"(max\w+)":3/.exec(body)?.[1])).toEqual([
      'max_tokens',
      'max_completion_tokens',
      'max_completion_tokens',
    ]);
  });

  it.each([
    ['openai', { reasoningEffort: 'low' }, { reasoning_effort: 'low' }],
    ['openai', { chatTemplateKwargs: { custom: 1 } }, { chat_template_kwargs: { custom: 1 } }],
    ['vllm', { enableThinking: false }, { chat_template_kwargs: { enable_thinking: false } }],
    [
      'vllm',
      { chatTemplateKwargs: { custom: 1 }, enableThinking: false },
      { chat_template_kwargs: { custom: 1, enable_thinking: false } },
    ],
    ['vllm', { documents: [{ text: 'x' }] }, { documents: [{ text: 'x' }] }],
    ['vllm', { stop: 'a', includeStopStrInOutput: true }, { include_stop_str_in_output: true }],
    [
      'vllm',
      { minTokens: 2, ignoreEos: true, stopTokenIds: [5], badWords: ['a'] },
      { min_tokens: 2, ignore_eos: true, stop_token_ids: [5], bad_words: ['a'] },
    ],
    ['vllm', { allowedTokenIds: [5, 6] }, { allowed_token_ids: [5, 6] }],
    ['llama-server', { ignoreEos: true, repeatLastN: 20 }, { ignore_eos: true, repeat_last_n: 20 }],
    ['llama-server', { reasoningEffort: 'low' }, { chat_template_kwargs: { reasoning_effort: 'low' } }],
    ['vllm', { responseFormat: { type: 'regex', regex: 'a+' } }, { structured_outputs: { regex: 'a+' } }],
    [
      'slashv1',
      { responseFormat: { type: 'choice', choices: ['a'] } },
      { structured_outputs: { choice: ['a'] } },
    ],
    [
      'llama-server',
      { responseFormat: { type: 'choice', choices: ['a', '"\b\\b'] } },
      { grammar: String.raw`root ::= "a" | "\"\u0008\\b"` },
    ],
    [
      'llama-server',
      { responseFormat: { type: 'grammar', grammar: 'root ::= "a"' } },
      { grammar: 'root ::= "a"' },
    ],
    [
      'vllm',
      { responseFormat: { type: 'grammar', grammar: 'start: "a"' } },
      { structured_outputs: { grammar: 'start: "a"' } },
    ],
    [
      'slashv1',
      { enableThinking: false, truncatePromptTokens: 9 },
      { enable_thinking: false, truncate_prompt_tokens: 9 },
    ],
  ] as const)('is sent by %s about prompts: %o', async (dialect, request, expected) => {
    const { run, body } = await ask(plain, { dialect }, request);
    await run();
    expect(body()).toMatchObject(expected);
  });

  it.each([
    ['openai', { enableThinking: false }, 'enable_thinking'],
    ['openai', { documents: [{ text: 'x' }] }, 'documents'],
    ['openai', { truncatePromptTokens: 5 }, 'truncate_prompt_tokens'],
    ['llama-server', { includeStopStrInOutput: true }, 'include_stop_str_in_output'],
    ['openai', { responseFormat: { type: 'choice', choices: ['a'] } }, 'response_format'],
    ['llama-server', { responseFormat: { type: 'regex', regex: 'a' } }, 'response_format'],
    ['llama-server', { responseFormat: { type: 'grammar', grammar: 'start: "a"' } }, 'response_format'],
    ['llama-server', { minTokens: 2 }, 'min_tokens'],
    ['openai', { stopTokenIds: [5] }, 'stop_token_ids'],
    ['openai', { ignoreEos: true }, 'ignore_eos'],
    ['vllm', { repeatLastN: 20 }, 'repeat_last_n'],
    ['openai', { topK: 5 }, 'top_k'],
    ['openai', { mirostatTau: 3 }, 'mirostat_tau'],
    ['vllm', { tfsZ: 0.5 }, 'tfs_z'],
    ['llama-server', { tfsZ: 0.5 }, 'tfs_z'],
    ['llama-server', { penalizePrompt: true }, 'penalize_prompt'],
    ['vllm', { dryMultiplier: 0.8 }, 'dry_multiplier'],
    ['openai', { drySequenceBreakers: [] }, 'dry_sequence_breakers'],
    ['vllm', { xtcProbability: 0.5 }, 'xtc_probability'],
    ['openai', { topNSigma: 1 }, 'top_n_sigma'],
    ['vllm', { dynatempRange: 0.5 }, 'dynatemp_range'],
  ] as const)('refuses on %s what its server would ignore: %o', async (dialect, request, param) => {
    const { run } = await ask(plain, { dialect }, request);
    await expect(run()).rejects.toMatchObject({ code: 'invalid_request', param });
  });

  it('takes neutral values of what its server lacks', async () => {
    const { run } = await ask(
      plain,
      {},
      {
        topK: 0,
        minP: 0,
        repeatPenalty: 1,
        typicalP: 1,
        topNSigma: 0,
        drySequenceBreakers: ['\n', ':', '"', '*'],
      },
    );
    expect(textOf(await run())).toBe('Hi');
  });

  it('is described without what its server lacks', async () => {
    const { baseURL } = await secondService({});
    const namesOn = async (dialect: ApiServer['dialect']) => {
      const near = openInference({ baseURL, apiKey: 'key', dialect });
      await near.ready();
      return near.models().flatMap((model) => Object.keys(toModelParameters(model).parameters));
    };
    const same = await namesOn('slashv1');
    const lost = (all: readonly string[]) => same.filter((name) => !all.includes(name));
    expect(same).toEqual(expect.arrayContaining(['top_k', 'tfs_z', 'truncate']));
    expect(lost(await namesOn('vllm'))).toEqual([
      'dynatemp_range',
      'dynatemp_exponent',
      'repeat_last_n',
      'dry_multiplier',
      'dry_base',
      'dry_allowed_length',
      'dry_penalty_last_n',
      'top_n_sigma',
      'tfs_z',
      'typical_p',
      'xtc_probability',
      'xtc_threshold',
      'mirostat_mode',
      'mirostat_tau',
      'mirostat_eta',
      'penalize_prompt',
      'truncate',
      'prompt_name',
    ]);
    expect(lost(await namesOn('openai'))).toEqual(
      expect.arrayContaining(['top_k', 'min_p', 'repeat_penalty']),
    );
  });

  it('calls tools however its server numbers them', async () => {
    const call = (head: object, name: string, written: string) =>
      chunk({ tool_calls: [{ ...head, function: { name, arguments: written } }] });
    const { run } = await ask(
      streaming(
        call({ id: 'x' }, 'get_time', '{"city":'),
        chunk({ tool_calls: [{ function: { arguments: '"Rome"}' } }] }),
        call({ id: 'y' }, 'get_weather', '{}'),
        call({ id: 'z', index: 4_000_000_000 }, 'stop', '{}'),
        chunk({}, 'tool_calls'),
        'data: [DONE]\n\n',
      ),
    );
    const events = await run();
    const startsAndPieces = events.flatMap((event) => {
      if (event.type === 'tool-call-start') return [[event.call, event.id, event.name]];
      return event.type === 'tool-call-delta' ? [[event.call, event.arguments]] : [];
    });
    expect(startsAndPieces).toEqual([
      [0, 'x', 'get_time'],
      [0, '{"city":'],
      [0, '"Rome"}'],
      [1, 'y', 'get_weather'],
      [1, '{}'],
      [2, 'z', 'stop'],
      [2, '{}'],
    ]);
  });

  it.each([1, -1, 0.5, 4_000_000_000])('fails where it answers as choice %d of one', async (index) => {
    const { run } = await ask(streaming(chunk({ content: 'Hi' }, null, index), chunk({}, 'stop', index)));
    await expect(run()).rejects.toMatchObject({ code: 'worker_failed' });
  });

  it('sends key and headers', async () => {
    const { run, asked } = await ask(plain, { apiKey: 'secret', headers: { 'x-tenant': 'blue' } });
    await run();
    expect(asked.at(-1)).toMatchObject({
      url: '/v1/chat/completions',
      headers: { authorization: 'Bearer secret', 'x-tenant': 'blue' },
    });
  });

  it('is read however its stream is cut', async () => {
    const whole =
      chunk({ reasoning: 'Hm. ' }) +
      chunk({ content: 'Grüße 🎈' }) +
      chunk({}, 'length') +
      'data: [DONE]\n\n';
    const bytes = Buffer.from(whole);
    const { run } = await ask(async (_asked, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      for (let at = 0; at < bytes.length; at += 7) {
        response.write(bytes.subarray(at, at + 7));
        await new Promise((resolve) => setImmediate(resolve));
      }
      response.end();
    });
    const events = await run();
    expect(events).toContainEqual({ type: 'reasoning-delta', choice: 0, text: 'Hm. ' });
    expect(textOf(events)).toBe('Grüße 🎈');
    expect(events.at(-2)).toEqual({ type: 'choice-end', choice: 0, finishReason: 'length' });
    // Nothing was counted there, so bytes are: 16 of the answer, 5 of the prompt and its frame.
    expect(events.at(-1)).toMatchObject({ type: 'usage', promptTokens: 6, completionTokens: 4 });
  });

  it.each([
    [
      400,
      { error: { message: 'bad', param: 'max_tokens' } },
      {
        code: 'invalid_request',
        param: 'max_tokens',
        message: 'max_tokens: the server that runs this model refuses it: bad.',
        cause: new Error('bad'),
      },
    ],
    [
      422,
      { error: { message: 'max_tokens must be odd at /srv/llama.py' } },
      { param: 'max_tokens', message: 'max_tokens: the server that runs this model refuses it.' },
    ],
    [
      400,
      { error: { message: 'n must be 1 when using greedy sampling, got 2.' } },
      {
        param: 'n',
        message:
          'n: the server that runs this model refuses it: n must be 1 when using greedy sampling, got 2.',
      },
    ],
    ...[
      'it is on gpu-1.local',
      'see /srv',
      'key sk-0123456789abcdef0123456789',
      'fake-chat has no such',
      'a@b',
    ].map((message): [number, object, object] => [
      400,
      { error: { message, param: 'max_tokens' } },
      { message: 'max_tokens: the server that runs this model refuses it.', cause: new Error(message) },
    ]),
    [
      500,
      { error: { code: 500, message: 'image input is not supported - hint: you may need the mmproj' } },
      {
        code: 'unsupported_feature',
        param: 'messages',
        message: 'messages: the model takes no pictures.',
      },
    ],
    [400, { message: 'm is not a multimodal model' }, { code: 'unsupported_feature', param: 'messages' }],
    [
      400,
      { error: { message: 'fake-chat on gpu-1 refuses it', param: 'gpu-1' } },
      {
        param: undefined,
        message: 'The server that runs this model refuses the request.',
        cause: new Error('fake-chat on gpu-1 refuses it'),
      },
    ],
    [
      400,
      { error: { message: 'too long', code: 'context_length_exceeded' } },
      { code: 'context_length_exceeded' },
    ],
    [
      401,
      { error: 'no such key' },
      { code: 'worker_failed', message: 'The remote server answered 401.', cause: new Error('no such key') },
    ],
    [
      404,
      { message: 'no such model' },
      {
        code: 'worker_failed',
        message: 'The remote server answered 404.',
        cause: new Error('no such model'),
      },
    ],
    [
      400,
      { message: "This model's maximum context length is 4096 tokens." },
      { code: 'context_length_exceeded', param: 'messages' },
    ],
    [
      400,
      { error: { type: 'exceed_context_size_error', message: 'x' } },
      { code: 'context_length_exceeded' },
    ],
    [
      500,
      { error: { code: 500, type: 'server_error', message: 'input is too large to process.' } },
      { code: 'context_length_exceeded', param: 'messages' },
    ],
    [
      400,
      { error: { message: 'litellm.ContextWindowExceededError: This model has …', code: '400' } },
      { code: 'context_length_exceeded' },
    ],
    [429, { error: { message: 'slow down' } }, { code: 'overloaded', retryAfterSeconds: 3 }],
    [500, undefined, { code: 'worker_failed' }],
  ])('turns %i %o into an error of this API', async (status, body, expected) => {
    const answer: Answer = (_asked, response) => {
      response.setHeader('retry-after', '3');
      json(response, body, status);
    };
    const { run } = await ask(answer, {}, { maxTokens: 5, n: 2 });
    await expect(run()).rejects.toMatchObject(expected);
  });

  it('keeps the words of another slashv1, with the name by which callers know the model', async () => {
    const message = 'logit_bias: fake-chat has no token 9.';
    const { run } = await ask((_asked, response) => json(response, { error: { message } }, 400), {
      dialect: 'slashv1',
    });
    await expect(run()).rejects.toMatchObject({ message: 'logit_bias: chatter has no token 9.' });
  });

  it.each([
    [
      'an error',
      [chunk({ content: 'Hi' }), 'data: {"error":{"message":"out of memory"}}\n\n'],
      'answered with an error',
    ],
    ['nothing', [chunk({ content: 'Hi' })], 'broke off'],
    ['an answer without an end', [chunk({ content: 'Hi' }), 'data: [DONE]\n\n'], 'too early'],
    ['no JSON', ['data: {"choices":\n\n'], 'is not JSON'],
  ])('fails where its stream ends with %s', async (_name, pieces, message) => {
    const { run } = await ask(streaming(...pieces));
    await expect(run()).rejects.toMatchObject({
      code: 'worker_failed',
      message: expect.stringContaining(message),
    });
  });

  it('ends the choices whose ends a gateway drops', async () => {
    const call = { tool_calls: [{ index: 0, id: 'a', function: { name: 'look', arguments: '{}' } }] };
    const { run } = await ask(
      streaming(
        chunk({ content: 'Hi' }),
        chunk({ content: 'Ho' }, null, 1),
        chunk(call, null, 2),
        chunk({}, 'stop'),
        'data: [DONE]\n\n',
      ),
      {},
      { n: 3 },
    );
    const ends = (await run()).filter(({ type }) => type === 'choice-end');
    expect(ends).toEqual([
      { type: 'choice-end', choice: 0, finishReason: 'stop' },
      { type: 'choice-end', choice: 1, finishReason: 'stop' },
      { type: 'choice-end', choice: 2, finishReason: 'tool_calls' },
    ]);
  });

  it.each([
    [
      400,
      {
        code: 'invalid_request',
        param: 'temperature',
        message: 'temperature: the server that runs this model refuses it: too hot.',
      },
    ],
    ['400', { code: 'invalid_request' }],
    [429, { code: 'overloaded' }],
    [401, { code: 'worker_failed', message: 'The remote server answered 401.' }],
  ])('takes the status that a stream of status 200 tells: %s', async (code, expected) => {
    const error = { code, message: 'too hot', param: 'temperature' };
    const { run } = await ask(streaming(`data: ${JSON.stringify({ error })}\n\n`), {}, { temperature: 1.9 });
    await expect(run()).rejects.toMatchObject(expected);
  });

  it('follows no redirection, which would take its key along', async () => {
    const { run, asked } = await ask((_asked, response) => {
      response.writeHead(307, { location: '/v1/elsewhere' }).end();
    });
    await expect(run()).rejects.toMatchObject({ code: 'worker_failed' });
    expect(asked.map(({ url }) => url)).not.toContain('/v1/elsewhere');
  });

  it('fails where nobody listens, and the service lives', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    server.close();
    await once(server, 'close');
    const near = openInference({ baseURL: `http://127.0.0.1:${port}/v1` });
    await near.ready();
    await expect(collect(near.chat({ model: 'chatter', messages }))).rejects.toMatchObject({
      code: 'worker_failed',
      message: "The remote server can't be used: ECONNREFUSED.",
    });
  });

  it('ends at the deadline where its server says nothing', async () => {
    const { origin } = await scriptedServer((one, response) => {
      if (one.url.endsWith('/models')) json(response, { data: [] });
    });
    const near = openInference({ baseURL: `${origin}/v1` }, { deadlineMs: 100 });
    await expect(collect(near.chat({ model: 'chatter', messages }))).rejects.toMatchObject({
      code: 'deadline_exceeded',
    });
  });
});

describe('embeddings of a server of another kind', () => {
  const embedWith = async (answer: unknown, request: object = {}) => {
    const { origin } = await scriptedServer((_asked, response) => json(response, answer));
    const near = openInference({ baseURL: `${origin}/v1` });
    return near.embed({ model: 'embedder', input: ['a', 'b'], ...request });
  };

  it('are put in order, whether they are numbers or base64', async () => {
    const base64 = Buffer.from(Float32Array.of(3, 4).buffer).toString('base64');
    const data = [
      { index: 1, embedding: base64 },
      { index: 0, embedding: [1, 2] },
    ];
    const { embeddings, promptTokens } = await embedWith({ data, usage: { prompt_tokens: 5 } });
    expect(embeddings).toEqual([Float32Array.of(1, 2), Float32Array.of(3, 4)]);
    expect(promptTokens).toBe(5);
  });

  it.each([
    { data: [{ index: 0, embedding: [1] }] },
    { data: [{ embedding: [1] }, { embedding: [] }] },
    { data: [null, { embedding: [1] }] },
    { data: 'none' },
    {},
    null,
    undefined,
  ])('fail where one is missing: %o', async (answer) => {
    await expect(embedWith(answer)).rejects.toMatchObject({ code: 'worker_failed' });
  });

  it('fail where their server ignores the dimensions', async () => {
    const data = [{ embedding: [1, 2, 3] }, { embedding: [1, 2, 3] }];
    await expect(embedWith({ data }, { dimensions: 2 })).rejects.toMatchObject({
      code: 'invalid_request',
      param: 'dimensions',
    });
    expect((await embedWith({ data }, { dimensions: 3 })).embeddings).toHaveLength(2);
  });

  it.each([
    [{ truncate: true }, 'truncate'],
    [{ promptName: 'query' }, 'prompt_name'],
  ])('refuse what the server would ignore: %o', async (request, param) => {
    await expect(embedWith({}, request)).rejects.toMatchObject({ code: 'invalid_request', param });
  });
});

describe('a server as it is set up', () => {
  const loading = async (answer: Answer, settings: Partial<ApiServer> = {}, source = 'm') => {
    const { origin } = await scriptedServer(answer);
    const backend = remote.openai({ baseURL: `${origin}/v1`, ...settings });
    const near = createInference({ models: { it: chat({ source, backend }) } });
    onTestFinished(() => near.close());
    return near;
  };
  const listing =
    (...data: readonly object[]): Answer =>
    (_asked, response) =>
      json(response, { data });

  it.each([
    ['a key that is refused', (_asked, response) => json(response, {}, 401), /refuses its key with 401/],
    ['a model that is not there', listing({ id: 'n' }), /has no model of this name/],
  ] as [string, Answer, RegExp][])('fails to load with %s', async (_name, answer, message) => {
    const near = await loading(answer);
    await expect(near.ready()).rejects.toThrow(message);
    expect(near.status()[0]!.state).toBe('failed');
  });

  it.each([
    ['llama-server', listing({ id: 'n' })],
    ['openai', listing({ id: 'openai/*' })],
    ['openai', (_asked, response) => json(response, {}, 404)],
  ] as [ApiServer['dialect'], Answer][])('may list other names: %s', async (dialect, answer) => {
    await (await loading(answer, { dialect })).ready();
  });

  it('tells the context of its slots', async () => {
    const near = await loading(
      ({ url }, response) =>
        json(
          response,
          url === '/props'
            ? { default_generation_settings: { n_ctx: 512 } }
            : { data: [{ id: 'm', meta: { n_ctx_train: 8192 } }] },
        ),
      { dialect: 'llama-server' },
    );
    await near.ready();
    expect(near.models()[0]!.contextLength).toBe(512);
  });

  it('is asked again once it comes up', async () => {
    let isUp = false;
    const near = await loading((_asked, response) =>
      json(response, { data: [{ id: 'm', max_model_len: 700 }] }, isUp ? 200 : 503),
    );
    await near.ready();
    expect(near.models()[0]!.contextLength).toBeUndefined();
    isUp = true;
    await expect.poll(() => near.models()[0]!.contextLength).toBe(700);
  });

  it('must know the parameters that its models have defaults for', async () => {
    const { origin } = await scriptedServer(listing());
    const backend = remote.openai({ baseURL: `${origin}/v1` });
    const near = createInference({ models: { it: chat({ source: 'm', backend, defaults: { topK: 5 } }) } });
    onTestFinished(() => near.close());
    await expect(near.ready()).rejects.toThrow(/defaults.topK/);
  });
});

describe('settings', () => {
  it('must be an address', () => {
    expect(() => remote.openai({ baseURL: 'gpu-1:8000/v1' })).toThrow(/baseURL: expected an http/);
    const secret = 'http://me:secret@gpu-1:8000';
    for (const refuse of [
      () => remote.openai({ baseURL: secret }),
      () => remote.kserve({ url: secret, model: 'a' }),
    ]) {
      expect(refuse).toThrow(/expected no user and password/);
      expect(refuse).not.toThrow(/secret/);
    }
  });

  it('are checked', () => {
    const baseURL = 'http://127.0.0.1:9/v1';
    expect(() => openInference({ baseURL, concurrency: 0 })).toThrow(
      'models.chatter.backend.concurrency: expected an integer of at least 1, got 0.',
    );
    expect(() => openInference({ baseURL, dialect: 'ollama' as 'vllm' })).toThrow(
      /models\.chatter\.backend\.dialect: expected/,
    );
  });
});
