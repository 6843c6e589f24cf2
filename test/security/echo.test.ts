import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createHandler } from '../../src/create-handler.ts';
import { createInference, type Inference } from '../../src/inference.ts';
import type { Handler } from '../../src/contracts/http.ts';

const long = 'a'.repeat(300_000);
const messages = [{ role: 'user', content: 'Hello!' }];
const schema = (inner: unknown) => ({
  response_format: { type: 'json_schema', json_schema: { name: 'n', schema: inner } },
});
const tool = (inner: object) => ({ tools: [{ type: 'function', function: { name: 'f', ...inner } }] });

function nested(depth: number, wrap: (inner: unknown) => unknown, core: unknown = {}): unknown {
  let value = core;
  for (let level = 0; level < depth; level++) value = wrap(value);
  return value;
}

describe('the body of an error', { timeout: 120_000 }, () => {
  let inference: Inference;
  let handler: Handler;
  beforeAll(async () => {
    const models = { 'tiny-chat': { source: 'tiny-chat' }, 'tiny-detect': { source: 'tiny-detect' } };
    inference = createInference({ models, isolation: 'inline' });
    handler = createHandler(inference, { auth: 'none' });
    await inference.ready();
  });
  afterAll(() => inference.close());

  const post = async (url: string, parsed: unknown, headers: Record<string, string> = {}) => {
    const { signal } = new AbortController();
    const { status, body } = await handler({ method: 'POST', url, headers, body: { parsed }, signal });
    return { status, text: String(body) };
  };

  it.each<[string, object]>([
    ['model', { model: long }],
    ['a role', { messages: [{ role: long, content: '' }] }],
    ['tool_choice, text', { ...tool({}), tool_choice: long }],
    ['tool_choice, name', { ...tool({}), tool_choice: { type: 'function', function: { name: long } } }],
    ['tool_choice, type', { ...tool({}), tool_choice: { type: long } }],
    ['the name of a tool', tool({ name: long })],
    ['the type of a tool', { tools: [{ type: long }] }],
    ['response_format.type', { response_format: { type: long } }],
    ['$ref', schema({ $ref: `#/${long}` })],
    ['$ref, of another document', schema({ $ref: long })],
    ['$ref, nested', schema({ $defs: { [long]: { pattern: '\\b' } }, $ref: `#/$defs/${long}` })],
    ['a type', schema({ type: long })],
    ['a pattern', schema({ type: 'string', pattern: `(?<=a)${long}` })],
    ['a format', schema({ properties: { [long]: { pattern: '\\b' } } })],
    [
      'a required tool',
      { ...tool({ parameters: { $ref: `#/${long}` }, strict: true }), tool_choice: 'required' },
    ],
    ['a name of logit_bias', { logit_bias: { [long]: 1 } }],
    ['a value of logit_bias', { logit_bias: { 1: long } }],
    ['a number', { temperature: long }],
    ['a stop sequence', { stop: { [long]: long } }],
    ['tool_call_id', { messages: [...messages, { role: 'tool', tool_call_id: long, content: '' }] }],
  ])('is short, whatever is long: %s', async (_, fields) => {
    const { status, text } = await post('/v1/chat/completions', { model: 'tiny-chat', messages, ...fields });
    expect([400, 404]).toContain(status);
    expect(text.length).toBeLessThan(1500);
  });

  it.each<[string, object]>([
    ['an image', { image: `http://${long}/` }],
    ['an image, no base64', { image: `${long}!` }],
    ['classes', { image: 'iVBORw0KGgo=', classes: long }],
  ])('is short, whatever is long: %s', async (_, fields) => {
    const { status, text } = await post('/v1/detect', { model: 'tiny-detect', ...fields });
    expect(status).toBe(400);
    expect(text.length).toBeLessThan(1500);
  });

  it.each([
    ['a path', `/v1/${long}`, {}],
    ['a content type', '/v1/chat/completions', { 'content-type': long }],
    ['a deadline', '/v1/chat/completions', { 'x-request-timeout': long }],
  ])('is short, whatever is long: %s', async (_, url, headers) => {
    const { status, text } = await post(url, {}, headers);
    expect(status).toBeGreaterThanOrEqual(400);
    expect(text.length).toBeLessThan(1500);
  });

  it.each<[string, object]>([
    ['properties', schema(nested(20_000, (properties) => ({ properties: { p: properties } })))],
    ['not', schema(nested(20_000, (not) => ({ not })))],
    ['allOf', schema(nested(5000, (inner) => ({ allOf: [inner] })))],
    ['items', schema(nested(2000, (items) => ({ type: 'array', minItems: 1, items })))],
    ['a constant', schema({ const: nested(20_000, (inner) => [inner]) })],
    ['groups of a pattern', schema({ pattern: '('.repeat(9000) + ')'.repeat(9000) })],
    ['parameters', tool({ parameters: nested(20_000, (items) => ({ type: 'array', items })), strict: true })],
    ['content', { messages: [{ role: 'user', content: nested(50_000, (inner) => [inner]) }] }],
    ['an ignored field', { metadata: nested(50_000, (inner) => [inner]), temperature: -1 }],
  ])('does not speak of call stacks, however deep it is: %s', async (_, fields) => {
    const { status, text } = await post('/v1/chat/completions', {
      model: 'tiny-chat',
      max_tokens: 1,
      messages,
      ...fields,
    });
    expect(status).toBeLessThan(500);
    expect(text).not.toMatch(/call stack/i);
    expect(text.length).toBeLessThan(1500);
  });

  const calls = (levels: number) => {
    const call = { name: 'f', arguments: '{"a":'.repeat(levels) + '1' + '}'.repeat(levels) };
    const toolCalls = [{ id: 'a', type: 'function', function: call }];
    const reply = { role: 'tool', tool_call_id: 'a', content: 'x' };
    return {
      chat: { messages: [...messages, { role: 'assistant', tool_calls: toolCalls }, reply] },
      responses: {
        input: [
          ...messages,
          { type: 'function_call', call_id: 'a', ...call },
          { type: 'function_call_output', call_id: 'a', output: 'x' },
        ],
      },
    };
  };

  it.each<[string, string, object, string]>([
    ['chat', '/v1/chat/completions', calls(3000).chat, 'messages[1].tool_calls[0].function.arguments'],
    ['responses', '/v1/responses', calls(3000).responses, 'input[1].arguments'],
  ])('names arguments of a call that are nested too deeply: %s', async (_, url, fields, param) => {
    const { status, text } = await post(url, { model: 'tiny-chat', ...fields });
    expect(status).toBe(400);
    expect(JSON.parse(text)).toMatchObject({
      error: { param, message: `${param}: expected at most 512 levels of nesting.` },
    });
  });

  it('is none for arguments of a call with 512 levels', async () => {
    const { chat } = calls(512);
    const { status } = await post('/v1/chat/completions', { model: 'tiny-chat', max_tokens: 1, ...chat });
    expect(status).toBe(200);
  });

  it('names them in-process, too', async () => {
    const toolCalls = [{ id: 'a', name: 'f', arguments: '['.repeat(3000) }];
    const conversation = [
      { role: 'user', content: 'Hello!' },
      { role: 'assistant', content: null, toolCalls },
      { role: 'tool', toolCallId: 'a', content: '' },
    ] as const;
    const events = inference.chat({ model: 'tiny-chat', messages: conversation });
    await expect(events[Symbol.asyncIterator]().next()).rejects.toMatchObject({
      code: 'invalid_request',
      param: 'messages[1].toolCalls[0].arguments',
    });
  });

  it.each(['abc', '-1', '0', 'NaN', ''])('names a deadline of %j', async (seconds) => {
    const { status, text } = await post(
      '/v1/chat/completions',
      { model: 'tiny-chat', messages },
      { 'x-request-timeout': seconds },
    );
    expect(status).toBe(400);
    expect(JSON.parse(text)).toMatchObject({
      error: { param: 'x-request-timeout', code: 'invalid_request' },
    });
  });
});
