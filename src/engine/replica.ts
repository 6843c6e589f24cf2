import { InferenceError } from '../errors.ts';
import type { LoadProgress, ModelInfo, ModelSpec } from '../contracts/model.ts';
import type { PipelineRunOptions, RunEvent, RuntimeInUse, UpstreamStatus } from '../contracts/run.ts';

/**
 * `loading` until the model is loaded for the first time, `restarting` from the loss of a worker until the next one is
 * ready. `failed` and `closed` are final.
 */
export type ReplicaState = 'loading' | 'ready' | 'restarting' | 'failed' | 'closed';

export interface RequestListener {
  onEvents(events: readonly RunEvent[]): void;
  /** Called exactly once, never synchronously by `start`: the run is over and its slot is free. */
  onEnd(error: InferenceError | undefined, isUntouched?: boolean): void;
}

/** The identity of a request, here and on other machines. */
export interface RequestLabels extends Omit<PipelineRunOptions, 'signal'> {
  /** Included in reports of the request's failure. */
  readonly requestId?: string | undefined;
}

/** A request that a replica runs. */
export interface CancelHandle {
  /** Cancels the run before its next step; `onEnd` reports when it has ended. May be called repeatedly or late. */
  cancel(): void;
}

/** Runs requests of one model: a worker process or the calling process. */
export interface Replica {
  readonly state: ReplicaState;
  readonly loadProgress?: LoadProgress | undefined;
  /** Facts about the model as last loaded. */
  readonly info: ModelInfo | undefined;
  /** Maximum concurrent requests; 0 before the model is loaded. */
  readonly concurrency: number;
  /** Additional requests from owners without a running one; default 0. */
  readonly reserve?: number | undefined;
  readonly running: number;
  /** Resident memory of its process with the model as last loaded; `undefined` in the calling process. */
  readonly memoryBytes?: number | undefined;
  /** Upstream servers of a remote model. */
  readonly upstreams?: readonly UpstreamStatus[] | undefined;
  readonly error: InferenceError | undefined;
  /** Milliseconds until a `restarting` replica is expected to be ready. */
  readonly restartsInMs: number;
  /** Whether its worker was lost repeatedly, so that requests shouldn't wait for the next one. */
  readonly isLooping: boolean;
  /** Settles once: when the model is loaded for the first time, or has failed for good. */
  readonly loaded: Promise<void>;
  /** Only while `ready` and `running < concurrency`, or `+ reserve`. */
  start(request: unknown, observer: RequestListener, labels?: RequestLabels): CancelHandle;
  /**
   * Only when every run has ended or been cancelled: releases the model and resolves when all its resources are free.
   * Idempotent.
   */
  close(): Promise<void>;
}

/** An event of a replica beyond its `state`. */
export type ReplicaEvent =
  | {
      readonly type: 'load';
      readonly loadMs: number;
      /** Runtime of its graphs, if it runs graphs. */
      readonly runtime?: RuntimeInUse | undefined;
    }
  | { readonly type: 'failure'; readonly error: InferenceError }
  | { readonly type: 'loss'; readonly reason: string; readonly restartInMs: number | undefined };

/** Never called synchronously by `StartReplica`. */
export interface ReplicaListener {
  /** `state` has changed. */
  onChange(): void;
  /** Called before `onChange` if both apply. */
  onEvent(event: ReplicaEvent): void;
}

export type StartReplica = (spec: ModelSpec, listener: ReplicaListener) => Replica;

/** The mutable view for the owner. */
export type Changing<T> = { -readonly [Name in keyof T]: T[Name] };

export function closedBeforeLoad(): InferenceError {
  return new InferenceError('overloaded', 'The service was closed before the model was loaded.');
}
