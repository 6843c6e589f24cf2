import { RateLimiterMemory } from 'rate-limiter-flexible';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { InferenceError } from '../../src/errors.ts';
import type { Handler } from '../../src/contracts/http.ts';
import { createHandler } from '../../src/create-handler.ts';
import type { HandlerOptions } from '../../src/server/options.ts';
import type { Plan } from '../../src/server/plans.ts';
import type { Logger } from '../../src/observability/logger.ts';
import type { Limiter, LimiterOptions } from '../../src/server/rate-limit.ts';
import { createFakeInference, type FakeInferenceOptions } from '../../src/testing/fake-inference.ts';
import { chatBody, expectError, send, type Answer } from './support.ts';

// The fake counts words: two in the prompt, three in the answer.
const tokensOfOneCall = 5;

function serve(plan: Plan, fake: FakeInferenceOptions = {}, options: Partial<HandlerOptions> = {}): Handler {
  const inference = createFakeInference({
    models: ['fake-chat', 'big-chat'],
    reply: 'one two three',
    ...fake,
  });
  return createHandler(inference, {
    auth: {
      keys: [
        { key: 'a', plan: 'basic' },
        { key: 'b', plan: 'basic' },
        { key: 'c1', id: 'c', plan: 'basic' },
        { key: 'c2', id: 'c', plan: 'basic' },
        'unlimited',
      ],
    },
    plans: { basic: plan },
    onError: () => {},
    ...options,
  });
}

function ask(handler: Handler, key = 'a', additions: object = {}): Promise<Answer> {
  return send(handler, { json: chatBody(additions), headers: { authorization: `Bearer ${key}` } });
}

async function statuses(handler: Handler, count: number, key = 'a'): Promise<number[]> {
  const all: number[] = [];
  for (let call = 0; call < count; call += 1) all.push((await ask(handler, key)).status);
  return all;
}

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

describe('rate limit of requests', () => {
  const plan: Plan = { rateLimit: { requests: 2, perSeconds: 60 } };

  it('refuses with 429 what is too much, until the window ends', async () => {
    const handler = serve(plan);
    expect(await statuses(handler, 2)).toEqual([200, 200]);
    await vi.advanceTimersByTimeAsync(20_000);
    const refused = await ask(handler);
    expectError(refused, 429, 'rate_limit_exceeded');
    expect(refused.json.error.type).toBe('rate_limit_error');
    expect(refused.headers).toMatchObject({
      'retry-after': '40',
      'x-ratelimit-limit-requests': '2',
      'x-ratelimit-remaining-requests': '0',
      'x-ratelimit-reset-requests': '40s',
    });
    await vi.advanceTimersByTimeAsync(40_000);
    expect(await statuses(handler, 3)).toEqual([200, 200, 429]);
  });

  it('tells what is left', async () => {
    const { headers } = await ask(serve(plan));
    expect(headers).toMatchObject({
      'x-ratelimit-limit-requests': '2',
      'x-ratelimit-remaining-requests': '1',
      'x-ratelimit-reset-requests': '60s',
    });
    expect(headers).not.toHaveProperty('x-ratelimit-limit-tokens');
  });

  it('is not used up by refused requests', async () => {
    const consumed = new Map<string, number>();
    const handler = serve(
      plan,
      {},
      {
        limiter: (options) => {
          const limiter = new RateLimiterMemory(options);
          const note = async (owner: string): Promise<void> => {
            consumed.set(owner, (await limiter.get(owner))!.consumedPoints);
          };
          return {
            get: (owner) => limiter.get(owner),
            consume: (owner, points) => limiter.consume(owner, points),
            penalty: (owner, points) => limiter.penalty(owner, points),
            reward: async (owner, points) => {
              const state = await limiter.reward(owner, points);
              await note(owner);
              return state;
            },
          };
        },
      },
    );
    expect(await statuses(handler, 10)).toEqual([200, 200, ...Array.from({ length: 8 }, () => 429)]);
    expect([...consumed.values()]).toEqual([2]);
  });

  it('holds for requests at the same time', async () => {
    const handler = serve(plan);
    const answers = await Promise.all(Array.from({ length: 6 }, () => ask(handler)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 429, 429, 429, 429]);
  });

  it('is counted per owner', async () => {
    const handler = serve(plan);
    expect(await statuses(handler, 3, 'a')).toEqual([200, 200, 429]);
    expect(await statuses(handler, 2, 'b')).toEqual([200, 200]);
    expect(await statuses(handler, 1, 'c1')).toEqual([200]);
    expect(await statuses(handler, 2, 'c2')).toEqual([200, 429]);
    expect(await statuses(handler, 5, 'unlimited')).toEqual([200, 200, 200, 200, 200]);
  });

  it('counts requests that fail, but not looking at models', async () => {
    const handler = serve(plan);
    expect((await ask(handler, 'a', { temperature: 3 })).status).toBe(400);
    for (let call = 0; call < 5; call += 1) {
      const { status } = await send(handler, { url: '/v1/models', headers: { authorization: 'Bearer a' } });
      expect(status).toBe(200);
    }
    expect(await statuses(handler, 2)).toEqual([200, 429]);
  });

  it('is refused before the body is read', async () => {
    const handler = serve(plan);
    await statuses(handler, 2);
    const read = vi.fn();
    async function* body(): AsyncGenerator<Uint8Array> {
      read();
      yield new Uint8Array(1);
    }
    expect((await send(handler, { body: body(), headers: { authorization: 'Bearer a' } })).status).toBe(429);
    expect(read).not.toHaveBeenCalled();
  });
});

describe('rate limit of tokens', () => {
  const plan: Plan = { rateLimit: { tokens: tokensOfOneCall * 2 - 1, perSeconds: 60 } };

  it('refuses once they are spent', async () => {
    const handler = serve(plan);
    const first = await ask(handler);
    expect(first.headers).toMatchObject({
      'x-ratelimit-limit-tokens': '9',
      'x-ratelimit-remaining-tokens': '9',
    });
    const second = await ask(handler);
    expect(second.headers['x-ratelimit-remaining-tokens']).toBe('4');
    const third = await ask(handler);
    expectError(third, 429, 'rate_limit_exceeded');
    expect(third.headers).toMatchObject({ 'retry-after': '60', 'x-ratelimit-remaining-tokens': '0' });
    await vi.advanceTimersByTimeAsync(60_000);
    expect((await ask(handler)).status).toBe(200);
  });

  it('counts streams', async () => {
    const handler = serve(plan);
    await ask(handler, 'a', { stream: true });
    expect((await ask(handler)).headers['x-ratelimit-remaining-tokens']).toBe('4');
  });

  it('counts what a client let be made before it left', async () => {
    const handler = serve(plan, { reply: { text: 'one two three', delayMs: 1000 } });
    const response = await handler({
      method: 'POST',
      url: '/v1/chat/completions',
      headers: { authorization: 'Bearer a' },
      body: { parsed: chatBody({ stream: true }) },
      signal: new AbortController().signal,
    });
    const stream = (response.body as AsyncIterable<string>)[Symbol.asyncIterator]();
    await stream.next();
    const next = stream.next();
    await vi.advanceTimersByTimeAsync(1000);
    await next;
    await stream.return!();
    const after = ask(handler);
    await vi.advanceTimersByTimeAsync(10_000);
    expect((await after).headers['x-ratelimit-remaining-tokens']).toBe('6');
  });
});

describe('quota', () => {
  it('refuses with 403 once it is spent, until it renews', async () => {
    const handler = serve({ quota: { requests: 2, perSeconds: 86_400 } });
    expect(await statuses(handler, 2)).toEqual([200, 200]);
    const refused = await ask(handler);
    expectError(refused, 403, 'quota_exceeded');
    expect(refused.json.error.type).toBe('permission_error');
    expect(refused.headers).not.toHaveProperty('retry-after');
    await vi.advanceTimersByTimeAsync(86_400_000);
    expect((await ask(handler)).status).toBe(200);
  });

  it('counts tokens', async () => {
    const handler = serve({ quota: { tokens: tokensOfOneCall + 1, perSeconds: 86_400 } });
    expect(await statuses(handler, 4)).toEqual([200, 200, 403, 403]);
  });

  it.each([
    ['an invalid request', {}, { temperature: 3 }, 400],
    ['an unknown model', {}, { model: 'nope' }, 404],
    ['a full queue', { reply: { error: new InferenceError('overloaded', 'Full.') } }, {}, 503],
    [
      'a lost worker',
      { reply: { error: new InferenceError('worker_failed', 'Gone.'), failAfter: 2 } },
      {},
      502,
    ],
  ])('is not spent by %s', async (_name, fake, additions, status) => {
    const handler = serve({ quota: { requests: 1, tokens: 1, perSeconds: 86_400 } }, fake);
    for (let call = 0; call < 3; call += 1) expect((await ask(handler, 'a', additions)).status).toBe(status);
  });

  it('of requests is not spent where that of tokens refuses', async () => {
    const states: LimiterOptions[] = [];
    const limiters = new Map<string, RateLimiterMemory>();
    const handler = serve(
      { quota: { requests: 9, tokens: 1, perSeconds: 60 } },
      {},
      {
        limiter: (options) => {
          states.push(options);
          const limiter = new RateLimiterMemory(options);
          limiters.set(options.keyPrefix, limiter);
          return limiter;
        },
      },
    );
    expect(await statuses(handler, 3, 'c1')).toEqual([200, 403, 403]);
    expect(states).toEqual([
      { keyPrefix: 'slashv1:basic:quota:requests', points: 9, duration: 60 },
      { keyPrefix: 'slashv1:basic:quota:tokens', points: 1, duration: 60 },
    ]);
    expect((await limiters.get('slashv1:basic:quota:requests')!.get('c'))!.consumedPoints).toBe(1);
  });
});

describe('tokens that are reserved', () => {
  // Of one call: the two words and the frame of the prompt, and at most 20 tokens of the answer.
  const reserved = 7 + 20;
  const settled = tokensOfOneCall;
  const additions = { max_tokens: 20 };

  it.each([
    ['quota', 403],
    ['rateLimit', 429],
  ] as const)('hold for requests at the same time: %s', async (kind, refused) => {
    const plan = { [kind]: { tokens: 3 * reserved, perSeconds: 60 } };
    const handler = serve(plan, { reply: { text: 'one two three', delayMs: 100 } });
    const pending = Array.from({ length: 40 }, () => ask(handler, 'a', additions));
    await vi.advanceTimersByTimeAsync(1000);
    const all = (await Promise.all(pending)).map(({ status }) => status);
    expect(all.filter((status) => status === 200)).toHaveLength(3);
    expect(all.filter((status) => status === refused)).toHaveLength(37);
  });

  it.each(['quota', 'rateLimit'] as const)('are given back but for those used: %s', async (kind) => {
    const handler = serve({ [kind]: { tokens: 4 * settled, perSeconds: 60 } });
    const all: number[] = [];
    for (let call = 0; call < 6; call++) all.push((await ask(handler, 'a', additions)).status);
    expect(all.map((status) => status === 200)).toEqual([true, true, true, true, false, false]);
  });

  it('end with their window: the next one begins with no gift', async () => {
    const limiters = new Map<string, RateLimiterMemory>();
    const limiter = (options: LimiterOptions) => {
      const one = new RateLimiterMemory(options);
      limiters.set(options.keyPrefix, one);
      return one;
    };
    const reply = { text: 'one two three', delayMs: 1500 };
    const handler = serve({ quota: { tokens: 1000, perSeconds: 2 } }, { reply }, { limiter });
    const answer = ask(handler, 'c1', additions);
    await vi.advanceTimersByTimeAsync(10_000);
    expect((await answer).status).toBe(200);
    const last = ask(handler, 'c1', additions);
    await vi.advanceTimersByTimeAsync(1600);
    const state = await limiters.get('slashv1:basic:quota:tokens')!.get('c');
    expect(state!.consumedPoints).toBe(reserved);
    await vi.advanceTimersByTimeAsync(10_000);
    await last;
  });
});

describe('models of a plan', () => {
  it('refuses others with 403', async () => {
    const handler = serve({ models: ['fake-chat'] });
    expect((await ask(handler)).status).toBe(200);
    const refused = await ask(handler, 'a', { model: 'big-chat' });
    expectError(refused, 403, 'upgrade_required', 'model');
    expect((await ask(handler, 'unlimited', { model: 'big-chat' })).status).toBe(200);
    expect((await ask(handler, 'a', { model: 'nope' })).status).toBe(404);
  });
});

describe('a store', () => {
  it('never sees a key', async () => {
    const owners: string[] = [];
    const handler = serve(
      { rateLimit: { requests: 5, perSeconds: 60 } },
      {},
      {
        limiter: (options) => {
          const limiter = new RateLimiterMemory(options);
          const consume = limiter.consume.bind(limiter);
          limiter.consume = (owner, points) => {
            owners.push(String(owner));
            return consume(owner, points);
          };
          return limiter;
        },
        auth: { keys: [{ key: 'secret-key', plan: 'basic' }] },
      },
    );
    expect((await ask(handler, 'secret-key')).status).toBe(200);
    expect(owners).toEqual([expect.stringMatching(/^[0-9a-f]{32}$/)]);
  });

  /** A store in memory that can be made to fail or hang, and counts what it is asked. */
  function createStore() {
    const store = {
      mode: 'works' as 'works' | 'fails' | 'hangs',
      asked: 0,
      limiter(options: LimiterOptions): Limiter {
        const memory: Limiter = new RateLimiterMemory({ ...options });
        const through =
          <Result>(answer: () => Promise<Result>) =>
          async (): Promise<Result> => {
            store.asked += 1;
            if (store.mode === 'fails') throw new Error('ECONNREFUSED');
            if (store.mode === 'hangs') await new Promise(() => {});
            return answer();
          };
        return {
          consume: (owner, points) => through(() => memory.consume(owner, points))(),
          get: (owner) => through(() => memory.get(owner))(),
          penalty: (owner, points) => through(() => memory.penalty(owner, points))(),
          reward: (owner, points) => through(() => memory.reward(owner, points))(),
        };
      },
    };
    return store;
  }
  const plan: Plan = { rateLimit: { requests: 2, perSeconds: 60 }, quota: { tokens: 1000, perSeconds: 60 } };
  const warnings: string[] = [];
  const logger: Logger = {
    debug: () => {},
    info: () => {},
    error: () => {},
    warn(_fields, message) {
      if (message?.includes('store')) warnings.push(message);
    },
  };
  beforeEach(() => void warnings.splice(0));

  it.each([
    ['fails', 'refuse', 503],
    ['hangs', 'refuse', 503],
    ['fails', 'admit', 200],
    ['hangs', 'admit', 200],
  ] as const)('that %s: %s answers %d', async (mode, onLimiterFailure, status) => {
    const store = createStore();
    const { limiter } = store;
    const handler = serve(plan, {}, { limiter, onLimiterFailure, limiterTimeoutMs: 300, logger });
    expect((await ask(handler)).status).toBe(200);
    store.mode = mode;
    const before = store.asked;
    const first = ask(handler);
    await vi.advanceTimersByTimeAsync(300);
    expect((await first).status).toBe(status);
    // The next ones don't wait for a store that has just failed, not even those who go beyond the limit.
    expect(await statuses(handler, 3)).toEqual([status, status, status]);
    expect(store.asked - before).toBe(1);
    expect(warnings).toHaveLength(1);

    store.mode = 'works';
    await vi.advanceTimersByTimeAsync(1000);
    expect(await statuses(handler, 2)).toEqual([200, 429]);
    expect(warnings).toEqual([
      expect.stringContaining("isn't available"),
      'The limit store is available again.',
    ]);
  });

  it('that is down refuses nobody without a plan, and tells the others when to come again', async () => {
    const store = createStore();
    const handler = serve(plan, {}, { limiter: store.limiter, logger });
    store.mode = 'fails';
    const refused = await ask(handler);
    expectError(refused, 503, 'overloaded');
    expect([refused.headers['retry-after'], refused.text.includes('ECONNREFUSED')]).toEqual(['1', false]);
    expect((await ask(handler, 'unlimited')).status).toBe(200);
  });

  it.each([
    [{ limiterTimeoutMs: 0 }, /^limiterTimeoutMs: expected an integer/],
    [{ onLimiterFailure: 'open' as never }, /^onLimiterFailure: expected "refuse" or "admit", got "open"/],
  ])('refuses %j', (options, message) => {
    expect(() => serve(plan, {}, options)).toThrow(message);
  });
});
