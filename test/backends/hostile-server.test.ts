import { gzipSync } from 'node:zlib';
import type { ServerResponse } from 'node:http';
import { describe, expect, it, vi } from 'vitest';
import type { InferenceError } from '../../src/errors.ts';
import { completeChatRequest } from '../../src/categories/chat/request.ts';
import type { ChatEvent } from '../../src/categories/chat/events.ts';
import type { EmbeddingEvent } from '../../src/categories/embedding/events.ts';
import { readBytes, readText } from '../../src/runtime/http/answer-body.ts';
import { ChatEventReader } from '../../src/backends/openai/chat-events.ts';
import { loadRemotePipeline } from '../../src/backends/openai/load-remote.ts';
import { scriptedServer } from './scripted-server.ts';

type Script = (response: ServerResponse) => void;

const chatRequest = completeChatRequest({ model: 'm', messages: [{ role: 'user', content: 'Hello' }] });

/** What a model says whose server answers by that script. */
async function ask(category: 'chat' | 'embedding', script: Script, request: unknown): Promise<unknown[]> {
  const { origin } = await scriptedServer((_asked, response) => script(response));
  const server = { kind: 'openai', baseURL: `${origin}/v1` } as const;
  const pipeline = await loadRemotePipeline({
    id: 'm',
    source: 'm',
    category,
    contextLength: 100,
    backend: server,
  });
  const events: unknown[] = [];
  for await (const event of pipeline.run(request as never)) events.push(event);
  return events;
}

const chatWith = (script: Script) => ask('chat', script, chatRequest) as Promise<ChatEvent[]>;
const embedWith = (script: Script) =>
  ask('embedding', script, { model: 'm', inputs: ['a'], truncate: false }) as Promise<EmbeddingEvent[]>;

const says =
  (...events: readonly unknown[]): Script =>
  (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const event of events) response.write(`data: ${JSON.stringify(event)}\n\n`);
    response.end('data: [DONE]\n\n');
  };

const choice = (fields: object) => ({ choices: [{ index: 0, ...fields }] });
const end = choice({ delta: {}, finish_reason: 'stop' });

/** Writes until the other side has had enough. */
function writeForEver(response: ServerResponse, piece: string): void {
  while (!response.destroyed && response.write(piece));
  if (!response.destroyed) response.once('drain', () => writeForEver(response, piece));
}

describe('a server of the wire format that answers in another form', () => {
  it.each([
    ['a list', '['.repeat(2_000_000) + ']'.repeat(2_000_000)],
    ['an object', '{"a":'.repeat(700_000) + '1' + '}'.repeat(700_000)],
  ])('is not parsed where its answer is nested deeply: %s', async (_, json) => {
    const parse = vi.spyOn(JSON, 'parse');
    const answered = chatWith((response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.end(`data: ${json}\n\n`);
    });
    await expect(answered).rejects.toMatchObject({ code: 'worker_failed' });
    expect(Math.max(0, ...parse.mock.calls.map(([text]) => text.length))).toBeLessThan(1_000_000);
    parse.mockRestore();
  });

  it.each([
    ['no object', null],
    ['a number of choices', { choices: 5 }],
    ['no choice', { choices: [null] }],
    ['a choice of no number', { choices: [{ index: 'push', delta: { tool_calls: [{ index: 0 }] } }] }],
    ['content that is no text', choice({ delta: { content: { a: 1 } } })],
    ['reasoning that is no text', choice({ delta: { reasoning: 5 } })],
    ['calls that are no list', choice({ delta: { tool_calls: 5 } })],
    ['no call', choice({ delta: { tool_calls: [null] } })],
    ['arguments that are no text', choice({ delta: { tool_calls: [{ function: { arguments: {} } }] } })],
    ['no token', choice({ logprobs: { content: [null] } })],
    ['no log probability', choice({ logprobs: { content: [{ token: 'a', logprob: 'b' }] } })],
  ])('has failed with %s', async (_name, event) => {
    await expect(chatWith(says(event, end))).rejects.toMatchObject({ code: 'worker_failed' });
  });

  it('is not charged for tokens that can be none', async () => {
    for (const told of [-1_000_000, '12', 1e300, 0.5]) {
      const usage = { prompt_tokens: told, completion_tokens: told };
      const events = await chatWith(says(choice({ delta: { content: 'a' } }), { ...end, usage }));
      expect(events.at(-1)).toMatchObject({ type: 'usage', promptTokens: 6, completionTokens: 1 });
    }
  });

  it('may say that there is no error, and end for a reason of its own', async () => {
    const events = await chatWith(
      says({ error: null, ...choice({ delta: {}, finish_reason: 'constructor' }) }),
    );
    expect(events).toContainEqual({ type: 'choice-end', choice: 0, finishReason: 'stop' });
  });

  it('is not quoted where it is no JSON', async () => {
    const secret: Script = (response) => response.end('data: sk-secret\n\n');
    const error = (await chatWith(secret).catch((thrown: unknown) => thrown)) as InferenceError;
    expect(error).toMatchObject({ code: 'worker_failed' });
    expect(error.message).not.toContain('sk-');
  });

  it.each([
    ['an index beyond', { data: [{ index: 4_294_967_294, embedding: [1] }] }],
    ['an index that is none', { data: [{ index: 'length', embedding: [1] }] }],
    ['numbers that are none', { data: [{ index: 0, embedding: [1, 'x'] }] }],
    ['numbers that are not finite', { data: [{ index: 0, embedding: 'AADAfw==' }] }],
    ['nothing', null],
  ])('has failed with vectors of %s', async (_name, body) => {
    const script: Script = (response) => response.end(JSON.stringify(body));
    await expect(embedWith(script)).rejects.toMatchObject({ code: 'worker_failed' });
  });
});

describe('a server of the wire format that says too much', () => {
  it('fails with a line that does not end', async () => {
    await expect(
      chatWith((response) => writeForEver(response, 'data: '.padEnd(65_536, 'x'))),
    ).rejects.toMatchObject({ code: 'worker_failed', message: expect.stringContaining('characters') });
  });

  it('fails with an answer that does not end', () => {
    const reader = new ChatEventReader({ choices: 1, includeReasoning: true }, () => {});
    const read = () => {
      while (!reader.read(choice({ delta: { content: 'x'.repeat(2 ** 20) } })));
    };
    expect(read).toThrow(
      expect.objectContaining({ code: 'worker_failed', message: expect.stringContaining('end') }),
    );
  });

  it.each<[string, object, number]>([
    ['pieces', { content: 'x' }, 64 + 2 * 256],
    ['bytes', { content: ' '.repeat(8192) }, (2 ** 14 + 64 * 256) / 8192],
    ['bytes of reasoning', { reasoning_content: ' '.repeat(8192) }, (2 ** 14 + 64 * 256) / 8192],
  ])('is cut far beyond max_tokens: %s', (_, delta, pieces) => {
    const events: ChatEvent[] = [];
    const options = { choices: 1, includeReasoning: true, maxTokens: 256 };
    const reader = new ChatEventReader(options, (event) => events.push(event));
    while (!reader.read(choice({ delta })));
    reader.end();
    expect(events.filter((event) => 'text' in event)).toHaveLength(pieces + 1);
    expect(events.at(-2)).toEqual({ type: 'choice-end', choice: 0, finishReason: 'length' });
  });

  it('is cut at the max_tokens that it was sent', async () => {
    const request = { ...chatRequest, maxTokens: 5 };
    const endless: Script = (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      writeForEver(response, `data: ${JSON.stringify(choice({ delta: { content: 'x' } }))}\n\n`);
    };
    const events = (await ask('chat', endless, request)) as ChatEvent[];
    expect(events.filter(({ type }) => type === 'text-delta')).toHaveLength(64 + 2 * 5 + 1);
  });

  it('is left when it goes on after the end', () => {
    const events: ChatEvent[] = [];
    const options = { choices: 1, includeReasoning: true };
    const reader = new ChatEventReader(options, (event) => events.push(event));
    reader.read(end);
    while (!reader.read(choice({ delta: { content: 'x' } })));
    reader.end();
    expect(events.map(({ type }) => type)).toEqual(['prompt-end', 'choice-end', 'usage']);
  });

  it('fails with vectors that unpack to more than they can be', async () => {
    const bomb = gzipSync(Buffer.alloc(64 * 2 ** 20, '1'));
    const script: Script = (response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb);
    await expect(embedWith(script)).rejects.toMatchObject({
      code: 'worker_failed',
      message: expect.stringContaining('bytes'),
    });
  });

  it('is quoted in the cause alone, and in short, when it complains', async () => {
    const error = { message: 'm'.repeat(5000), param: 'p'.repeat(5000) };
    const script: Script = (response) => response.writeHead(400).end(JSON.stringify({ error }));
    const thrown = (await chatWith(script).catch((one: unknown) => one)) as InferenceError;
    expect(thrown.code).toBe('invalid_request');
    expect(thrown.message).toBe('The server that runs this model refuses the request.');
    expect(thrown.param).toBeUndefined();
    expect((thrown.cause as Error).message.length).toBeLessThanOrEqual(2000);
  });

  it('is left when its complaint does not end', async () => {
    const script: Script = (response) => {
      response.writeHead(500);
      writeForEver(response, 'x'.repeat(65_536));
    };
    await expect(chatWith(script)).rejects.toMatchObject({ code: 'worker_failed' });
  });

  it('is asked again after a day at the latest', async () => {
    const script: Script = (response) => response.writeHead(429, { 'retry-after': '1e300' }).end();
    await expect(chatWith(script)).rejects.toMatchObject({ code: 'overloaded', retryAfterSeconds: 86_400 });
  });
});

describe('readBytes', () => {
  it('ends with a signal that fetch does not know, also while it waits', async () => {
    let isLeft = false;
    const body = new ReadableStream<Uint8Array>({ cancel: () => void (isLeft = true) });
    const controller = new AbortController();
    const read = readText(new Response(body), { signal: controller.signal });
    controller.abort(new Error('gone'));
    await expect(read).rejects.toThrow('gone');
    expect(isLeft).toBe(true);
  });

  it('leaves what is left', async () => {
    let isLeft = false;
    const body = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.enqueue(new Uint8Array(8)),
      cancel: () => void (isLeft = true),
    });
    for await (const bytes of readBytes(new Response(body))) {
      expect(bytes).toHaveLength(8);
      break;
    }
    expect(isLeft).toBe(true);
  });
});
