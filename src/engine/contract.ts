import type { CallOptions, ModelInfo, RunEvent } from '../categories/contract.ts';
import type { InferenceObserver } from './observer.ts';

/** How a model is doing at the moment. */
export interface ModelStatus {
  readonly id: string;
  /**
   * `loading` also while a lost worker is being replaced; `failed` when the model can't be loaded; `draining` when it is
   * ready, but about to be closed, so that balancers send nobody any more.
   */
  readonly state: 'loading' | 'ready' | 'draining' | 'failed' | 'closed';
  /** Requests in the workers' hands, cancelled ones that have not stopped yet included. */
  readonly running: number;
  readonly waiting: number;
}

/** A request of any category. */
export interface AnyRequest {
  readonly model: string;
}

/** The functions of an inference that know no category; a handler needs no others. */
export interface InferenceBase {
  /**
   * One request of any category as a stream of events. It is admitted when the first event is asked for; all errors come
   * from the iterator. Leaving it early cancels the request.
   *
   * @param category such as `chat`
   * @throws InferenceError before the first event for a bad request, an unknown model or a full queue; later for
   * cancellation, a passed deadline or a lost worker
   */
  run(category: string, request: AnyRequest, options?: CallOptions): AsyncIterable<RunEvent>;
  /** Every configured model, loaded or not; until it is, `contextLength` is the configured one or 0. */
  models(): readonly ModelInfo[];
  status(): readonly ModelStatus[];
  /**
   * Tells an observer everything from now on; one that is told already isn't told twice. Handlers call it for their own
   * `observers`. An inference that a service makes up itself may leave it out.
   *
   * @returns ends it
   */
  observe?(observer: InferenceObserver): () => void;
  /** Resolves when every model is loaded; rejects with the first error of a model that can't be. */
  ready(): Promise<void>;
  /**
   * Serves everybody for `drainDelayMs` more (default 0), while `status` says `draining`. Then refuses new requests, lets
   * running ones end (up to `graceMs`, default 10 s), and ends all workers. A second call without a delay ends the delay
   * of the first.
   */
  close(options?: { readonly graceMs?: number; readonly drainDelayMs?: number }): Promise<void>;
}
