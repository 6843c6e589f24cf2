import type { LoadProgress, ModelSpec } from '../contracts/model.ts';
import type { Pipeline } from '../contracts/category.ts';
import type { RunEvent, UpstreamStatus } from '../contracts/run.ts';
import type { SerializedError } from '../errors.ts';
import type { Part } from './lanes.ts';
import type { LoadFault } from './load-error.ts';
import type { RequestLabels } from './replica.ts';

/** The path of a value in plain data. */
export type DataPath = readonly (string | number)[];

/** Loads a model; if it throws an `InferenceError`, callers see it, any other error is hidden from them. */
export type LoadPipeline = (
  spec: ModelSpec,
  onProgress: (progress: LoadProgress) => void,
) => Promise<Pipeline>;

/** Messages from the host to a worker, as plain data. `load` is sent first and once; ids are never reused. */
export type HostMessage =
  /** `place` counts the workers of the host from 0. */
  | {
      readonly type: 'load';
      readonly spec: ModelSpec;
      readonly place: number;
      /** Paths of functions in the spec that stay in the host; the worker calls them by number. */
      readonly functions: readonly DataPath[];
    }
  /** A part of a `RunMessage`. */
  | Part
  /** May arrive before all parts of the run. */
  | { readonly type: 'cancel'; readonly id: number }
  /** Answers a `call`. */
  | { readonly type: 'return'; readonly id: number; readonly value?: unknown; readonly error?: string }
  /** Close the pipeline after the last run, then exit. */
  | { readonly type: 'close' };

/** Messages from a worker to the host, as plain data. */
export type WorkerMessage =
  | ({
      readonly type: 'loaded';
      /** Resident memory of the worker. */
      readonly memoryBytes: number;
    } & Pick<Pipeline, 'info' | 'concurrency' | 'reserve' | 'runtime'>)
  | { readonly type: 'loading'; readonly progress: LoadProgress }
  | ({ readonly type: 'load-failed' } & LoadFault)
  /** Calls a function of the spec. */
  | { readonly type: 'call'; readonly id: number; readonly number: number }
  /** At most once a second, for remote models. */
  | { readonly type: 'upstreams'; readonly upstreams: readonly UpstreamStatus[] }
  /** The worker has received a request and starts it. */
  | { readonly type: 'begun'; readonly id: number }
  /** A part of a list of `WorkerProgress`. */
  | Part;

/** A request for a worker. */
export interface RunMessage {
  readonly request: unknown;
  readonly labels?: RequestLabels | undefined;
}

/** Events of one run since the last message. */
export interface WorkerProgress {
  readonly id: number;
  readonly events: readonly RunEvent[];
  /** Present when the run is over and its slot free; every `run` gets exactly one. */
  readonly end?: { readonly error: SerializedError | undefined };
}
