import { withinTime } from '../concurrency/within-time.ts';
import { describeValue } from '../core/text/quote.ts';
import { InferenceError } from '../errors.ts';
import { isLimiterState, type LimiterFactory, type LimiterState } from './rate-limit.ts';

/** Reject requests, or serve them uncounted, while the limit store fails. */
export const limiterFailures = ['refuse', 'admit'] as const;

export interface LimiterGuardOptions {
  /** Default `refuse`. */
  readonly onFailure: (typeof limiterFailures)[number];
  readonly timeoutMs: number;
  /** Called once when the store fails and once when it recovers. */
  readonly report: (message: string, cause?: unknown) => void;
}

const methods = ['consume', 'penalty', 'reward', 'get'] as const;
const expected = {
  limiter: `its function to return an object with the methods ${methods.join(', ')}`,
  state: 'a state with the number msBeforeNext',
} as const;

/** Time without calls after a failure: requests would only wait. */
const pauseMs = 1000;

/** Adds deadlines to the limit store, and skips it for a second after a failure. */
export function guardLimiters(
  createLimiter: LimiterFactory,
  { onFailure, timeoutMs, report }: LimiterGuardOptions,
): LimiterFactory {
  let failure: { readonly cause: unknown; readonly atMs: number } | undefined;
  const give = <Answer>(otherwise: Answer): Answer => {
    if (onFailure === 'admit') return otherwise;
    throw new InferenceError('overloaded', "The limits of this key can't be checked at the moment.", {
      retryAfterSeconds: pauseMs / 1000,
      cause: failure?.cause,
    });
  };
  const fail = (cause: unknown): void => {
    const isNew = failure === undefined;
    failure = { cause, atMs: performance.now() };
    const consequence =
      onFailure === 'admit' ? 'requests are not counted' : 'requests of keys with a plan are refused';
    if (isNew) report(`The limit store isn't available: ${consequence}.`, cause);
  };
  const isBack = (): void => {
    if (failure) report('The limit store is available again.');
    failure = undefined;
  };
  const ask = async <Answer>(question: () => Promise<Answer>, otherwise: Answer): Promise<Answer> => {
    if (failure && performance.now() - failure.atMs < pauseMs) return give(otherwise);
    try {
      const answer = await withinTime(question, timeoutMs);
      if (!isLimiterState(answer) && (answer ?? otherwise) !== null)
        throw new TypeError(`limiter: expected ${expected.state}, got ${describeValue(answer)}`);
      isBack();
      return answer;
    } catch (thrown) {
      if (!isLimiterState(thrown)) {
        fail(thrown);
        return give(otherwise);
      }
      isBack();
      throw thrown;
    }
  };
  return (options) => {
    const limiter = createLimiter(options);
    if (!methods.every((name) => typeof limiter?.[name] === 'function'))
      throw new TypeError(`limiter: expected ${expected.limiter}, got ${describeValue(limiter)}`);
    const uncounted: LimiterState = {
      consumedPoints: 0,
      remainingPoints: options.points,
      msBeforeNext: options.duration * 1000,
    };
    return {
      consume: (owner, points) => ask(() => limiter.consume(owner, points), uncounted),
      penalty: (owner, points) => ask(() => limiter.penalty(owner, points), uncounted),
      reward: (owner, points) => ask(() => limiter.reward(owner, points).then(() => uncounted), uncounted),
      get: (owner) => ask(() => limiter.get(owner), null),
    };
  };
}
