import { once } from 'node:events';
import { createServer, request as httpRequest, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { toNodeListener } from '../../adapters/node.ts';
import type { CallOptions } from '../../src/contracts/run.ts';
import { createHandler } from '../../src/create-handler.ts';
import type { RunEnd } from '../../src/contracts/observer.ts';
import { InferenceError } from '../../src/errors.ts';
import { createInference } from '../../src/inference.ts';
import { createFakeInference } from '../../src/testing/fake-inference.ts';
import { limiterThatWrites } from './written-charges.ts';

const words = 'one two three four five six seven eight nine ten';
const prompt = { role: 'user', content: 'Count to ten, please' } as const;
const promptTokens = 4;
const asked = { model: 'fake-chat', messages: [prompt], stream: true };
const headers = { authorization: 'Bearer k', 'content-type': 'application/json' };

/** A handler whose charges are written down. */
function metered(inference: Parameters<typeof createHandler>[0]) {
  const charges: number[] = [];
  const limiter = limiterThatWrites(charges);
  const plans = { free: { quota: { tokens: 1e6, perSeconds: 60 } } };
  const auth = { keys: [{ key: 'k', plan: 'free' }] };
  const handler = createHandler(inference, { auth, plans, limiter });
  const send = (signal = new AbortController().signal) =>
    handler({ method: 'POST', url: '/v1/chat/completions', headers, body: { parsed: asked }, signal });
  const open = async () => {
    const response = await send();
    expect(response.status).toBe(200);
    return (response.body as AsyncIterable<string>)[Symbol.asyncIterator]();
  };
  return { handler, charges, send, open };
}

/** An inference that plays these events. */
const playing = (play: () => AsyncGenerator<any>) => ({ ...createFakeInference(), run: play });
const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms).unref());
const contentOf = (frames: string): string =>
  [...frames.matchAll(/"content":"([^"]*)"/g)].map(([, text]) => text).join('');
const countWords = (text: string): number => text.split(' ').filter(Boolean).length;

describe('a client that leaves a stream', () => {
  it.each([1, 3, 5, 9])('after at least %i tokens pays its prompt and all it was sent', async (enough) => {
    const { open, charges } = metered(createFakeInference({ reply: { text: words, delayMs: 2 } }));
    const pieces = await open();
    let text = '';
    while (countWords(text) < enough) text += contentOf((await pieces.next()).value as string);
    await pieces.return!();
    expect(charges).toEqual([promptTokens + countWords(text)]);
  });

  it('pays for no token that it was not sent, however far ahead the model is', async () => {
    const { open, charges } = metered(createFakeInference({ reply: { text: words } }));
    const pieces = await open();
    await pause(50);
    await pieces.return!();
    // The answer was complete by then.
    expect(charges).toEqual([promptTokens + 10]);
    const endless = playing(async function* () {
      yield { type: 'prompt-end', promptTokens };
      for (let word = 0; word < 10; word++) yield { type: 'text-delta', choice: 0, text: 'word ' };
      await pause(60_000);
    });
    const second = metered(endless);
    const unread = await second.open();
    await pause(50);
    await unread.return!();
    expect(second.charges).toEqual([promptTokens]);
  });

  it('pays for a prompt that is being computed', async () => {
    const slow = {
      ...createFakeInference(),
      async *run(_category: string, _request: unknown, { signal }: CallOptions = {}): AsyncGenerator<any> {
        yield { type: 'prompt-start', promptTokens: 321 };
        await once(signal!, 'abort');
        throw new Error('aborted');
      },
    };
    const { send, charges } = metered(slow);
    const controller = new AbortController();
    const answer = send(controller.signal);
    await pause(20);
    controller.abort();
    await answer;
    await expect.poll(() => charges).toEqual([321]);
  });

  it('by closing its connection pays too', async () => {
    const { handler, charges } = metered(createFakeInference({ reply: { text: words, delayMs: 15 } }));
    const server = createServer(toNodeListener(handler)).listen(0, '127.0.0.1');
    onTestFinished(() => void server.close());
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const path = '/v1/chat/completions';
    const request = httpRequest({ port, host: '127.0.0.1', method: 'POST', path, headers });
    request.on('error', () => undefined);
    request.end(JSON.stringify(asked));
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    let text = '';
    try {
      for await (const chunk of response) {
        text += contentOf(String(chunk));
        if (countWords(text) >= 3) break;
      }
    } catch {
      // Its own end.
    }
    request.destroy();
    await expect.poll(() => charges).toHaveLength(1);
    // A word may be on its way while the connection closes.
    expect([0, 1]).toContain(charges[0]! - promptTokens - countWords(text));
  });
});

describe('a deadline', () => {
  it('is no refund: a quota of ten requests serves ten, however short they are', async () => {
    const inference = createInference({ models: { it: { source: 'tiny-chat' } }, isolation: 'inline' });
    onTestFinished(() => inference.close({ graceMs: 0 }));
    await inference.load('it');
    const plans = { free: { quota: { requests: 10, perSeconds: 3600 } } };
    const handler = createHandler(inference, { auth: { keys: [{ key: 'k', plan: 'free' }] }, plans });
    const statuses: number[] = [];
    for (let request = 0; request < 30; request++) {
      // From before the first token to some tokens later.
      const timed = { ...headers, 'x-request-timeout': String(0.001 + (request % 10) / 400) };
      const body = { parsed: { ...asked, model: 'it', max_tokens: 100 } };
      const { signal } = new AbortController();
      const answer = await handler({
        method: 'POST',
        url: '/v1/chat/completions',
        headers: timed,
        body,
        signal,
      });
      statuses.push(answer.status);
      if (typeof answer.body === 'string') continue;
      const pieces = (answer.body as AsyncIterable<string>)[Symbol.asyncIterator]();
      while (!(await pieces.next()).done);
    }
    expect(statuses.slice(0, 10)).not.toContain(403);
    expect(statuses.slice(10)).toEqual(Array.from({ length: 20 }, () => 403));
  });

  it('charges for all that waited for a slow reader', async () => {
    const { open, charges } = metered(
      playing(async function* () {
        yield { type: 'prompt-end', promptTokens };
        for (let word = 0; word < 10; word++) yield { type: 'text-delta', choice: 0, text: 'word ' };
        await pause(5);
        throw new InferenceError('deadline_exceeded', 'Late.');
      }),
    );
    const pieces = await open();
    await pause(50);
    expect(charges).toEqual([]);
    let frames = '';
    for (let piece = await pieces.next(); !piece.done; piece = await pieces.next()) frames += piece.value;
    expect(frames).toContain('deadline_exceeded');
    expect(charges).toEqual([promptTokens + countWords(contentOf(frames))]);
    expect(countWords(contentOf(frames))).toBe(10);
  });
});

it('deltas that were joined on their way count all their tokens', async () => {
  const joined = playing(async function* () {
    yield { type: 'prompt-end', promptTokens: 7 };
    for (let piece = 0; piece < 3; piece++) {
      yield { type: 'text-delta', choice: 0, text: 'several words', tokens: 40 };
      await pause(5);
    }
    await pause(60_000);
  });
  const { open, charges } = metered(joined);
  const pieces = await open();
  let frames = '';
  while (frames.split('several words').length < 4) frames += (await pieces.next()).value as string;
  await pieces.return!();
  expect(charges).toEqual([7 + 120]);
});

describe('tiny-chat at full speed, in process', () => {
  const messages = [{ role: 'user', content: 'Describe a scene with three shapes.' }] as const;
  const open = (ends: RunEnd[]) => {
    const inference = createInference({
      models: { it: { source: 'tiny-chat' } },
      isolation: 'inline',
      observers: [{ onRunEnd: (_run, end) => void ends.push(end) }],
    });
    onTestFinished(() => inference.close({ graceMs: 0 }));
    return inference;
  };

  it.each([1, 4, 8])('left after %i deltas costs its prompt and the tokens of those', async (deltas) => {
    const ends: RunEnd[] = [];
    let [seen, outputTokens, inputTokens] = [0, 0, 0];
    for await (const event of open(ends).chat({ model: 'it', messages, seed: 1 })) {
      if (event.type === 'prompt-end') inputTokens = event.promptTokens;
      if (event.type !== 'text-delta') continue;
      outputTokens += event.tokens ?? 1;
      if (++seen === deltas) break;
    }
    await expect.poll(() => ends).toHaveLength(1);
    expect(ends[0]!.error?.code).toBe('cancelled');
    expect(ends[0]!.usage).toMatchObject({ inputTokens, outputTokens });
  });

  it('tokens of deltas add up to the usage', async () => {
    let [deltas, tokens, completionTokens] = [0, 0, 0];
    for await (const event of open([]).chat({ model: 'it', messages, seed: 3, maxTokens: 12 })) {
      if (event.type === 'text-delta') {
        tokens += event.tokens ?? 1;
        deltas += 1;
      }
      if (event.type === 'usage') ({ completionTokens } = event);
    }
    expect(deltas).toBeGreaterThan(5);
    expect(tokens).toBe(completionTokens);
  });
});
