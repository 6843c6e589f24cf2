import type { ModelDirectory } from './model.ts';
import type { InferenceObserver } from './observer.ts';
import type { CallOptions, RunEvent } from './run.ts';

/** Time limit for running requests. */
export interface GraceOptions {
  /** Default 10 s. */
  readonly graceMs?: number | undefined;
}

/** Changes the models of an inference while it runs. */
export interface ModelControl<Options> {
  /**
   * Adds a model and begins to load it, unless it is loaded on demand; `load` waits for it.
   *
   * @throws InferenceError `invalid_request` for an id that is taken, or a setting as `createInference` would refuse it;
   * `overloaded` when the inference is closed
   */
  add(id: string, options: Options): void;
  /**
   * Removes a model: new requests fail with `model_not_found`, as do those that wait for it to load; those that run, or
   * wait for their turn, may end. Resolves when nothing of it is left.
   *
   * @throws InferenceError `model_not_found`
   */
  remove(id: string, options?: GraceOptions): Promise<void>;
  /**
   * Loads a model if it isn't loaded, also one that failed; resolves when it is ready.
   *
   * @throws InferenceError `model_not_found`, or why it can't be loaded
   */
  load(id: string): Promise<void>;
  /**
   * Releases a model's memory when the requests that run or wait have ended. The next request loads it again.
   *
   * @throws InferenceError `model_not_found`
   */
  unload(id: string): Promise<void>;
  /**
   * Unloads a model and loads it again, as for changed files; requests that come meanwhile wait within their deadline.
   *
   * @throws InferenceError `model_not_found`, or why it can't be loaded
   */
  reload(id: string): Promise<void>;
}

export interface AnyRequest {
  readonly model: string;
}

/** The functions of an inference that know no category; a handler needs no others. */
export interface InferenceBase extends ModelDirectory {
  /**
   * One request of any category as a stream of events. It is admitted when the first event is asked for; all errors come
   * from the iterator. Leaving it early cancels the request.
   *
   * @param category such as `chat`
   * @throws InferenceError before the first event for a bad request, an unknown model or a full queue; later for
   * cancellation, a passed deadline or a lost worker
   */
  run(category: string, request: AnyRequest, options?: CallOptions): AsyncIterable<RunEvent>;
  /**
   * Adds an observer, once even if it is added twice. Handlers call it for their own `observers`. An inference that a service makes up itself may leave it out.
   *
   * @returns ends it
   */
  observe?(observer: InferenceObserver): () => void;
  /**
   * Resolves when every model is loaded, those aside that load on demand; rejects with the first error of a model that
   * can't be.
   */
  ready(): Promise<void>;
  /**
   * Serves everybody for `drainDelayMs` more (default 0), while `status` says `draining`. Then refuses new requests, lets
   * running ones end (up to `graceMs`, default 10 s), and ends all workers. A second call without a delay ends the delay
   * of the first.
   */
  close(options?: { readonly graceMs?: number; readonly drainDelayMs?: number }): Promise<void>;
}

/** An inference as a handler serves it; one that a service makes up itself may have no models to load. */
export type ServedInference = InferenceBase & Partial<Pick<ModelControl<never>, 'load' | 'unload'>>;
