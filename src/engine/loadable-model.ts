import type { ModelInfo, ModelSpec } from '../contracts/model.ts';
import { createDeferred, type Deferred } from '../concurrency/deferred.ts';
import { InferenceError } from '../errors.ts';
import type { UnloadReason } from '../contracts/observer.ts';
import type { Replica, StartReplica } from './replica.ts';
import { startReplicas, type ReplicaSet, type ReplicaSetListener } from './replica-set.ts';
import type { Room } from './room.ts';

export interface LoadableModelOptions {
  readonly specs: readonly ModelSpec[];
  readonly startReplica: StartReplica;
  /** `undefined` for a model that uses no memory here. */
  readonly room: Room | undefined;
  /** Never unloaded to make room. */
  readonly isPinned: boolean;
  /** Listener of its events; never called synchronously by the constructor, `load` or `unload`. */
  readonly listener: LoadableModelListener;
}

export interface LoadableModelListener extends ReplicaSetListener {
  /** It will be unloaded once `isBusy` returns false: its current requests are its last. */
  onLeave(): void;
  onUnload(reason: UnloadReason): void;
  /** Whether requests still need it; when that changes, call `settle`. */
  isBusy(): boolean;
  isIdle(): boolean;
}

/** After this time a use has half its weight. */
const halfLifeMs = 60_000;

/**
 * A model that is in memory or not. It goes from `unloaded` via `loading` to `ready` or `failed`, and back: never
 * during a request, and never with two copies at the same time.
 */
export class LoadableModel {
  readonly #options: LoadableModelOptions;
  #replicas: ReplicaSet | undefined;
  #isWanted = false;
  #loading = createDeferred();
  #leaving: (Deferred & { readonly reason: UnloadReason }) | undefined;
  #isReleasing = false;
  #lastInfo: ModelInfo | undefined;
  #memoryBytes = 0;
  #uses = 0;
  #lastUsedMs = 0;

  constructor(options: LoadableModelOptions) {
    this.#options = options;
    this.#loading.resolve();
  }

  get isPinned(): boolean {
    return this.#options.isPinned;
  }

  get replicas(): ReplicaSet | undefined {
    return this.#replicas;
  }

  get memoryBytes(): number {
    return this.#memoryBytes;
  }

  /** `loading` includes waiting for a slot. */
  get state(): 'unloaded' | ReplicaSet['state'] {
    if (this.#replicas && !this.#isReleasing) return this.#replicas.state;
    return this.#isWanted ? 'loading' : 'unloaded';
  }

  get info(): ModelInfo | undefined {
    return this.#replicas?.info ?? this.#lastInfo;
  }

  get loaded(): Promise<void> {
    return this.#loading.promise;
  }

  get isLeaving(): boolean {
    return this.#leaving !== undefined;
  }

  get isIdle(): boolean {
    return this.#options.listener.isIdle();
  }

  get isLoading(): boolean {
    return this.state === 'loading' || this.state === 'unloaded';
  }

  get recentUses(): number {
    return this.#uses * 2 ** ((this.#lastUsedMs - performance.now()) / halfLifeMs);
  }

  /** A replica that can take one more request now. */
  free(isReserved: boolean): Replica | undefined {
    return this.#isReleasing ? undefined : this.#replicas?.free(isReserved);
  }

  touch(): void {
    this.#uses = this.recentUses + 1;
    this.#lastUsedMs = performance.now();
  }

  /** Loads it unless it is loaded, also again after a failure; resolves when it is ready. */
  load(): Promise<void> {
    if (this.#isWanted) {
      if (this.#replicas?.state !== 'failed') return this.#loading.promise;
      void this.unload('failure');
    }
    this.#isWanted = true;
    this.#loading = createDeferred();
    this.touch();
    this.start();
    return this.#loading.promise;
  }

  start(): void {
    const { specs, startReplica, room, listener } = this.#options;
    if (!this.#isWanted || this.#replicas || (room && !room.enter(this))) return;
    const load = this.#loading;
    const started = startReplicas(specs, startReplica, {
      onChange: () => {
        this.#lastInfo = started.info ?? this.#lastInfo;
        this.#memoryBytes = started.memoryBytes || this.#memoryBytes;
        listener.onChange();
        this.settle();
        room?.update();
      },
      onEvent: listener.onEvent,
    });
    this.#replicas = started;
    started.loaded().then(load.resolve, load.reject);
  }

  /** Unloads it as soon as no request needs it, then resolves. */
  unload(reason: UnloadReason): Promise<void> {
    this.#isWanted = false;
    // Replicas that are closed while loading report that themselves.
    const replicasReport = reason === 'close' && this.#replicas && !this.#leaving;
    if (!replicasReport) this.#loading.reject(notLoaded(reason));
    if (!this.#replicas) {
      this.#options.room?.leave(this);
      // Waiting requests are queued again.
      queueMicrotask(() => this.#options.listener.onChange());
    } else if (!this.#leaving) {
      this.#leaving = { ...createDeferred(), reason };
      this.#options.listener.onLeave();
      this.settle();
    }
    return this.#leaving?.promise ?? Promise.resolve();
  }

  evict(): void {
    // An error while closing is reported to the caller that waits for it.
    void this.unload('room');
  }

  /** Completes a pending unload once no request needs the model. */
  settle(): void {
    if (this.#leaving && !this.#isReleasing && !this.#options.listener.isBusy()) void this.#release();
  }

  /** Unloads it now: only when every run has ended or been cancelled. */
  close(): Promise<void> {
    const closed = this.unload('close');
    if (this.#leaving && !this.#isReleasing) void this.#release();
    return closed;
  }

  async #release(): Promise<void> {
    this.#isReleasing = true;
    const { reason, resolve, reject } = this.#leaving!;
    await this.#replicas!.close().then(resolve, reject);
    this.#replicas = undefined;
    this.#leaving = undefined;
    this.#isReleasing = false;
    if (reason !== 'close') this.#options.listener.onUnload(reason);
    this.#options.room?.leave(this);
    this.start();
    this.#options.listener.onChange();
  }
}

function notLoaded(reason: UnloadReason): InferenceError {
  const subject = reason === 'close' ? 'The service was closed' : 'The model was unloaded';
  return new InferenceError('overloaded', `${subject} before the model was loaded.`, {
    retryAfterSeconds: 1,
  });
}
