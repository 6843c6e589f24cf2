import { describe, expect, it, vi } from 'vitest';
import type { Authentication } from '../../src/server/authentication.ts';
import { createHandler } from '../../src/create-handler.ts';
import { createFakeInference } from '../../src/testing/fake-inference.ts';
import { chatBody, expectError, send, type Answer } from './support.ts';

const inference = createFakeInference();

function ask(
  auth: Authentication,
  authorization: string | readonly string[] | undefined,
  sent = {},
): Promise<Answer> {
  const handler = createHandler(inference, { auth, onError: () => {} });
  return send(handler, { url: '/v1/models', headers: { authorization }, ...sent });
}

const listed: Authentication = { keys: ['first', { key: 'second' }, 'third'] };

describe('a list of keys', () => {
  it.each([
    'Bearer first',
    'Bearer second',
    'Bearer third',
    'bearer first',
    'BEARER   first',
    'Bearer first ',
    ['Bearer first'],
  ])('opens for %j', async (authorization) => {
    expect((await ask(listed, authorization)).status).toBe(200);
  });

  it.each([
    undefined,
    '',
    'first',
    'Bearer',
    'Bearer ',
    'Basic first',
    'Bearer fourth',
    'Bearer firs',
    'Bearer firstx',
    'Bearer first second',
    'Bearer FIRST',
    'Bearer undefined',
    `Bearer ${'x'.repeat(100_000)}`,
    `Bearer${' '.repeat(100_000)}`,
  ])('stays shut for %j', async (authorization) => {
    const answer = await ask(listed, authorization);
    expectError(answer, 401, 'invalid_api_key');
    expect(answer.json.error.type).toBe('authentication_error');
    expect(answer.headers['www-authenticate']).toBe('Bearer');
  });

  it('says that a key is empty', async () => {
    expect((await ask(listed, 'Bearer ')).json.error.message).toBe(
      'The header `Authorization: Bearer <API_KEY>` has no key: is its variable set?',
    );
  });

  it('guards every endpoint', async () => {
    for (const url of [
      '/v1/models',
      '/v1/models/fake-chat',
      '/v1/models/fake-chat/parameters',
      '/v1/openapi.json',
    ]) {
      expectError(await ask(listed, 'Bearer nope', { url }), 401, 'invalid_api_key');
    }
    expectError(
      await ask(listed, 'Bearer nope', { url: '/v1/chat/completions', json: chatBody() }),
      401,
      'invalid_api_key',
    );
  });

  it('is asked before the body is read', async () => {
    const read = vi.fn();
    async function* body(): AsyncGenerator<Uint8Array> {
      read();
      yield new Uint8Array(1);
    }
    await ask(listed, 'Bearer nope', { url: '/v1/chat/completions', body: body() });
    expect(read).not.toHaveBeenCalled();
  });
});

describe('a function', () => {
  it('gets the key and the request', async () => {
    const lookup = vi.fn((key: string) => (key === 'good' ? { key } : null));
    expect((await ask(lookup, 'Bearer good')).status).toBe(200);
    expect(lookup).toHaveBeenCalledWith('good', expect.objectContaining({ url: '/v1/models' }));
    expect((await ask(lookup, 'Bearer bad')).status).toBe(401);
  });

  it('may take its time', async () => {
    expect((await ask(async (key) => ({ key }), 'Bearer good')).status).toBe(200);
    expect((await ask(async () => null, 'Bearer good')).status).toBe(401);
  });

  it('is not asked without a key', async () => {
    const lookup = vi.fn(() => null);
    expect((await ask(lookup, undefined)).status).toBe(401);
    expect(lookup).not.toHaveBeenCalled();
  });

  it('that fails opens nothing', async () => {
    const lookup = (): never => {
      throw new Error('database down');
    };
    expectError(await ask(lookup, 'Bearer good'), 500, 'internal_error');
  });

  it('that names an unknown plan opens nothing', async () => {
    expectError(await ask((key) => ({ key, plan: 'gold' }), 'Bearer good'), 500, 'internal_error');
  });
});

describe('none', () => {
  it.each([undefined, 'Bearer anything'])('opens for %j', async (authorization) => {
    expect((await ask('none', authorization)).status).toBe(200);
  });
});
