import type { ModelInfo, ModelSpec, LoadProgress } from '../contracts/model.ts';
import { createDeferred, type Deferred } from '../concurrency/deferred.ts';
import { InferenceError } from '../errors.ts';
import type { UnloadReason } from '../contracts/observer.ts';
import type { Replica, ReplicaEvent, StartReplica } from './replica.ts';
import type { Occupant, Room } from './room.ts';
import type { UpstreamStatus } from '../contracts/run.ts';

export interface ReplicaSetListener {
  onChange(): void;
  /** @param replica counts from 0 */
  onEvent(replica: number, event: ReplicaEvent): void;
}

/** All replicas of one model, from the beginning of their loading until they are closed. */
export class ReplicaSet {
  readonly #replicas: readonly Replica[];

  /** @param specs one for each replica */
  constructor(specs: readonly ModelSpec[], startReplica: StartReplica, listener: ReplicaSetListener) {
    this.#replicas = specs.map((spec, replica) =>
      startReplica(spec, {
        onChange: () => listener.onChange(),
        onEvent: (event) => listener.onEvent(replica, event),
      }),
    );
  }

  get info(): ModelInfo | undefined {
    return this.#replicas.find((replica) => replica.info)?.info;
  }

  /** `restarting` while nothing is ready because of a lost worker. */
  get state(): 'loading' | 'restarting' | 'ready' | 'failed' {
    if (this.#has('ready')) return 'ready';
    if (this.#replicas.every(({ state }) => state === 'failed')) return 'failed';
    return this.#has('restarting') ? 'restarting' : 'loading';
  }

  /** Of the first replica that has any. */
  get loadProgress(): LoadProgress | undefined {
    const isLoading = ({ state }: Replica): boolean => state === 'loading' || state === 'restarting';
    return this.#replicas.find((replica) => isLoading(replica) && replica.loadProgress)?.loadProgress;
  }

  get running(): number {
    return this.#replicas.reduce((sum, replica) => sum + replica.running, 0);
  }

  /** The servers that run the model, where others do; each replica has its own count of them. */
  get upstreams(): readonly UpstreamStatus[] | undefined {
    const all = this.#replicas.flatMap((replica) => replica.upstreams ?? []);
    return all.length === 0 ? undefined : all;
  }

  get concurrency(): number {
    return this.#replicas.reduce((sum, replica) => sum + replica.concurrency, 0);
  }

  /** Reason why one of them is `failed`. */
  get error(): InferenceError | undefined {
    return this.#replicas.find((replica) => replica.error)?.error;
  }

  get restartsInMs(): number {
    return Math.min(...this.#replicas.map((replica) => replica.restartsInMs));
  }

  /** Whether nobody should wait for those that are being restarted. */
  get isLooping(): boolean {
    return this.#replicas.every(({ state, isLooping }) => state === 'failed' || isLooping);
  }

  /** Settles when all are loaded for the first time, or one never will be. */
  async loaded(): Promise<void> {
    await Promise.all(this.#replicas.map((replica) => replica.loaded));
  }

  /** The least busy replica that can take one more. */
  free(isReserved: boolean): Replica | undefined {
    let best: Replica | undefined;
    for (const replica of this.#replicas) {
      const places = replica.concurrency + (isReserved ? (replica.reserve ?? 0) : 0);
      if (replica.state !== 'ready' || replica.running >= places) continue;
      if (!best || replica.running < best.running) best = replica;
    }
    return best;
  }

  /** See `Replica.close`. */
  async close(): Promise<void> {
    await Promise.all(this.#replicas.map((replica) => replica.close()));
  }

  #has(wanted: Replica['state']): boolean {
    return this.#replicas.some(({ state }) => state === wanted);
  }
}

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
