import type { LoadProgress, ModelSpec } from '../contracts/model.ts';
import type { Pipeline } from '../contracts/category.ts';
import type { RunEvent, UpstreamStatus } from '../contracts/run.ts';
import type { SerializedError } from '../errors.ts';
import type { Part } from './lanes.ts';
import type { LoadFault } from './load-error.ts';
import type { RequestLabels } from './replica.ts';

/** The place of a value in plain data, key by key. */
export type DataPath = readonly (string | number)[];

/** Makes a model ready to run; an `InferenceError` it throws is shown to callers, of anything else only the fact. */
export type LoadPipeline = (
  spec: ModelSpec,
  onProgress: (progress: LoadProgress) => void,
) => Promise<Pipeline>;

/** Messages from the host to a worker, as plain data. `load` comes first and once; ids are never used twice. */
export type HostMessage =
  /** `place` counts the workers of the host from 0. */
  | {
      readonly type: 'load';
      readonly spec: ModelSpec;
      readonly place: number;
      /** Places in the spec of functions that stay in the host, where the worker calls them by their number. */
      readonly functions: readonly DataPath[];
    }
  /** A part of a `RunMessage`. */
  | Part
  /** Also where not all parts of the run have come. */
  | { readonly type: 'cancel'; readonly id: number }
  /** Answers a `call`. */
  | { readonly type: 'return'; readonly id: number; readonly value?: unknown; readonly error?: string }
  /** Close the pipeline when the last run has ended, then exit. */
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
  /** Asks for the result of a function of the spec. */
  | { readonly type: 'call'; readonly id: number; readonly number: number }
  /** Once a second at most, where others run the model. */
  | { readonly type: 'upstreams'; readonly upstreams: readonly UpstreamStatus[] }
  /** The worker has a request and begins with it. */
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
  /** Present when the run is over and its place free; every `run` gets exactly one. */
  readonly end?: { readonly error: SerializedError | undefined };
}
