import type { LoadProgress, ModelInfo, ModelSpec } from '../contracts/model.ts';
import type { UpstreamStatus } from '../contracts/run.ts';
import { createDeferred, type Deferred } from '../concurrency/deferred.ts';
import { InferenceError } from '../errors.ts';
import type { UnloadReason } from '../contracts/observer.ts';
import type { Replica, ReplicaEvent, StartReplica } from './replica.ts';
import type { Room } from './room.ts';

export interface LoadableModelOptions {
  /** One per replica. */
  readonly specs: readonly ModelSpec[];
  readonly startReplica: StartReplica;
  /** `undefined` for a model that uses no memory here. */
  readonly room: Room | undefined;
  /** Never unloaded to make room. */
  readonly isPinned: boolean;
  /** Listener of its events; never called synchronously by the constructor, `load` or `unload`. */
  readonly listener: LoadableModelListener;
}

export interface LoadableModelListener {
  onChange(): void;
  /** @param replica index, from 0 */
  onEvent(replica: number, event: ReplicaEvent): void;
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
  /** From the start of loading until they are closed. */
  #replicas: readonly Replica[] | undefined;
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

  get memoryBytes(): number {
    return this.#memoryBytes;
  }

  /** `loading` includes waiting for a slot; `restarting` while no replica is ready because of a lost worker. */
  get state(): 'unloaded' | 'loading' | 'restarting' | 'ready' | 'failed' {
    if (!this.#replicas || this.#isReleasing) return this.#isWanted ? 'loading' : 'unloaded';
    const states = this.#replicas.map(({ state }) => state);
    if (states.includes('ready')) return 'ready';
    if (states.every((state) => state === 'failed')) return 'failed';
    return states.includes('restarting') ? 'restarting' : 'loading';
  }

  get info(): ModelInfo | undefined {
    return this.#replicas?.find((replica) => replica.info)?.info ?? this.#lastInfo;
  }

  /** Progress of the first replica that reports any. */
  get loadProgress(): LoadProgress | undefined {
    const isLoading = ({ state }: Replica): boolean => state === 'loading' || state === 'restarting';
    return this.#replicas?.find((replica) => isLoading(replica) && replica.loadProgress)?.loadProgress;
  }

  get running(): number {
    return sumOf(this.#replicas, ({ running }) => running);
  }

  get concurrency(): number {
    return sumOf(this.#replicas, ({ concurrency }) => concurrency);
  }

  /** The upstream servers of a remote model; each replica counts separately. */
  get upstreams(): readonly UpstreamStatus[] | undefined {
    const all = this.#replicas?.flatMap((replica) => replica.upstreams ?? []);
    return all?.length === 0 ? undefined : all;
  }

  /** Why a replica has `failed`. */
  get error(): InferenceError | undefined {
    return this.#replicas?.find((replica) => replica.error)?.error;
  }

  get restartsInMs(): number {
    return Math.min(...this.#replicas!.map((replica) => replica.restartsInMs));
  }

  /** Whether workers were lost so often in a row that requests shouldn't wait for the next one. */
  get isLooping(): boolean {
    if (this.state !== 'restarting') return false;
    return this.#replicas!.every(({ state, isLooping }) => state === 'failed' || isLooping);
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

  /** The least busy replica that can take one more request now. */
  free(isReserved: boolean): Replica | undefined {
    let best: Replica | undefined;
    if (this.#isReleasing || !this.#replicas) return best;
    for (const replica of this.#replicas) {
      const places = replica.concurrency + (isReserved ? (replica.reserve ?? 0) : 0);
      if (replica.state !== 'ready' || replica.running >= places) continue;
      if (!best || replica.running < best.running) best = replica;
    }
    return best;
  }

  touch(): void {
    this.#uses = this.recentUses + 1;
    this.#lastUsedMs = performance.now();
  }

  /** Loads it unless it is loaded, also again after a failure; resolves when it is ready. */
  load(): Promise<void> {
    if (this.#isWanted) {
      if (this.state !== 'failed') return this.#loading.promise;
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
    const started = specs.map((spec, replica) =>
      startReplica(spec, {
        onChange: () => {
          this.#lastInfo = started.find((one) => one.info)?.info ?? this.#lastInfo;
          this.#memoryBytes = sumOf(started, ({ memoryBytes = 0 }) => memoryBytes) || this.#memoryBytes;
          listener.onChange();
          this.settle();
          room?.update();
        },
        onEvent: (event) => listener.onEvent(replica, event),
      }),
    );
    this.#replicas = started;
    Promise.all(started.map((replica) => replica.loaded)).then(() => load.resolve(), load.reject);
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
    await Promise.all(this.#replicas!.map((replica) => replica.close())).then(() => resolve(), reject);
    this.#replicas = undefined;
    this.#leaving = undefined;
    this.#isReleasing = false;
    if (reason !== 'close') this.#options.listener.onUnload(reason);
    this.#options.room?.leave(this);
    this.start();
    this.#options.listener.onChange();
  }
}

function sumOf(replicas: readonly Replica[] | undefined, read: (replica: Replica) => number): number {
  return (replicas ?? []).reduce((sum, replica) => sum + read(replica), 0);
}

function notLoaded(reason: UnloadReason): InferenceError {
  const subject = reason === 'close' ? 'The service was closed' : 'The model was unloaded';
  return new InferenceError('overloaded', `${subject} before the model was loaded.`, {
    retryAfterSeconds: 1,
  });
}
