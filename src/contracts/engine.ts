import type { ModelDirectory } from './model.ts';
import type { InferenceObserver } from './observer.ts';
import type { CallOptions, RunEvent } from './run.ts';

/** Time limit for running requests. */
export interface GraceOptions {
  /** Default 10 s. */
  readonly graceMs?: number | undefined;
}

/** Changes the models of a running inference. */
export interface ModelControl<Options> {
  /**
   * Adds a model and starts loading it, unless it loads on demand; `load` waits for it.
   *
   * @throws InferenceError `invalid_request` for a taken id or a setting that `createInference` rejects; `overloaded` once the
   * inference is closed
   */
  add(id: string, options: Options): void;
  /**
   * Removes a model: new requests, and requests waiting for it to load, fail with `model_not_found`; running and queued requests
   * may finish. Resolves once it is gone.
   *
   * @throws InferenceError `model_not_found`
   */
  remove(id: string, options?: GraceOptions): Promise<void>;
  /**
   * Loads an unloaded or failed model; resolves when it is ready.
   *
   * @throws InferenceError `model_not_found`, or why it can't be loaded
   */
  load(id: string): Promise<void>;
  /**
   * Frees a model's memory once its running and queued requests have ended. The next request loads it again.
   *
   * @throws InferenceError `model_not_found`
   */
  unload(id: string): Promise<void>;
  /**
   * Unloads a model and loads it again, for example after its files changed; requests wait meanwhile, within their deadline.
   *
   * @throws InferenceError `model_not_found`, or why it can't be loaded
   */
  reload(id: string): Promise<void>;
}

export interface AnyRequest {
  readonly model: string;
}

/** The category-independent functions of an inference, which are all that a handler needs. */
export interface InferenceBase extends ModelDirectory {
  /**
   * One request of any category as a stream of events, admitted when the first event is pulled; all errors are thrown by the
   * iterator. Leaving it early cancels the request.
   *
   * @param category such as `chat`
   * @throws InferenceError before the first event for an invalid request, an unknown model or a full queue; later for
   * cancellation, an expired deadline or a lost worker
   */
  run(category: string, request: AnyRequest, options?: CallOptions): AsyncIterable<RunEvent>;
  /**
   * Adds an observer; adding it twice has no effect. Handlers use it for their own `observers`. Optional in custom inferences.
   *
   * @returns removes it
   */
  observe?(observer: InferenceObserver): () => void;
  /** Resolves when every model is loaded, except models that load on demand; rejects with the first load error. */
  ready(): Promise<void>;
  /**
   * Serves requests for `drainDelayMs` more (default 0), while `status` reports `draining`. Then rejects new requests, lets
   * running requests finish (up to `graceMs`, default 10 s), and ends all workers. A second call without a delay ends the first
   * call's delay.
   */
  close(options?: { readonly graceMs?: number; readonly drainDelayMs?: number }): Promise<void>;
}

/** An inference as a handler serves it; a custom inference may be unable to load models. */
export type ServedInference = InferenceBase & Partial<Pick<ModelControl<never>, 'load' | 'unload'>>;
