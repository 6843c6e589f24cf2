import { InferenceError } from '../errors.ts';
import type { LoadProgress, ModelInfo, ModelSpec } from '../contracts/model.ts';
import type { PipelineRunOptions, RunEvent, RuntimeInUse, UpstreamStatus } from '../contracts/run.ts';

/**
 * `loading` until the model is there for the first time, `restarting` from the loss of a worker until the next one is
 * ready. `failed` and `closed` are final.
 */
export type ReplicaState = 'loading' | 'ready' | 'restarting' | 'failed' | 'closed';

export interface RequestListener {
  onEvents(events: readonly RunEvent[]): void;
  /** Called exactly once, never from within `start`: the run is over and its place is free. */
  onEnd(error: InferenceError | undefined, isUntouched?: boolean): void;
}

/** Everything by which a request is known, here and elsewhere. */
export interface RequestLabels extends Omit<PipelineRunOptions, 'signal'> {
  /** Named where the failure of the request is reported. */
  readonly requestId?: string | undefined;
}

/** A request in a replica's hands. */
export interface CancelHandle {
  /** Asks the run to end before its next step; `onEnd` says when it has. Harmless when repeated or late. */
  cancel(): void;
}

/** One place that runs requests of one model: a worker process or the calling process. */
export interface Replica {
  readonly state: ReplicaState;
  readonly loadProgress?: LoadProgress | undefined;
  /** Facts about the model as last loaded. */
  readonly info: ModelInfo | undefined;
  /** Number of requests it accepts at once; 0 before the model is loaded. */
  readonly concurrency: number;
  /** Number of requests that it accepts beyond that, of owners that have none under way; default 0. */
  readonly reserve?: number | undefined;
  readonly running: number;
  /** Resident memory of its process with the model as last loaded; `undefined` in the calling process. */
  readonly memoryBytes?: number | undefined;
  /** The servers that run its model, where others do. */
  readonly upstreams?: readonly UpstreamStatus[] | undefined;
  readonly error: InferenceError | undefined;
  /** Milliseconds until a `restarting` replica may be expected back. */
  readonly restartsInMs: number;
  /** Whether its worker was lost again and again, so that requests shouldn't wait for the next one. */
  readonly isLooping: boolean;
  /** Settles once: the model is loaded for the first time, or never will be. */
  readonly loaded: Promise<void>;
  /** Only while `ready` and `running < concurrency`, or `+ reserve`. */
  start(request: unknown, observer: RequestListener, labels?: RequestLabels): CancelHandle;
  /**
   * Only when every run has ended or been cancelled: releases the model and resolves when nothing of it is left.
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

/** Nothing is called from within `StartReplica`. */
export interface ReplicaListener {
  /** `state` has changed. */
  onChange(): void;
  /** Called before `onChange` where both are. */
  onEvent(event: ReplicaEvent): void;
}

/** Begins to load a model. */
export type StartReplica = (spec: ModelSpec, listener: ReplicaListener) => Replica;

/** As its owner sees it. */
export type Changing<T> = { -readonly [Name in keyof T]: T[Name] };

export function closedBeforeLoad(): InferenceError {
  return new InferenceError('overloaded', 'The service was closed before the model was loaded.');
}
