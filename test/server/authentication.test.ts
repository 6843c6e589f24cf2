import { describe, expect, it, vi } from 'vitest';
import type { Authentication, FoundKey } from '../../src/server/authentication.ts';
import { createHandler } from '../../src/create-handler.ts';
import { InferenceError } from '../../src/errors.ts';
import type { HandlerOptions } from '../../src/server/options.ts';
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

const thrower = (thrown: unknown) => (): never => {
  throw thrown;
};

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
      'The header `Authorization: Bearer <API_KEY>` has no key: is the variable set?',
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

  describe('that fails', () => {
    const failures: readonly (readonly [string, unknown, unknown])[] = [
      ['throws', thrower(new Error('database down')), new Error('database down')],
      ['rejects', async () => thrower(new Error('database down'))(), new Error('database down')],
      ['throws what is no error', thrower('down'), 'down'],
      ['never settles', () => new Promise(() => {}), new Error('no answer within 40 ms')],
      ...[true, 'ada', 7, [], () => {}].map((value): [string, unknown, unknown] => [
        `returns ${typeof value} ${String(value)}`,
        () => value,
        expect.objectContaining({
          message: expect.stringMatching(
            /^auth: expected its function to return \{ key, id, plan \}, or null .*, got /,
          ),
        }),
      ]),
      [
        'names an unknown plan',
        () => ({ plan: 'gold' }),
        new TypeError('auth: expected the name of one of the plans, got "gold"'),
      ],
      ...[{}, true, '', 1.5, NaN].map((id): [string, unknown, unknown] => [
        `names the id ${JSON.stringify(id)}`,
        () => ({ id }),
        expect.objectContaining({
          message: expect.stringMatching(/^auth: expected an `id` that is a text or an integer, got /),
        }),
      ]),
      [
        'returns a key of another type',
        () => ({ key: 5 }),
        new TypeError('auth: expected a `key` that is a text, got 5'),
      ],
      // A fault of the function, whatever it asks: never the client's.
      [
        'fails with a fault of its own request',
        thrower(new InferenceError('invalid_request', 'model: no.')),
        expect.objectContaining({ code: 'invalid_request' }),
      ],
    ];

    it.each(failures)('as it %s: 503, and the host gets the cause', async (_title, auth, cause) => {
      const onError = vi.fn<NonNullable<HandlerOptions['onError']>>();
      const handler = createHandler(inference, { auth: auth as Authentication, authTimeoutMs: 40, onError });
      for (const sent of [{ url: '/v1/models' }, { json: chatBody() }]) {
        const answer = await send(handler, { ...sent, headers: { authorization: 'Bearer good' } });
        expectError(answer, 503, 'overloaded');
        expect(answer.headers['retry-after']).toBe('1');
        expect(answer.json.error.message).toBe("The API key can't be checked at the moment.");
        const [error, context] = onError.mock.lastCall!;
        expect(error.cause).toEqual(cause);
        expect(context.status).toBe(503);
      }
    });

    it('a logger gets the cause, and no key', async () => {
      const warn = vi.fn();
      const logger = { debug: () => {}, info: () => {}, error: () => {}, warn };
      const details = [];
      for (const auth of [thrower(new Error('database down')), thrower('down'), (sent: string) => sent]) {
        const handler = createHandler(inference, { auth: auth as Authentication, logger });
        await send(handler, { url: '/v1/models', headers: { authorization: 'Bearer sk-secret' } });
        details.push(warn.mock.lastCall![0].detail);
      }
      expect(details).toEqual(['database down', 'down', expect.stringMatching(/^auth: .*, got a text$/)]);
      expect(JSON.stringify(warn.mock.calls)).not.toContain('sk-secret');
    });

    it('by default prints the cause', async () => {
      const printed = vi.spyOn(console, 'error').mockReturnValue();
      const cause = new Error('database down');
      await send(createHandler(inference, { auth: thrower(cause) }), { url: '/v1/models' });
      expect(printed).toHaveBeenCalledWith(
        expect.stringContaining('GET /v1/models'),
        "The API key can't be checked at the moment.",
        cause,
      );
    });
  });

  it('may refuse a key with words of its own', async () => {
    const expired = new InferenceError('authentication_failed', 'Your trial is over.');
    const answer = await ask(thrower(expired), 'Bearer good');
    expectError(answer, 401, 'invalid_api_key');
    expect(answer.json.error.message).toBe('Your trial is over.');
  });

  it.each([null, undefined, false] as const)('refuses a key by %s', async (value) => {
    expectError(await ask(() => value, 'Bearer good'), 401, 'invalid_api_key');
  });

  it.each([
    [7, '7'],
    [0, '0'],
    [2n ** 70n, '1180591620717411303424'],
    ['ada', 'ada'],
    [null, undefined],
  ])('the id %s owns limits and runs as %s', async (id, owner = expect.stringMatching(/^[0-9a-f]{32}$/)) => {
    const owned = createFakeInference();
    const run = vi.spyOn(owned, 'run');
    const auth = (): FoundKey => ({ id, plan: id === null ? null : 'one' });
    const plans = { one: { rateLimit: { requests: 1, perSeconds: 60 } } };
    const handler = createHandler(owned, { auth, plans });
    const statuses = [];
    for (const key of ['a', 'b']) {
      const headers = { authorization: `Bearer ${key}` };
      statuses.push((await send(handler, { json: chatBody(), headers })).status);
    }
    expect(run.mock.calls[0]![2]?.owner).toEqual(owner);
    expect(statuses).toEqual(id === null ? [200, 200] : [200, 429]);
  });

  it('that changes its mind about the type of an id keeps its owner', async () => {
    const ids = [7, '7', 7n];
    const plans = { one: { rateLimit: { requests: 2, perSeconds: 60 } } };
    const handler = createHandler(inference, { auth: () => ({ id: ids.shift()!, plan: 'one' }), plans });
    const statusOf = async () => (await send(handler, { json: chatBody() })).status;
    expect([await statusOf(), await statusOf(), await statusOf()]).toEqual([200, 200, 429]);
  });

  it('has a bound of at least a millisecond', () => {
    expect(() => createHandler(inference, { auth: () => null, authTimeoutMs: 0 })).toThrow(
      /^authTimeoutMs: expected/,
    );
  });
});

describe('none', () => {
  it.each([undefined, 'Bearer anything'])('opens for %j', async (authorization) => {
    expect((await ask('none', authorization)).status).toBe(200);
  });
});
