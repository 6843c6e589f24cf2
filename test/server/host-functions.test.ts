import { describe, expect, it, vi } from 'vitest';
import type { ResponseStore } from '../../src/contracts/caller.ts';
import { createHandler } from '../../src/create-handler.ts';
import type { HandlerOptions } from '../../src/server/options.ts';
import type { LimiterFactory } from '../../src/server/rate-limit.ts';
import { createFakeInference } from '../../src/testing/fake-inference.ts';
import { chatBody, expectError, key, send } from './support.ts';

// Functions that the host supplies fail in every way: the client gets 503 with `Retry-After`, and the host the cause.
const never = (): Promise<never> => new Promise(() => {});
const thrower = (): never => {
  throw new Error('fault of the host');
};
const rejecter = async (): Promise<never> => thrower();
const inference = createFakeInference();

describe('a store of responses', () => {
  const stored = { get: async () => null, set: async () => undefined, delete: async () => undefined };
  const turn = {
    url: '/v1/responses',
    json: { model: 'fake-chat', input: 'Hi', previous_response_id: `resp_${'a'.repeat(32)}` },
  };
  const kept = { url: '/v1/responses', json: { model: 'fake-chat', input: 'Hi', store: true } };

  it.each<[string, Partial<Record<keyof ResponseStore, unknown>>, object]>([
    ['get never settles', { get: never }, turn],
    ['get throws', { get: thrower }, turn],
    ['get rejects', { get: rejecter }, turn],
    ['get returns a number', { get: async () => 5 }, turn],
    ['get returns an object', { get: async () => ({}) }, turn],
    ['get returns what is no JSON', { get: async () => '{"a":' }, turn],
    ['set never settles', { set: never }, kept],
    ['set throws', { set: thrower }, kept],
    ['set rejects', { set: rejecter }, kept],
  ])('%s', async (_title, faults, sent) => {
    const onError = vi.fn<NonNullable<HandlerOptions['onError']>>();
    const store = { ...stored, ...faults } as ResponseStore;
    const handler = createHandler(inference, {
      auth: 'none',
      keepResponses: { store, timeoutMs: 40 },
      onError,
    });
    const answer = await send(handler, sent);
    // The answer is there already when it is to be kept.
    if (sent === kept) expect([answer.status, answer.json.store]).toEqual([200, false]);
    else expectError(answer, 503, 'overloaded');
    if (sent === turn) expect(answer.headers['retry-after']).toBe('1');
    expect(onError.mock.lastCall?.[0].cause).toBeInstanceOf(Error);
  });
});

describe('a limiter', () => {
  const plans = { one: { rateLimit: { requests: 1, tokens: 100, perSeconds: 60 } } };
  const auth = { keys: [{ key, plan: 'one' }] };
  const state = { consumedPoints: 1, remainingPoints: 1, msBeforeNext: 1000 };
  const counting = {
    consume: async () => state,
    penalty: async () => state,
    reward: async () => state,
    get: async () => null,
  };

  it.each<[string, object]>([
    ['consume throws', { consume: thrower }],
    ['consume rejects', { consume: rejecter }],
    ['consume never settles', { consume: never }],
    ['consume returns nothing', { consume: async () => undefined }],
    ['consume returns null', { consume: async () => null }],
    ['consume returns true', { consume: async () => true }],
    ['penalty returns nothing', { penalty: async () => undefined }],
    ['get returns true', { get: async () => true }],
    ['get returns text', { get: async () => '1' }],
  ])('%s', async (_title, faults) => {
    const warn = vi.fn();
    const logger = { debug: () => {}, info: () => {}, error: () => {}, warn };
    const limiter = (() => ({ ...counting, ...faults })) as LimiterFactory;
    const handler = createHandler(inference, { auth, plans, limiter, limiterTimeoutMs: 40, logger });
    const answer = await send(handler, { json: chatBody() });
    expectError(answer, 503, 'overloaded');
    expect(answer.headers['retry-after']).toBe('1');
    const messages = warn.mock.calls.map(([, message]) => message as string);
    expect(messages.filter((message) => message.includes('limit store'))).toHaveLength(1);
  });

  it.each([undefined, null, {}, { consume: never }, Promise.resolve(counting)])('is made as %j', (made) => {
    const limiter = (() => made) as unknown as LimiterFactory;
    expect(() => createHandler(inference, { auth, plans, limiter })).toThrow(
      /^limiter: expected its function to return an object with the methods consume, penalty, reward, get, got /,
    );
  });

  it('a warning that fails changes nothing', async () => {
    const limiter = (() => ({ ...counting, consume: thrower })) as LimiterFactory;
    const logger = { debug: () => {}, info: () => {}, error: () => {}, warn: thrower };
    const handler = createHandler(inference, { auth, plans, limiter, logger });
    expectError(await send(handler, { json: chatBody() }), 503, 'overloaded');
  });
});

describe('onError', () => {
  it.each([
    ['throws', thrower],
    ['rejects', rejecter],
    ['never settles', never],
  ])('%s: the answer stays, and the process lives', async (_title, hook) => {
    const rejections: unknown[] = [];
    const note = (reason: unknown): void => void rejections.push(reason);
    process.on('unhandledRejection', note);
    const warned = vi.spyOn(process, 'emitWarning').mockReturnValue();
    warned.mockClear();
    const onError = hook as NonNullable<HandlerOptions['onError']>;
    const handler = createHandler(inference, { auth: thrower, onError });
    expectError(await send(handler, { json: chatBody() }), 503, 'overloaded');
    await new Promise((resolve) => setTimeout(resolve, 20));
    process.off('unhandledRejection', note);
    expect(rejections).toEqual([]);
    expect(warned).toHaveBeenCalledTimes(hook === never ? 0 : 1);
  });
});
