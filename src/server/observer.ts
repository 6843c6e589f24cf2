import type { RunOrigin } from '../categories/contract.ts';
import type { InferenceObserver } from '../engine/observer.ts';
import type { InferenceError } from '../errors.ts';

/** One HTTP request. All that is told about it has this same object, as `origin` of its runs too. */
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

/** Is told what happens in a handler, as it happens; every method is optional. */
export interface RequestObserver {
  onRequestStart?(request: ObservedRequest): void;
  /** Called once for each request, after what is told about its runs. */
  onRequestEnd?(request: ObservedRequest, end: RequestEnd): void;
}

/**
 * Is told what happens, as it happens: in a handler, and in its inference. Every method is optional, and what
 * one throws changes nothing.
 *
 * @example
 * ```ts
 * const observer: Observer = { onRunEnd: ({ model }, { usage }) => console.log(model, usage) };
 * createHandler(inference, { auth, observers: [observer] });
 * ```
 */
export type Observer = InferenceObserver & RequestObserver;
