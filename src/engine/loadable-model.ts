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
export function createLoadableModel({ specs, startReplica, room, isPinned, listener }: LoadableModelOptions) {
  let replicas: ReplicaSet | undefined;
  let isWanted = false;
  let loading = createDeferred();
  let leaving: (Deferred & { readonly reason: UnloadReason }) | undefined;
  let isReleasing = false;
  let lastInfo: ModelInfo | undefined;
  let memoryBytes = 0;
  let uses = 0;
  let lastUsedMs = 0;
  loading.resolve();

  const release = async (): Promise<void> => {
    isReleasing = true;
    const { reason, resolve, reject } = leaving!;
    await replicas!.close().then(resolve, reject);
    replicas = undefined;
    leaving = undefined;
    isReleasing = false;
    if (reason !== 'close') listener.onUnload(reason);
    room?.leave(model);
    model.start();
    listener.onChange();
  };

  const model = {
    isPinned,
    get replicas(): ReplicaSet | undefined {
      return replicas;
    },
    get memoryBytes(): number {
      return memoryBytes;
    },
    /** `loading` also while it waits for a place. */
    get state(): 'unloaded' | ReplicaSet['state'] {
      if (replicas && !isReleasing) return replicas.state;
      return isWanted ? 'loading' : 'unloaded';
    },
    get info(): ModelInfo | undefined {
      return replicas?.info ?? lastInfo;
    },
    get loaded(): Promise<void> {
      return loading.promise;
    },
    get isLeaving(): boolean {
      return leaving !== undefined;
    },
    get isIdle(): boolean {
      return listener.isIdle();
    },
    get isLoading(): boolean {
      return model.state === 'loading' || model.state === 'unloaded';
    },
    get recentUses(): number {
      return uses * 2 ** ((lastUsedMs - performance.now()) / halfLifeMs);
    },
    /** A replica that can take one more request now. */
    free: (isReserved: boolean): Replica | undefined =>
      isReleasing ? undefined : replicas?.free(isReserved),
    touch(): void {
      uses = model.recentUses + 1;
      lastUsedMs = performance.now();
    },
    /** Loads it if it isn't loaded, also again after a failure; resolves when it is ready. */
    load(): Promise<void> {
      if (isWanted) {
        if (replicas?.state !== 'failed') return loading.promise;
        void model.unload('failure');
      }
      isWanted = true;
      loading = createDeferred();
      model.touch();
      model.start();
      return loading.promise;
    },
    start(): void {
      if (!isWanted || replicas || (room && !room.enter(model))) return;
      const load = loading;
      const started = startReplicas(specs, startReplica, {
        onChange: () => {
          lastInfo = started.info ?? lastInfo;
          memoryBytes = started.memoryBytes || memoryBytes;
          listener.onChange();
          model.settle();
          room?.update();
        },
        onEvent: listener.onEvent,
      });
      replicas = started;
      started.loaded().then(load.resolve, load.reject);
    },
    /** Unloads it when no request needs it any more; resolves then. */
    unload(reason: UnloadReason): Promise<void> {
      isWanted = false;
      // Replicas that are closed while they load report that themselves.
      const replicasReport = reason === 'close' && replicas && !leaving;
      if (!replicasReport) loading.reject(notLoaded(reason));
      if (!replicas) {
        room?.leave(model);
        // Requests that wait get in line again.
        queueMicrotask(() => listener.onChange());
      } else if (!leaving) {
        leaving = { ...createDeferred(), reason };
        listener.onLeave();
        model.settle();
      }
      return leaving?.promise ?? Promise.resolve();
    },
    evict(): void {
      // A failure to close shows where somebody waits for it.
      void model.unload('room');
    },
    /** Unloads it at last if it is to be unloaded and nobody needs it any more. */
    settle(): void {
      if (leaving && !isReleasing && !listener.isBusy()) void release();
    },
    /** Unloads it now: only when every run has ended or been cancelled. */
    close(): Promise<void> {
      const closed = model.unload('close');
      if (leaving && !isReleasing) void release();
      return closed;
    },
  };
  return model;
}

function notLoaded(reason: UnloadReason): InferenceError {
  const subject = reason === 'close' ? 'The service was closed' : 'The model was unloaded';
  return new InferenceError('overloaded', `${subject} before the model was loaded.`, {
    retryAfterSeconds: 1,
  });
}
