import { describe, expect, it } from 'vitest';
import { parseInThread } from '../../dist/src/http/parse-in-thread.js';
import { parseJson } from '../../src/http/parse-json.ts';
import { createHandler } from '../../src/create-handler.ts';
import { createFakeInference } from '../../src/testing/fake-inference.ts';
import { readJson } from '../../src/http/body.ts';
import { chatBody, chunksOf, expectError, key, send } from '../server/support.ts';

const handler = createHandler(createFakeInference({ models: ['fake-chat'] }), { auth: { keys: [key] } });

const request = {
  method: 'POST',
  url: '/',
  headers: { 'content-type': 'application/json' },
  signal: new AbortController().signal,
};

/** A body of these fields beside those of a chat request. */
const bodyWith = (fields: string): string => `${JSON.stringify(chatBody()).slice(0, -1)},${fields}}`;

const limits = { maxBytes: 2 ** 24, timeoutMs: 60_000 };

describe('a body of too many values is refused before it is parsed', () => {
  const bias = Array.from({ length: 2 ** 20 }, (_, token) => `"${token}":1`).join(',');
  const messages = Array.from({ length: 2 ** 14 }, () => '{"role":"user","content":""}').join(',');
  it.each<[string, string, string]>([
    ['logit_bias', bodyWith(`"logit_bias":{${bias}}`), '32768 members'],
    ['messages', `{"model":"fake-chat","messages":[${messages}]}`, '16384 objects'],
    ['token ids', bodyWith(`"x":[${'1,'.repeat(2 ** 20)}1]`), '524288 values'],
    ['lists', bodyWith(`"x":[${'[1],'.repeat(2 ** 14)}[1]]`), '16384 arrays'],
    ['lists in lists', bodyWith(`"x":${'['.repeat(600)}${']'.repeat(600)}`), '512 levels of nesting'],
    [
      'objects in objects',
      bodyWith(`"x":${'{"x":'.repeat(600)}1${'}'.repeat(600)}`),
      '512 levels of nesting',
    ],
  ])('%s', async (_name, text, expected) => {
    const answer = await send(handler, { text });
    expectError(answer, 413, 'request_too_large');
    expect(answer.json.error.message).toBe(`The request body has more than ${expected}.`);
    // Hosts that read the body themselves hand over its bytes.
    const parsed = await send(handler, { body: { parsed: new TextEncoder().encode(text) } as never });
    expect(parsed.status).toBe(413);
    // Others hand over what they have parsed.
    const values = await send(handler, { body: { parsed: JSON.parse(text) as unknown } });
    expectError(values, 413, 'request_too_large');
    expect(values.json.error.message).toBe(answer.json.error.message);
  });

  it.each([
    ['/v1/chat/completions', 'messages'],
    ['/v1/responses', 'input'],
    ['/v1/embeddings', 'input'],
    ['/v1/rerank', 'documents'],
  ])('before a schema looks at an item, where a host has parsed it: %s', async (url, field) => {
    let looks = 0;
    const item = new Proxy(
      { role: 'user', content: '' },
      {
        get(target, name) {
          looks++;
          return Reflect.get(target, name) as unknown;
        },
      },
    );
    const parsed = { model: 'fake-chat', [field]: Array.from({ length: 400_000 }, () => item) };
    expectError(await send(handler, { url, body: { parsed } }), 413, 'request_too_large');
    expect(looks).toBe(0);
  });

  it('at the piece that is too much: the rest is never read', async () => {
    let sent = 0;
    const pieces = function* (): Generator<Uint8Array> {
      for (; sent < 100; sent++) yield new TextEncoder().encode('{},'.repeat(1000));
    };
    expect((await send(handler, { body: chunksOf(pieces()) })).status).toBe(413);
    expect(sent).toBeLessThan(20);
  });
});

it('a long text is one value', async () => {
  const content = 'a "quoted" {text}, '.repeat(200_000);
  const text = JSON.stringify({ model: 'fake-chat', messages: [{ role: 'user', content }] });
  expect(text.length).toBeGreaterThan(2 ** 20);
  expect((await send(handler, { text })).status).toBe(200);
});

it.each([['é'], ['€'], ['🐈'], ['\uFEFF']])(
  'a large text is read whole, wherever it is cut: %s',
  async (character) => {
    for (const shift of ['', 'a', 'ab', 'abc']) {
      const content = shift + character.repeat(2 ** 20 - 20);
      const body = JSON.stringify({ ...chatBody(), messages: [{ role: 'user', content }] });
      const bytes = new TextEncoder().encode(body);
      const read = await readJson({ ...request, body: chunksOf([bytes]) }, limits);
      expect(JSON.stringify(read) === body).toBe(true);
      bytes[2 ** 20] = 0xff;
      await expect(readJson({ ...request, body: chunksOf([bytes]) }, limits)).rejects.toThrow(
        'not valid UTF-8',
      );
    }
  },
);

describe('a large body is parsed in a thread', () => {
  const content = 'a "quoted" é text '.repeat(100_000);
  const bytesOf = (value: unknown): Uint8Array => new TextEncoder().encode(JSON.stringify(value));

  it('and comes out as it went in', async () => {
    const bodies = [{ content, __proto__: null, n: [-0.5, true, null] }, JSON.parse('{"__proto__":{"a":1}}')];
    const read = await Promise.all(bodies.map((body) => parseInThread(bytesOf(body))));
    expect(read.map((value) => JSON.stringify(value))).toEqual(bodies.map((body) => JSON.stringify(body)));
    expect(Object.getPrototypeOf(read[1])).toBe(Object.prototype);
  });

  it('other work has its turn meanwhile', async () => {
    let turns = 0;
    const timer = setInterval(() => turns++, 1);
    await parseInThread(bytesOf(content.repeat(8)));
    clearInterval(timer);
    expect(turns).toBeGreaterThan(3);
  });

  it.each([
    ['{"a":', 'The request body is not valid JSON: it ends too early.'],
    ['{"a":1]', 'The request body is not valid JSON: unexpected character at position 7.'],
    [' ', 'The request body is empty.'],
  ])('a fault reads as in place: %s', async (text, message) => {
    await expect(parseInThread(Uint8Array.from(Buffer.from(text)))).rejects.toThrow(message);
    expect(() => parseJson(Buffer.from(text))).toThrow(message);
  });
});
