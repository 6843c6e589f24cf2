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
  /** `undefined` for a model that takes no memory here. */
  readonly room: Room | undefined;
  /** Never unloaded to make room for others. */
  readonly isPinned: boolean;
  /** Listener of its events; nothing is called from within the creation, `load` or `unload`. */
  readonly listener: LoadableModelListener;
}

export interface LoadableModelListener extends ReplicaSetListener {
  /** It is going to be unloaded when `isBusy` says no: the requests that it has now are its last. */
  onLeave(): void;
  onUnload(reason: UnloadReason): void;
  /** Whether requests still need it; `settle` has to be called when that has changed. */
  isBusy(): boolean;
  isIdle(): boolean;
}

/** After this time a use counts half. */
const halfLifeMs = 60_000;

/**
 * A model that is in memory or not. It moves from `unloaded` over `loading` to `ready` or `failed`, and back: never
 * under a running request, and never to two copies at once.
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

  /** `loading` also while it waits for a place. */
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

  /** Loads it if it isn't loaded, also again after a failure; resolves when it is ready. */
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

  /** Unloads it when no request needs it any more; resolves then. */
  unload(reason: UnloadReason): Promise<void> {
    this.#isWanted = false;
    // Replicas that are closed while they load report that themselves.
    const replicasReport = reason === 'close' && this.#replicas && !this.#leaving;
    if (!replicasReport) this.#loading.reject(notLoaded(reason));
    if (!this.#replicas) {
      this.#options.room?.leave(this);
      // Requests that wait get in line again.
      queueMicrotask(() => this.#options.listener.onChange());
    } else if (!this.#leaving) {
      this.#leaving = { ...createDeferred(), reason };
      this.#options.listener.onLeave();
      this.settle();
    }
    return this.#leaving?.promise ?? Promise.resolve();
  }

  evict(): void {
    // A failure to close shows where somebody waits for it.
    void this.unload('room');
  }

  /** Unloads it at last if it is to be unloaded and nobody needs it any more. */
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
