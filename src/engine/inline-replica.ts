import { InferenceError } from '../errors.ts';
import type { LoadProgress, ModelInfo, ModelSpec } from '../contracts/model.ts';
import type { Pipeline } from '../contracts/category.ts';
import type { UpstreamStatus } from '../contracts/run.ts';
import { createDeferred } from '../concurrency/deferred.ts';
import { driveRun } from './drive-run.ts';
import { loadError } from './load-error.ts';
import type { LoadPipeline } from './protocol.ts';
import type {
  Replica,
  ReplicaListener,
  ReplicaState,
  CancelHandle,
  RequestLabels,
  RequestListener,
  StartReplica,
} from './replica.ts';

/**
 * Replicas that run in the calling process, for scripts and unit tests: nothing protects the caller from a crash or from a step
 * that blocks, and a run that ignores its cancellation keeps its place until it ends.
 */
export function inlineReplicas(loadPipeline: LoadPipeline): StartReplica {
  return (spec, listener) => new InlineReplica(spec, listener, loadPipeline);
}

class InlineReplica implements Replica {
  readonly restartsInMs = 0;
  readonly isLooping = false;
  readonly #listener: ReplicaListener;
  readonly #firstLoad = createDeferred();
  readonly #loading: Promise<void>;
  readonly #runs = new Map<AbortController, Promise<void>>();
  loadProgress: LoadProgress | undefined;
  #pipeline: Pipeline | undefined;
  state: ReplicaState = 'loading';
  error: InferenceError | undefined;
  #closed: Promise<void> | undefined;

  constructor(spec: ModelSpec, listener: ReplicaListener, loadPipeline: LoadPipeline) {
    this.#listener = listener;
    this.#loading = this.#load(spec, loadPipeline);
  }

  get info(): ModelInfo | undefined {
    return this.#pipeline?.info;
  }

  get concurrency(): number {
    return this.#pipeline?.concurrency ?? 0;
  }

  get reserve(): number | undefined {
    return this.#pipeline?.reserve;
  }

  get upstreams(): readonly UpstreamStatus[] | undefined {
    return this.#pipeline?.upstreams?.();
  }

  get running(): number {
    return this.#runs.size;
  }

  get loaded(): Promise<void> {
    return this.#firstLoad.promise;
  }

  start(request: unknown, observer: RequestListener, labels: RequestLabels = {}): CancelHandle {
    const controller = new AbortController();
    const { signal } = controller;
    const drive = async (): Promise<void> => {
      await Promise.resolve();
      const error = await driveRun(this.#pipeline!, request, { ...labels, signal }, (event) =>
        observer.onEvents([event]),
      );
      this.#runs.delete(controller);
      observer.onEnd(error);
    };
    this.#runs.set(controller, drive());
    return { cancel: () => controller.abort() };
  }

  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #load(spec: ModelSpec, loadPipeline: LoadPipeline): Promise<void> {
    // Never within the constructor, whatever the loader does.
    await Promise.resolve();
    const startedAt = performance.now();
    try {
      const pipeline = await loadPipeline(spec, (progress) => (this.loadProgress = progress));
      this.#pipeline = pipeline;
      if (this.state !== 'closed') {
        const { runtime } = pipeline;
        this.#listener.onEvent({ type: 'load', loadMs: performance.now() - startedAt, runtime });
      }
      this.#firstLoad.resolve();
      this.#setState('ready');
    } catch (error) {
      const detail = error instanceof Error ? error.message : String(error);
      this.error = loadError(spec.id, InferenceError.from(error).serialize(), detail);
      this.#firstLoad.reject(this.error);
      if (this.state !== 'closed') this.#listener.onEvent({ type: 'failure', error: this.error });
      this.#setState('failed');
    }
  }

  async #close(): Promise<void> {
    this.#firstLoad.reject(
      new InferenceError('overloaded', 'The service was closed before the model was loaded.'),
    );
    this.#setState('closed');
    await this.#loading;
    await Promise.all(this.#runs.values());
    await this.#pipeline?.close();
  }

  #setState(state: ReplicaState): void {
    if (this.state === state || this.state === 'closed') return;
    this.state = state;
    this.#listener.onChange();
  }
}
