import { request as httpRequest } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createParser } from 'eventsource-parser';
import { chat, type Inference } from '../../dist/src/index.js';
import { eventually, workersHere } from '../engine/processes.ts';
import { openaiClient, type Service } from './openai-client.ts';
import { openaiResponses } from './openai-responses.ts';
import { serve, type RunningService } from './serve.ts';

// The whole way: HTTP, handler, engine, a worker process and the bundled model.
const key = 'sk-of-a-test';
const maxQueue = 16;
let service: RunningService;
let inference: Inference;
let origin: string;

beforeAll(async () => {
  service = await serve(
    { 'tiny-chat': chat({ source: 'tiny-chat', maxQueue }) },
    { auth: { keys: [key] }, keepResponses: true },
  );
  ({ inference, origin } = service);
}, 120_000);

afterAll(() => service.close());

const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
const messages = [{ role: 'user', content: 'Describe a scene with two shapes.' }];

function complete(body: object): Promise<Response> {
  const json = JSON.stringify({ model: 'tiny-chat', messages, ...body });
  return fetch(`${origin}/v1/chat/completions`, { method: 'POST', headers, body: json });
}

/** A long answer: its end is forbidden. */
const endless = {
  max_tokens: 1500,
  seed: 1,
  temperature: 2,
  min_p: 0,
  logit_bias: { '0': -100, '1': -100, '2': -100 },
};

/** The data of all events of a stream. */
async function eventsOf(response: Response): Promise<string[]> {
  const events: string[] = [];
  const parser = createParser({ onEvent: ({ data }) => events.push(data) });
  parser.feed(await response.text());
  return events;
}

const isIdle = () =>
  eventually(() => expect(inference.status()).toMatchObject([{ running: 0, waiting: 0, state: 'ready' }]));

describe('the service', () => {
  it('answers with text and usage', async () => {
    const response = await complete({ seed: 1 });
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({
      object: 'chat.completion',
      model: 'tiny-chat',
      choices: [
        {
          index: 0,
          message: { role: 'assistant', content: expect.stringMatching(/\w/) },
          finish_reason: 'stop',
        },
      ],
      usage: { prompt_tokens: expect.any(Number), completion_tokens: expect.any(Number) },
    });
  });

  it('streams the same answer that it gives whole, up to [DONE]', async () => {
    const whole = (await (await complete({ seed: 3 })).json()) as {
      choices: { message: { content: string } }[];
    };
    const events = await eventsOf(await complete({ seed: 3, stream: true }));
    expect(events.at(-1)).toBe('[DONE]');
    const chunks = events
      .slice(0, -1)
      .map((data) => JSON.parse(data) as { choices: { delta: { content?: string } }[] });
    expect(chunks.map(({ choices }) => choices[0]?.delta.content ?? '').join('')).toBe(
      whole.choices[0]!.message.content,
    );
  });

  it('gives the same seeded answer alone and while other requests run', async () => {
    const ask = async () => {
      const { choices } = (await (await complete({ seed: 5, temperature: 2, min_p: 0, n: 2 })).json()) as {
        choices: object;
      };
      return choices;
    };
    const alone = await ask();
    const others = Promise.all(
      Array.from({ length: 5 }, () => complete({ max_tokens: 200, temperature: 2 })),
    );
    expect(await ask()).toEqual(alone);
    expect(await ask()).toEqual(alone);
    await others;
  });

  it('computes the prompt once for five choices', async () => {
    const usageOf = async (n: number) => {
      const { usage } = (await (await complete({ n, seed: 1, max_tokens: 3 })).json()) as {
        usage: { prompt_tokens: number; completion_tokens: number };
      };
      return usage;
    };
    const [one, five] = [await usageOf(1), await usageOf(5)];
    expect(five.prompt_tokens).toBe(one.prompt_tokens);
    expect(five.completion_tokens).toBe(15);
  });

  it('says that a conversation is too long for the context', async () => {
    const response = await complete({ messages: [{ role: 'user', content: 'a red circle '.repeat(5000) }] });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({
      error: { code: 'context_length_exceeded', param: 'messages' },
    });
  });

  it('refuses token ids outside of the vocabulary', async () => {
    const response = await complete({ logit_bias: { '9999999': 1 } });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: { param: 'logit_bias' } });
  });
});

describe('overload', () => {
  it('200 requests at once against a queue of 16: each is answered or refused, none hangs', async () => {
    const responses = await Promise.all(Array.from({ length: 200 }, () => complete({ max_tokens: 20 })));
    const counts = { 200: 0, 503: 0 } as Record<number, number>;
    for (const response of responses) {
      counts[response.status] = (counts[response.status] ?? 0) + 1;
      if (response.status === 503) expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
      await response.text();
    }
    expect(Object.keys(counts)).toEqual(['200', '503']);
    expect(counts[200]).toBeGreaterThanOrEqual(maxQueue);
    expect(counts[200]! + counts[503]!).toBe(200);
    await isIdle();
  }, 120_000);
});

describe('a client that goes', () => {
  it.each([true, false])('ends its generation (stream: %s)', async (stream) => {
    await new Promise<void>((resolve) => {
      const request = httpRequest(`${origin}/v1/chat/completions`, { method: 'POST', headers });
      request.on('error', () => resolve());
      request.on('response', (response) => {
        response.once('data', () => request.destroy());
        response.on('close', resolve);
      });
      request.end(JSON.stringify({ model: 'tiny-chat', messages, ...endless, stream }));
      if (!stream)
        void eventually(() => expect(inference.status()[0]!.running).toBe(1)).then(() => request.destroy());
    });
    await isIdle();
  });
});

describe('a worker that is killed amid a stream', () => {
  it(
    'fails that request cleanly; the next one is answered by a fresh worker',
    { timeout: 120_000 },
    async () => {
      const [victim] = workersHere();
      expect(victim).toBeGreaterThan(0);
      const response = await complete({ ...endless, stream: true });
      expect(response.status).toBe(200);
      const reader = response.body!.getReader();
      const decoder = new TextDecoder();
      let text = decoder.decode((await reader.read()).value);
      process.kill(victim!, 'SIGKILL');
      for (let part = await reader.read(); !part.done; part = await reader.read())
        text += decoder.decode(part.value);
      const last = text.trim().split('\n\n').at(-1)!;
      expect(JSON.parse(last.replace('data: ', ''))).toMatchObject({ error: { code: 'worker_failed' } });
      expect(text).not.toContain('[DONE]');
      await inference.ready();
      await isIdle();
      expect((await complete({ seed: 1 })).status).toBe(200);
      expect(workersHere()).not.toContain(victim);
    },
  );
});

// The client sets no seed; what it sends is made deterministic on its way, so that the test can't be unlucky.
const tested = (): Service => ({
  baseUrl: `${origin}/v1`,
  apiKey: key,
  model: 'tiny-chat',
  fetch: (url, init) => {
    if (typeof init?.body !== 'string') return fetch(url, init);
    const body = JSON.stringify({ ...(JSON.parse(init.body) as object), temperature: 0 });
    return fetch(url, { ...init, body });
  },
  question: 'Describe a scene with two shapes.',
  toolQuestion: 'What is the weather in Paris and the time in Tokyo?',
  idle: async () => {
    await isIdle();
  },
});
openaiClient(tested);
openaiResponses(tested);
