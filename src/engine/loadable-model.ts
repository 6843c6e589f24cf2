import type { ModelInfo, ModelSpec } from '../contracts/model.ts';
import { createDeferred, type Deferred } from '../concurrency/deferred.ts';
import { InferenceError } from '../errors.ts';
import type { UnloadReason } from '../contracts/observer.ts';
import type { Replica, ReplicaEvent, StartReplica } from './replica.ts';
import { ReplicaSet } from './replica-set.ts';
import type { Occupant, Room } from './room.ts';

export interface LoadableModelOptions {
  readonly specs: readonly ModelSpec[];
  readonly startReplica: StartReplica;
  /** `undefined` for a model that takes no memory here. */
  readonly room: Room | undefined;
  /** Never unloaded to make room for others. */
  readonly isPinned: boolean;
  /** Listener of its events; nothing is called from within the constructor, `load` or `unload`. */
  readonly listener: LoadableModelListener;
}

export interface LoadableModelListener {
  onChange(): void;
  onEvent(replica: number, event: ReplicaEvent): void;
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
export class LoadableModel implements Occupant {
  readonly #options: LoadableModelOptions;
  replicas: ReplicaSet | undefined;
  #isWanted = false;
  #load: Deferred = createDeferred();
  #leave: (Deferred & { readonly reason: UnloadReason }) | undefined;
  #isReleasing = false;
  #info: ModelInfo | undefined;
  memoryBytes = 0;
  #uses = 0;
  #lastUsedMs = 0;

  constructor(options: LoadableModelOptions) {
    this.#options = options;
    this.#load.resolve();
  }

  /** `loading` also while it waits for a place. */
  get state(): 'unloaded' | ReplicaSet['state'] {
    if (this.replicas && !this.#isReleasing) return this.replicas.state;
    return this.#isWanted ? 'loading' : 'unloaded';
  }

  get info(): ModelInfo | undefined {
    return this.replicas?.info ?? this.#info;
  }

  get loaded(): Promise<void> {
    return this.#load.promise;
  }

  get isLeaving(): boolean {
    return this.#leave !== undefined;
  }

  get isIdle(): boolean {
    return this.#options.listener.isIdle();
  }

  get isPinned(): boolean {
    return this.#options.isPinned;
  }

  get isLoading(): boolean {
    const { state } = this;
    return state === 'loading' || state === 'unloaded';
  }

  get recentUses(): number {
    return this.#uses * 2 ** ((this.#lastUsedMs - performance.now()) / halfLifeMs);
  }

  /** A replica that can take one more request now. */
  free(isReserved: boolean): Replica | undefined {
    return this.#isReleasing ? undefined : this.replicas?.free(isReserved);
  }

  touch(): void {
    this.#uses = this.recentUses + 1;
    this.#lastUsedMs = performance.now();
  }

  /** Loads it if it isn't loaded, also again after a failure; resolves when it is ready. */
  load(): Promise<void> {
    if (this.#isWanted) {
      if (this.replicas?.state !== 'failed') return this.loaded;
      void this.unload('failure');
    }
    this.#isWanted = true;
    this.#load = createDeferred();
    this.touch();
    this.start();
    return this.loaded;
  }

  start(): void {
    const { specs, startReplica, room, listener } = this.#options;
    if (!this.#isWanted || this.replicas || (room && !room.enter(this))) return;
    const load = this.#load;
    const bytes = specs.map(() => 0);
    const replicas = new ReplicaSet(specs, startReplica, {
      onChange: () => {
        this.#info = replicas.info ?? this.#info;
        listener.onChange();
        this.settle();
        room?.update();
      },
      onEvent: (replica, event) => {
        if (event.type === 'load') bytes[replica] = event.memoryBytes ?? 0;
        this.memoryBytes = bytes.reduce((sum, size) => sum + size, 0);
        listener.onEvent(replica, event);
      },
    });
    this.replicas = replicas;
    replicas.loaded().then(load.resolve, load.reject);
  }

  /** Unloads it when no request needs it any more; resolves then. */
  unload(reason: UnloadReason): Promise<void> {
    this.#isWanted = false;
    // Replicas that are closed while they load report that themselves.
    const replicasReport = reason === 'close' && this.replicas && !this.#leave;
    if (!replicasReport) this.#load.reject(notLoaded(reason));
    const { room, listener } = this.#options;
    if (!this.replicas) {
      room?.leave(this);
      // Requests that wait get in line again.
      queueMicrotask(() => listener.onChange());
    } else if (!this.#leave) {
      this.#leave = { ...createDeferred(), reason };
      listener.onLeave();
      this.settle();
    }
    return this.#leave?.promise ?? Promise.resolve();
  }

  evict(): void {
    // A failure to close shows where somebody waits for it.
    void this.unload('room');
  }

  /** Unloads it at last if it is to be unloaded and nobody needs it any more. */
  settle(): void {
    if (this.#leave && !this.#isReleasing && !this.#options.listener.isBusy()) void this.#release();
  }

  /** Unloads it now: only when every run has ended or been cancelled. */
  close(): Promise<void> {
    const closed = this.unload('close');
    if (this.#leave && !this.#isReleasing) void this.#release();
    return closed;
  }

  async #release(): Promise<void> {
    this.#isReleasing = true;
    const { room, listener } = this.#options;
    const { reason, resolve, reject } = this.#leave!;
    try {
      await this.replicas!.close();
      resolve();
    } catch (error) {
      reject(error);
    }
    this.replicas = undefined;
    this.#leave = undefined;
    this.#isReleasing = false;
    if (reason !== 'close') listener.onUnload(reason);
    room?.leave(this);
    this.start();
    listener.onChange();
  }
}

function notLoaded(reason: UnloadReason): InferenceError {
  const subject = reason === 'close' ? 'The service was closed' : 'The model was unloaded';
  return new InferenceError('overloaded', `${subject} before the model was loaded.`, {
    retryAfterSeconds: 1,
  });
}
