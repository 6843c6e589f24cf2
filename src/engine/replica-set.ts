import type { LoadProgress, ModelInfo, ModelSpec } from '../contracts/model.ts';
import type { UpstreamStatus } from '../contracts/run.ts';
import type { InferenceError } from '../errors.ts';
import type { Replica, ReplicaEvent, StartReplica } from './replica.ts';

export interface ReplicaSetListener {
  onChange(): void;
  /** @param replica index, from 0 */
  onEvent(replica: number, event: ReplicaEvent): void;
}

/** All replicas of one model, from the start of loading until they are closed. */
export type ReplicaSet = ReturnType<typeof startReplicas>;

/** @param specs one per replica */
export function startReplicas(
  specs: readonly ModelSpec[],
  start: StartReplica,
  listener: ReplicaSetListener,
) {
  const replicas = specs.map((spec, replica) =>
    start(spec, { onChange: listener.onChange, onEvent: (event) => listener.onEvent(replica, event) }),
  );
  return {
    get info(): ModelInfo | undefined {
      return replicas.find((replica) => replica.info)?.info;
    },
    /** `restarting` while no replica is ready because of a lost worker. */
    get state(): 'loading' | 'restarting' | 'ready' | 'failed' {
      const states = replicas.map(({ state }) => state);
      if (states.includes('ready')) return 'ready';
      if (states.every((state) => state === 'failed')) return 'failed';
      return states.includes('restarting') ? 'restarting' : 'loading';
    },
    /** Progress of the first replica that reports any. */
    get loadProgress(): LoadProgress | undefined {
      const isLoading = ({ state }: Replica): boolean => state === 'loading' || state === 'restarting';
      return replicas.find((replica) => isLoading(replica) && replica.loadProgress)?.loadProgress;
    },
    get running(): number {
      return replicas.reduce((sum, replica) => sum + replica.running, 0);
    },
    /** The upstream servers of a remote model; each replica counts separately. */
    get upstreams(): readonly UpstreamStatus[] | undefined {
      const all = replicas.flatMap((replica) => replica.upstreams ?? []);
      return all.length === 0 ? undefined : all;
    },
    /** Known memory of the loaded replicas. */
    get memoryBytes(): number {
      return replicas.reduce((sum, { memoryBytes = 0 }) => sum + memoryBytes, 0);
    },
    get concurrency(): number {
      return replicas.reduce((sum, replica) => sum + replica.concurrency, 0);
    },
    /** Why a replica has `failed`. */
    get error(): InferenceError | undefined {
      return replicas.find((replica) => replica.error)?.error;
    },
    get restartsInMs(): number {
      return Math.min(...replicas.map((replica) => replica.restartsInMs));
    },
    /** Whether requests shouldn't wait for the replicas that are restarting. */
    get isLooping(): boolean {
      return replicas.every(({ state, isLooping }) => state === 'failed' || isLooping);
    },
    /** Settles when all replicas are loaded for the first time, or one has failed for good. */
    async loaded(): Promise<void> {
      await Promise.all(replicas.map((replica) => replica.loaded));
    },
    /** The least busy replica with a free slot. */
    free(isReserved: boolean): Replica | undefined {
      let best: Replica | undefined;
      for (const replica of replicas) {
        const places = replica.concurrency + (isReserved ? (replica.reserve ?? 0) : 0);
        if (replica.state !== 'ready' || replica.running >= places) continue;
        if (!best || replica.running < best.running) best = replica;
      }
      return best;
    },
    /** See `Replica.close`. */
    async close(): Promise<void> {
      await Promise.all(replicas.map((replica) => replica.close()));
    },
  };
}
