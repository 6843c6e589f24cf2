import type { ModelDirectory } from './model.ts';
import type { RunEvent, RunOrigin, RunUsage, RuntimeInUse } from './run.ts';
import type { CategoryTelemetry } from './telemetry.ts';
import type { InferenceError } from '../errors.ts';

/** One request to a model. All calls about it pass the same object. */
export interface ObservedRun {
  readonly category: string;
  /** Mapping of the category's runs to traces. */
  readonly telemetry: CategoryTelemetry;
  /** Complete, with all defaults. Contains user content: don't record it without consent. */
  readonly request: unknown;
  /** The requested id. */
  readonly model: string;
  /** True if the id is a model of this category. */
  readonly isKnownModel: boolean;
  readonly origin: RunOrigin | undefined;
  /** The id of the response, if any. */
  readonly responseId: string | undefined;
}

/** Outcome of a run. */
export interface RunEnd {
  /** From the start, waiting included. */
  readonly durationMs: number;
  /** Until a worker took it; `undefined` if no worker did. */
  readonly waitMs: number | undefined;
  /** Until the first token, image, segment or piece of audio; `undefined` without output. */
  readonly firstOutputMs: number | undefined;
  readonly usage: RunUsage;
  /** Finish reasons of a chat's finished choices, in order. */
  readonly finishReasons: readonly string[];
  /** Reason for a missing or partial result. `cancelled` also if the caller disconnected. */
  readonly error: InferenceError | undefined;
}

/** A model, as observers see it. */
export interface ObservedModel {
  readonly id: string;
  readonly category: string;
}

/** A replica that became ready. */
export interface ModelLoad {
  /** Index of the replica, from 0. */
  readonly replica: number;
  readonly loadMs: number;
  /** Runtime of its graphs, if it runs graphs. */
  readonly runtime?: RuntimeInUse | undefined;
}

/** A worker that ended unexpectedly. */
export interface WorkerLoss {
  /** Index of the replica, from 0. */
  readonly replica: number;
  readonly reason: string;
  /** Delay until the next start; `undefined` if it won't be restarted. */
  readonly restartInMs: number | undefined;
}

/**
 * Why a model was unloaded: unused for `idleUnloadMs`, its slot was needed, a call of `unload` or `reload`, a reload after a
 * failure, or the inference closed.
 */
export type UnloadReason = 'idle' | 'room' | 'call' | 'failure' | 'close';

/** Receives the events of an inference as they happen; every method is optional. */
export interface InferenceObserver<Run extends ObservedRun = ObservedRun, Event extends RunEvent = RunEvent> {
  /** Called once, when it is added to this inference. */
  onAttach?(inference: ModelDirectory): void;
  /** A run was requested; it may be rejected. */
  onRunStart?(run: Run): void;
  /** Before a worker takes it. Added headers are sent with the run's requests to remote machines, such as `traceparent`. */
  onRunPropagate?(run: Run, headers: Record<string, string>): void;
  /** A worker has taken it. */
  onRunDispatch?(run: Run, waitMs: number): void;
  /** It produced its first token, image, segment or piece of audio. */
  onRunFirstOutput?(run: Run, firstOutputMs: number): void;
  /** The whole output of the run; don't record it without consent. */
  onRunEvents?(run: Run, events: readonly Event[]): void;
  /** The run ended, in any way; called once per run. */
  onRunEnd?(run: Run, end: RunEnd): void;
  /** A replica of a model is ready, for the first time or again. */
  onModelLoad?(model: ObservedModel, load: ModelLoad): void;
  /** A replica can't be loaded and won't be retried. */
  onModelFailure?(
    model: ObservedModel,
    failure: { readonly replica: number; readonly error: InferenceError },
  ): void;
  onWorkerLoss?(model: ObservedModel, loss: WorkerLoss): void;
  /** Its memory is freed; the next request loads it again. */
  onModelUnload?(model: ObservedModel, unload: { readonly reason: UnloadReason }): void;
  /** All its replicas ended on request. */
  onModelClose?(model: ObservedModel): void;
  /** The inference rejects new requests from now on; running requests may finish. */
  onClose?(): void;
}

/** One HTTP request. All calls about it pass the same object, also as `origin` of its runs. */
export interface ObservedRequest extends RunOrigin {
  readonly method: string;
  /** Path template below `/v1`, such as `/models/{model_id}`; `undefined` for an unknown path. */
  readonly route: string | undefined;
}

/** Outcome of a request. */
export interface RequestEnd {
  readonly status: number;
  /** Until the response, including its stream, is handed over. */
  readonly durationMs: number;
  /**
   * The error sent to the client, also in a stream; `cancelled` if it disconnected. Otherwise a failure after the answer, such as
   * of the quota store. Its message may quote the request; its `cause` is for the operator.
   */
  readonly error: InferenceError | undefined;
}

/** Receives the events of a handler as they happen; every method is optional. */
export interface RequestObserver {
  onRequestStart?(request: ObservedRequest): void;
  /** Called once per request, after the calls about its runs. */
  onRequestEnd?(request: ObservedRequest, end: RequestEnd): void;
}

/**
 * Receives the events of a handler and its inference as they happen. Every method is optional; their
 * errors are ignored.
 *
 * @example
 * ```ts
 * const observer: Observer = { onRunEnd: ({ model }, { usage }) => console.log(model, usage) };
 * createHandler(inference, { auth, observers: [observer] });
 * ```
 */
export type Observer = InferenceObserver & RequestObserver;
