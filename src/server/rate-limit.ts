import { z } from 'zod';
import type { InferenceError } from '../errors.ts';
import { numberSchema } from '../validation/number-schema.ts';
import type { InputsOf, SchemaOf } from '../validation/setting-table.ts';

const atLeastOne = numberSchema({ type: 'int', min: 1 });

const limitFields = {
  /** At least 1. */
  requests: atLeastOne.optional(),
  /**
   * Prompt and answer together, at least 1. Reserved by estimate at the start of a request and settled at its end; at 0 left,
   * requests are rejected.
   */
  tokens: atLeastOne.optional(),
  /** Length of the window, which begins with an owner's first request. */
  perSeconds: atLeastOne,
};

/** Requests and tokens within a fixed window of time. */
export interface Limit extends InputsOf<typeof limitFields> {}

export const limitSchema: SchemaOf<Limit> = z
  .strictObject(limitFields)
  .refine(({ requests, tokens }) => requests !== undefined || tokens !== undefined, {
    error: 'expected `requests`, `tokens` or both',
  });

/** Usage of an owner within one window. */
export interface LimiterState {
  readonly consumedPoints: number;
  readonly remainingPoints: number;
  readonly msBeforeNext: number;
}

/** A counter per owner; compatible with every limiter class of `rate-limiter-flexible`. */
export interface Limiter {
  /** Rejects with a `LimiterState` if there are not enough points left. */
  consume(key: string, points: number): Promise<LimiterState>;
  penalty(key: string, points: number): Promise<LimiterState>;
  reward(key: string, points: number): Promise<LimiterState>;
  get(key: string): Promise<LimiterState | null>;
}

/** Options of every limiter class of `rate-limiter-flexible`. */
export interface LimiterOptions {
  readonly keyPrefix: string;
  readonly points: number;
  /** Seconds. */
  readonly duration: number;
}

/** Creates the limiter for one kind of points of one plan. */
export type LimiterFactory = (options: LimiterOptions) => Limiter;

export type Allowance = ReturnType<typeof toAllowance>;

export type Refuse = (limit: string, retryAfterSeconds: number) => InferenceError;

/** Replaces the reserved tokens with the tokens actually used. */
export type Settle = (tokens: number) => Promise<void>;

type Tell = (of: Counter['of'], left: Allowance) => void;

export type Budget = ReturnType<typeof createBudget>;

// A Node timer holds at most 2³¹ − 1 ms, and the in-memory limiter expires windows with timers.
const maxWindowInMemorySeconds = 2_147_483;

export function createMemoryLimiter(options: LimiterOptions): Limiter {
  if (options.duration > maxWindowInMemorySeconds) {
    throw new RangeError(
      `perSeconds: expected at most ${maxWindowInMemorySeconds} without a \`limiter\`, got ${options.duration}`,
    );
  }
  let loading: Promise<Limiter> | undefined;
  // Imported lazily: the package loads each store that it supports.
  const load = () =>
    (loading ??= import('rate-limiter-flexible').then(
      (stores) => new stores.RateLimiterMemory({ ...options }),
    ));
  return {
    consume: async (key, points) => (await load()).consume(key, points),
    penalty: async (key, points) => (await load()).penalty(key, points),
    reward: async (key, points) => (await load()).reward(key, points),
    get: async (key) => (await load()).get(key),
  };
}

/** Counts one `Limit`; rejected requests cost nothing. */
export function createBudget(
  limit: Limit,
  { keyPrefix, createLimiter, refuse }: { keyPrefix: string; createLimiter: LimiterFactory; refuse: Refuse },
) {
  const create = (of: 'requests' | 'tokens'): Counter | undefined => {
    const points = limit[of];
    if (points === undefined) return undefined;
    const limiter = createLimiter({ keyPrefix: `${keyPrefix}:${of}`, points, duration: limit.perSeconds });
    return { of, limit: points, windowMs: limit.perSeconds * 1000, limiter, refuse };
  };
  const requests = create('requests');
  const tokens = create('tokens');
  const assertLeft = async (counter: Counter, owner: string, tell?: Tell): Promise<void> => {
    const left = await look(counter, owner);
    tell?.(counter.of, left);
    if (left.remaining === 0) throw refusal(counter, left.resetMs);
  };
  return {
    async admit(owner: string, tell?: Tell): Promise<void> {
      if (tokens) await assertLeft(tokens, owner, tell);
      if (!requests) return;
      const { taken, allowance } = await takeOne(requests, owner);
      tell?.('requests', allowance);
      if (!taken) throw refusal(requests, allowance.resetMs);
    },
    /** Throws like `admit`, without counting. */
    async assertLeft(owner: string): Promise<void> {
      for (const counter of [tokens, requests]) if (counter) await assertLeft(counter, owner);
    },
    async refund(owner: string): Promise<void> {
      await requests?.limiter.reward(owner, 1);
    },
    /** Reserves tokens while any are left, before the actual number is known: the last request may exceed the limit. */
    reserve: async (owner: string, count: number): Promise<Settle> =>
      tokens ? reserve(tokens, owner, count) : async () => {},
  };
}

/** Adds first, then checks, so that concurrent requests, even on different hosts, see each other. */
async function reserve(counter: Counter, owner: string, wanted: number): Promise<Settle> {
  const { limiter, limit, windowMs } = counter;
  const reserved = Math.min(wanted, limit);
  let endsAt = performance.now() + windowMs;
  if (reserved > 0) {
    const { consumedPoints, msBeforeNext } = await limiter.penalty(owner, reserved);
    endsAt = performance.now() + Math.min(msBeforeNext, windowMs);
    if (consumedPoints - reserved >= limit) {
      await limiter.reward(owner, reserved);
      throw refusal(counter, msBeforeNext);
    }
  }
  return async (used) => {
    // The reservation ended with its window.
    const more = used - (performance.now() < endsAt ? reserved : 0);
    if (more > 0) await limiter.penalty(owner, more);
    else if (more < 0) await limiter.reward(owner, -more);
  };
}

interface Counter {
  readonly of: 'requests' | 'tokens';
  readonly limit: number;
  readonly windowMs: number;
  readonly limiter: Limiter;
  readonly refuse: Refuse;
}

async function look(counter: Counter, owner: string): Promise<Allowance> {
  const state = await counter.limiter.get(owner);
  const current = state !== null && state.msBeforeNext > 0 ? state : null;
  return toAllowance(counter, current?.consumedPoints ?? 0, current?.msBeforeNext ?? counter.windowMs);
}

async function takeOne(counter: Counter, owner: string): Promise<{ taken: boolean; allowance: Allowance }> {
  try {
    const state = await counter.limiter.consume(owner, 1);
    return { taken: true, allowance: toAllowance(counter, state.consumedPoints, state.msBeforeNext) };
  } catch (state) {
    if (!isLimiterState(state)) throw state;
    // The limiter counts rejected requests too; a client that keeps retrying must not lock itself out.
    await counter.limiter.reward(owner, 1);
    return { taken: false, allowance: toAllowance(counter, counter.limit, state.msBeforeNext) };
  }
}

/** A store may use the machine's clock, which can jump: clamp to the window. */
function toAllowance({ limit, windowMs }: Counter, consumed: number, resetMs: number) {
  const remaining = Math.max(0, limit - consumed);
  return { limit, remaining, resetMs: Math.min(windowMs, Math.max(0, resetMs)) };
}

function refusal({ of, limit, windowMs, refuse }: Counter, resetMs: number): InferenceError {
  return refuse(`${limit} ${of}`, Math.max(1, Math.ceil(Math.min(resetMs, windowMs) / 1000)));
}

/** True for a limiter's rejection, false for a failure. */
export function isLimiterState(value: unknown): value is LimiterState {
  return !(value instanceof Error) && typeof (value as LimiterState | null)?.msBeforeNext === 'number';
}
