import { withinTime } from '../concurrency/within-time.ts';
import { InferenceError } from '../errors.ts';
import { isLimiterState, type Limiter, type LimiterFactory, type LimiterState } from './rate-limit.ts';

/** Treatment of requests while the store of limits doesn't answer: they are refused, or served uncounted. */
export const limiterFailures = ['refuse', 'admit'] as const;

export interface LimiterGuardOptions {
  /** Default `refuse`. */
  readonly onFailure: (typeof limiterFailures)[number];
  readonly timeoutMs: number;
  /** Told once when the store fails, and once when it is back. */
  readonly report: (message: string, cause?: unknown) => void;
}

/** A store that has just failed is not asked again: the request would only wait. */
const pauseMs = 1000;

/**
 * Gives every answer of a store of limits a deadline. After a failure the store is left alone for a second; until it
 * answers again, requests are refused with `overloaded`, or nothing is counted.
 */
export function guardLimiters(createLimiter: LimiterFactory, options: LimiterGuardOptions): LimiterFactory {
  const store = new StoreHealth(options);
  return (limiterOptions) => {
    const limiter = createLimiter(limiterOptions);
    const uncounted: LimiterState = {
      consumedPoints: 0,
      remainingPoints: limiterOptions.points,
      msBeforeNext: limiterOptions.duration * 1000,
    };
    const guarded =
      <Answer>(ask: (owner: string, points: number) => Promise<Answer>, otherwise: Answer) =>
      (owner: string, points: number): Promise<Answer> =>
        store.ask(() => ask(owner, points), otherwise);
    const get = guarded<LimiterState | null>((owner) => limiter.get(owner), null);
    return {
      consume: guarded((owner, points) => limiter.consume(owner, points), uncounted),
      penalty: guarded((owner, points) => limiter.penalty(owner, points), uncounted),
      reward: guarded((owner, points) => limiter.reward(owner, points), uncounted),
      get: (owner) => get(owner, 0),
    } satisfies Limiter;
  };
}

class StoreHealth {
  readonly #options: LimiterGuardOptions;
  #failure: { readonly cause: unknown; readonly atMs: number } | undefined;

  constructor(options: LimiterGuardOptions) {
    this.#options = options;
  }

  async ask<Answer>(question: () => Promise<Answer>, otherwise: Answer): Promise<Answer> {
    if (this.#failure && performance.now() - this.#failure.atMs < pauseMs) return this.#give(otherwise);
    try {
      const answer = await withinTime(question(), this.#options.timeoutMs);
      this.#isBack();
      return answer;
    } catch (thrown) {
      if (isLimiterState(thrown)) {
        this.#isBack();
        throw thrown;
      }
      this.#fail(thrown);
      return this.#give(otherwise);
    }
  }

  #give<Answer>(otherwise: Answer): Answer {
    if (this.#options.onFailure === 'admit') return otherwise;
    throw new InferenceError('overloaded', "The limits of this key can't be checked at the moment.", {
      retryAfterSeconds: pauseMs / 1000,
      cause: this.#failure?.cause,
    });
  }

  #fail(cause: unknown): void {
    const isNew = this.#failure === undefined;
    this.#failure = { cause, atMs: performance.now() };
    if (!isNew) return;
    const consequence =
      this.#options.onFailure === 'admit'
        ? 'requests are not counted'
        : 'requests of keys with a plan are refused';
    this.#options.report(`The store of limits doesn't answer: ${consequence}.`, cause);
  }

  #isBack(): void {
    if (!this.#failure) return;
    this.#failure = undefined;
    this.#options.report('The store of limits answers again.');
  }
}
