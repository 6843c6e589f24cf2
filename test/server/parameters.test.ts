import { describe, expect, it } from 'vitest';
import { chatParameters } from '../../src/categories/chat/parameters.ts';
import { toWireName, type ParameterDescriptor } from '../../src/core/parameters/descriptor.ts';
import { createHandler } from '../../src/create-handler.ts';
import { createFakeInference } from '../../src/testing/fake-inference.ts';
import { chatBody, expectError, key, send } from './support.ts';

const inference = createFakeInference({ reply: 'ok' });
const handler = createHandler(inference, { auth: { keys: [key] } });

const needed: Record<string, object> = {
  topLogprobs: { logprobs: true },
  minTokens: { max_tokens: 131_072 },
  continueFinalMessage: { messages: [{ role: 'assistant', content: 'Hel' }] },
};

async function accepted(name: string, value: unknown): Promise<unknown> {
  const answer = await send(handler, { json: chatBody({ ...needed[name], [toWireName(name)]: value }) });
  expect(answer.status, answer.text).toBe(200);
  return inference.requests.at(-1)![name as keyof typeof chatParameters];
}

const parameters: [string, ParameterDescriptor][] = Object.entries(chatParameters);
const numbers = parameters.filter(([, { type }]) => type === 'int' || type === 'float');
const integers = parameters.filter(([, { type }]) => type === 'int');

describe.each(parameters)('%s', (name, descriptor) => {
  const param = toWireName(name);
  const refused = async (value: unknown): Promise<string> => {
    const answer = await send(handler, { json: chatBody({ ...needed[name], [param]: value }) });
    expectError(answer, 400, 'invalid_request', param);
    expect(answer.json.error.type).toBe('invalid_request_error');
    return answer.json.error.message;
  };

  it.each([{}, { [param]: null }])('takes its default for %j', async (given) => {
    const answer = await send(handler, { json: chatBody(given) });
    expect(answer.status, answer.text).toBe(200);
    expect(inference.requests.at(-1)![name as keyof typeof chatParameters]).toBe(descriptor.default);
  });

  const wrong =
    descriptor.type === 'strings'
      ? ['1', true, 1, {}]
      : descriptor.type === 'boolean'
        ? ['true', 1, [], {}]
        : ['1', true, [], {}, [1]];
  it.each(wrong)('refuses %j', async (value) => {
    await refused(value);
  });

  if (descriptor.type === 'boolean') {
    it.each([true, false])('accepts %j', async (value) => {
      expect(await accepted(name, value)).toBe(value);
    });
  }
});

describe.each(numbers)('%s', (name, { type, min, max }) => {
  const step = type === 'int' ? 1 : 1e-6;

  it.each([min!, max!])('accepts its bound %d', async (value) => {
    expect(await accepted(name, value)).toBe(value);
  });

  it.each([min! - step, max! + step, -1e9, 1e300])('refuses %d and says the bounds', async (value) => {
    const answer = await send(handler, { json: chatBody({ [toWireName(name)]: value }) });
    expectError(answer, 400, 'invalid_request', toWireName(name));
    expect(answer.json.error.message).toContain(`from ${min} to ${max}, got ${value}`);
  });

  it.each([Number.NaN, Infinity])('refuses %d from a parsed body', async (value) => {
    const parsed = chatBody({ [toWireName(name)]: value });
    expectError(await send(handler, { body: { parsed } }), 400, 'invalid_request', toWireName(name));
  });
});

describe.each(integers)('%s', (name, { min }) => {
  it('refuses a fraction', async () => {
    const answer = await send(handler, { json: chatBody({ [toWireName(name)]: min! + 0.5 }) });
    expectError(answer, 400, 'invalid_request', toWireName(name));
    expect(answer.json.error.message).toContain(`an integer from ${min}`);
  });
});

describe('max_completion_tokens', () => {
  it('is another name of max_tokens', async () => {
    await send(handler, { json: chatBody({ max_completion_tokens: 7 }) });
    expect(inference.requests.at(-1)!.maxTokens).toBe(7);
  });

  it('may be given together with the same max_tokens', async () => {
    const answer = await send(handler, { json: chatBody({ max_tokens: 7, max_completion_tokens: 7 }) });
    expect(answer.status).toBe(200);
  });

  it.each([0, 131073, 1.5, '7'])('refuses %j', async (value) => {
    const answer = await send(handler, { json: chatBody({ max_completion_tokens: value }) });
    expectError(answer, 400, 'invalid_request', 'max_completion_tokens');
  });

  it('refuses a contradiction', async () => {
    const answer = await send(handler, { json: chatBody({ max_tokens: 7, max_completion_tokens: 8 }) });
    expectError(answer, 400, 'invalid_request', 'max_completion_tokens');
  });
});

describe('dry_sequence_breakers', () => {
  it('names the entry that is no string', async () => {
    const answer = await send(handler, { json: chatBody({ dry_sequence_breakers: ['a', 1] }) });
    expectError(answer, 400, 'invalid_request', 'dry_sequence_breakers[1]');
    expect(answer.json.error.message).toBe('dry_sequence_breakers[1]: expected a string, got 1.');
  });

  it('may be empty', async () => {
    expect(await accepted('drySequenceBreakers', [])).toEqual([]);
  });
});
