import type { RunOrigin } from '../categories/contract.ts';
import type { InferenceObserver } from '../engine/observer.ts';
import type { InferenceError } from '../errors.ts';

/** One HTTP request. Every call about it passes this same object, as `origin` of its runs too. */
export interface ObservedRequest extends RunOrigin {
  readonly method: string;
  /** The template of its path below `/v1`, such as `/models/{model_id}`; `undefined` where nothing is there. */
  readonly route: string | undefined;
}

/** Outcome of a request. */
export interface RequestEnd {
  readonly status: number;
  /** Until the response, and the whole stream if it is one, has been handed over. */
  readonly durationMs: number;
  /**
   * The error that the client got, also in a stream; `cancelled` where it has disconnected. Otherwise a failure after the answer,
   * such as the store of quotas. Its message may quote the request, its `cause` is for the operator.
   */
  readonly error: InferenceError | undefined;
}

/** Receives the events of a handler as they happen; every method is optional. */
export interface RequestObserver {
  onRequestStart?(request: ObservedRequest): void;
  /** Called once for each request, after the calls about its runs. */
  onRequestEnd?(request: ObservedRequest, end: RequestEnd): void;
}

/**
 * Receives the events of a handler and its inference as they happen. Every method is optional, and an error that one
 * throws changes nothing.
 *
 * @example
 * ```ts
 * const observer: Observer = { onRunEnd: ({ model }, { usage }) => console.log(model, usage) };
 * createHandler(inference, { auth, observers: [observer] });
 * ```
 */
export type Observer = InferenceObserver & RequestObserver;
