import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { InferenceError } from '../../src/errors.ts';
import type { ApiResponse } from '../../src/contracts/http.ts';
import { createHandler } from '../../src/create-handler.ts';
import { createEventStream, toFrame, type EventStream } from '../../src/http/sse.ts';
import { createFakeInference } from '../../src/testing/fake-inference.ts';
import type { FakeReply } from '../../src/testing/fake-chat.ts';
import { chatBody, eventsOf, expectError, send } from './support.ts';

const request = (signal = new AbortController().signal): Parameters<ReturnType<typeof createHandler>>[0] => ({
  method: 'POST',
  url: '/v1/chat/completions',
  headers: {},
  body: { parsed: chatBody({ stream: true }) },
  signal,
});

function serve(reply: FakeReply, onError = vi.fn()) {
  const inference = createFakeInference({ reply });
  return {
    inference,
    onError,
    handler: createHandler(inference, { auth: 'none', keepAliveMs: 1000, onError }),
  };
}

function reader({ body }: ApiResponse | EventStream): AsyncIterator<string> {
  return (body as AsyncIterable<string>)[Symbol.asyncIterator]();
}

/** In short steps: frames are sent at the end of a turn of the real event loop, for which one long step doesn't wait. */
async function pass(ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += 100) await vi.advanceTimersByTimeAsync(100);
}

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

describe('a stream of a chat', () => {
  it('keeps the status of a failure before the first event', async () => {
    const { handler } = serve({ error: new InferenceError('overloaded', 'Full.'), promptDelayMs: 999 });
    const answer = send(handler, { json: chatBody({ stream: true }) });
    await vi.advanceTimersByTimeAsync(999);
    expectError(await answer, 503, 'overloaded');
    expect(vi.getTimerCount()).toBe(0);
  });

  it('begins with comments when the first event takes long, and then tells a failure in the stream', async () => {
    const { handler, onError } = serve({
      error: new InferenceError('worker_failed', 'Gone.'),
      promptDelayMs: 2500,
    });
    const pending = handler(request());
    await vi.advanceTimersByTimeAsync(1000);
    const response = await pending;
    expect(response.status).toBe(200);
    const stream = reader(response);
    expect((await stream.next()).value).toBe(': keep-alive\n\n');
    const second = stream.next();
    await vi.advanceTimersByTimeAsync(1000);
    expect((await second).value).toBe(': keep-alive\n\n');
    const third = stream.next();
    await vi.advanceTimersByTimeAsync(500);
    expect(eventsOf((await third).value)).toEqual([
      {
        error: {
          message: expect.stringMatching(/^Gone\. Request id: req_\w+\.$/) as string,
          type: 'server_error',
          param: null,
          code: 'worker_failed',
        },
      },
    ]);
    expect((await stream.next()).done).toBe(true);
    expect(onError).toHaveBeenCalledOnce();
    expect(vi.getTimerCount()).toBe(0);
  });

  it('comments on silence between events, not otherwise', async () => {
    const { handler } = serve({ text: 'one two three', delayMs: 900 });
    const answer = send(handler, { json: chatBody({ stream: true }) });
    await pass(10_000);
    expect((await answer).text).not.toContain('keep-alive');

    const slow = send(serve({ text: 'one two', delayMs: 1500 }).handler, {
      json: chatBody({ stream: true }),
    });
    await pass(10_000);
    expect((await slow).text.match(/: keep-alive\n\n/g)).toHaveLength(2);
  });

  it('ends with the error and without [DONE] when it fails on the way', async () => {
    const { handler, onError } = serve({ text: 'one two three', error: new Error('secret'), failAfter: 2 });
    const answer = await send(handler, {
      json: chatBody({ stream: true }),
      headers: { 'x-request-id': 'id-9' },
    });
    expect(answer.status).toBe(200);
    const events = eventsOf(answer.text);
    expect(events.slice(0, -1).map((event) => event.choices[0].delta)).toEqual([
      { role: 'assistant', content: null },
      { content: 'one' },
    ]);
    expect(events.at(-1)).toEqual({
      error: {
        message: 'Internal error. Request id: id-9.',
        type: 'server_error',
        param: null,
        code: 'internal_error',
      },
    });
    expect(onError).toHaveBeenCalledOnce();
  });

  it('stops the inference when the reader returns, also amid a read', async () => {
    const { handler, inference } = serve({ text: 'one two three', delayMs: 100_000 });
    const stream = reader(await handler(request()));
    await stream.next();
    const pending = stream.next();
    await stream.return!();
    expect((await pending).done).toBe(true);
    await vi.advanceTimersByTimeAsync(0);
    expect([inference.running, inference.cancelled]).toEqual([0, 1]);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('stops the inference when the client goes, also before the first event', async () => {
    for (const promptDelayMs of [0, 100_000]) {
      const { handler, inference, onError } = serve({ text: 'one', delayMs: 100_000, promptDelayMs });
      const client = new AbortController();
      const pending = handler(request(client.signal));
      await vi.advanceTimersByTimeAsync(1);
      client.abort();
      const response = await pending;
      expect(response.status).toBe(promptDelayMs === 0 ? 200 : 499);
      await vi.advanceTimersByTimeAsync(0);
      expect([inference.running, inference.cancelled]).toEqual([0, 1]);
      expect(onError).not.toHaveBeenCalled();
      expect(vi.getTimerCount()).toBe(0);
    }
  });
});

describe('createEventStream', () => {
  const streamOf = (events: AsyncIterator<number>): EventStream =>
    createEventStream({
      events,
      toFrames: (event) => (event < 0 ? '' : toFrame(event)),
      toErrorFrame: (error) => toFrame(String(error)),
      keepAliveMs: 1000,
    });

  it('sends frames that are there together in one piece, and waits for none', async () => {
    let release = (): void => {};
    async function* events(): AsyncGenerator<number> {
      yield* [1, 2, 3];
      await new Promise<void>((resolve) => {
        release = resolve;
      });
      yield 4;
    }
    const { opened, body } = streamOf(events());
    await opened;
    await vi.advanceTimersByTimeAsync(0);
    expect((await body.next()).value).toBe('data: 1\n\ndata: 2\n\ndata: 3\n\n');
    release();
    await vi.advanceTimersByTimeAsync(0);
    expect((await body.next()).value).toBe('data: 4\n\ndata: [DONE]\n\n');
    expect((await body.next()).done).toBe(true);
  });

  it('takes no more from its source than a slow reader leaves room for', async () => {
    let taken = 0;
    async function* endless(): AsyncGenerator<number> {
      for (;;) yield (taken += 1);
    }
    const { body } = streamOf(endless());
    await vi.advanceTimersByTimeAsync(0);
    const before = taken;
    expect(before).toBeLessThan(10_000);
    await vi.advanceTimersByTimeAsync(5000);
    expect(taken).toBe(before);
    const first = (await body.next()).value as string;
    expect(first.length).toBeLessThan(70_000);
    expect(first).not.toContain('keep-alive');
    await vi.advanceTimersByTimeAsync(0);
    expect(taken).toBeGreaterThan(before);
    await body.return!();
    const end = taken;
    await vi.advanceTimersByTimeAsync(5000);
    expect(taken).toBeLessThanOrEqual(end + 1);
  });

  it('opens with the first frame, not with an event that has none', async () => {
    const open = vi.fn();
    async function* events(): AsyncGenerator<number> {
      yield -1;
      await new Promise((resolve) => setTimeout(resolve, 500));
      yield 1;
    }
    const { opened } = streamOf(events());
    void opened.then(open);
    await vi.advanceTimersByTimeAsync(499);
    expect(open).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    expect(open).toHaveBeenCalled();
  });

  it('is complete for a source without events', async () => {
    async function* none(): AsyncGenerator<number> {}
    const { opened, body } = streamOf(none());
    await opened;
    expect((await body.next()).value).toBe('data: [DONE]\n\n');
    expect((await body.next()).done).toBe(true);
  });
});
