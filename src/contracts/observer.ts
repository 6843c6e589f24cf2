import type { ModelDirectory } from './model.ts';
import type { RunEvent, RunOrigin, RunUsage, RuntimeInUse } from './run.ts';
import type { CategoryTelemetry } from './telemetry.ts';
import type { InferenceError } from '../errors.ts';

/** One request to a model. Every call about it passes this same object. */
export interface ObservedRun {
  readonly category: string;
  /** Form of the category's runs in traces. */
  readonly telemetry: CategoryTelemetry;
  /** Complete, with all defaults. It holds what people wrote: it is not for records unless they agreed. */
  readonly request: unknown;
  /** The requested id. */
  readonly model: string;
  /** Whether there is a model of this id, for this category. */
  readonly isKnownModel: boolean;
  readonly origin: RunOrigin | undefined;
  /** The id of the response, if it has an id. */
  readonly responseId: string | undefined;
}

/** Outcome of a run. */
export interface RunEnd {
  /** From the first moment, waiting included. */
  readonly durationMs: number;
  /** Until a worker took it; `undefined` if no worker did. */
  readonly waitMs: number | undefined;
  /** Until the first token, image, segment or piece of audio; `undefined` without any. */
  readonly firstOutputMs: number | undefined;
  readonly usage: RunUsage;
  /** Finish reasons of the ended choices of a chat, in their order. */
  readonly finishReasons: readonly string[];
  /** Reason for a missing or partial result. `cancelled` also for a disconnected caller. */
  readonly error: InferenceError | undefined;
}

/** A model, as observers see it. */
export interface ObservedModel {
  readonly id: string;
  readonly category: string;
}

/** A replica that became ready. */
export interface ModelLoad {
  /** Counts the replicas of the model from 0. */
  readonly replica: number;
  readonly loadMs: number;
  /** Runtime of its graphs, if it runs graphs. */
  readonly runtime?: RuntimeInUse | undefined;
}

/** A worker that ended unasked. */
export interface WorkerLoss {
  /** Counts the replicas of the model from 0. */
  readonly replica: number;
  readonly reason: string;
  /** Delay until the next start; `undefined` if no further worker will be started. */
  readonly restartInMs: number | undefined;
}

/**
 * Why a model was unloaded: nobody used it for `idleUnloadMs`, another one needed its place, a call of `unload` or
 * `reload` asked for it, it had failed and was to be loaded anew, or it was closed with the inference.
 */
export type UnloadReason = 'idle' | 'room' | 'call' | 'failure' | 'close';

/** Receives the events of an inference as they happen; every method is optional. */
export interface InferenceObserver<Run extends ObservedRun = ObservedRun, Event extends RunEvent = RunEvent> {
  /** Called once, when it is added to this inference. */
  onAttach?(inference: ModelDirectory): void;
  /** A run was requested; it may be refused. */
  onRunStart?(run: Run): void;
  /**
   * A worker is about to take it. What is added to the headers goes with whatever the run asks of other machines, as
   * `traceparent` does.
   */
  onRunPropagate?(run: Run, headers: Record<string, string>): void;
  /** A worker has taken it. */
  onRunDispatch?(run: Run, waitMs: number): void;
  /** Its first token, image, segment or piece of audio is there. */
  onRunFirstOutput?(run: Run, firstOutputMs: number): void;
  /** The whole output of the run: not for records unless people agreed. */
  onRunEvents?(run: Run, events: readonly Event[]): void;
  /** It is over, whichever way; called once for each run. */
  onRunEnd?(run: Run, end: RunEnd): void;
  /** A replica of a model is ready, for the first time or again. */
  onModelLoad?(model: ObservedModel, load: ModelLoad): void;
  /** A replica can't be loaded and won't be tried again. */
  onModelFailure?(
    model: ObservedModel,
    failure: { readonly replica: number; readonly error: InferenceError },
  ): void;
  onWorkerLoss?(model: ObservedModel, loss: WorkerLoss): void;
  /** It takes no memory any more; the next request loads it again. */
  onModelUnload?(model: ObservedModel, unload: { readonly reason: UnloadReason }): void;
  /** All its replicas are gone, as was asked. */
  onModelClose?(model: ObservedModel): void;
  /** The inference refuses new requests from now on; running requests may finish. */
  onClose?(): void;
}

/** One HTTP request. Every call about it passes this same object, as `origin` of its runs too. */
export interface ObservedRequest extends RunOrigin {
  readonly method: string;
  /** The template of its path below `/v1`, such as `/models/{model_id}`; `undefined` where nothing is there. */
  readonly route: string | undefined;
}

/** Outcome of a request. */
export interface RequestEnd {
  readonly status: number;
  /** Until the response, and the whole stream if it is one, has been handed over. */
  readonly durationMs: number;
  /**
   * The error that the client got, also in a stream; `cancelled` where it has disconnected. Otherwise a failure after the answer,
   * such as the store of quotas. Its message may quote the request, its `cause` is for the operator.
   */
  readonly error: InferenceError | undefined;
}

/** Receives the events of a handler as they happen; every method is optional. */
export interface RequestObserver {
  onRequestStart?(request: ObservedRequest): void;
  /** Called once for each request, after the calls about its runs. */
  onRequestEnd?(request: ObservedRequest, end: RequestEnd): void;
}

/**
 * Receives the events of a handler and its inference as they happen. Every method is optional, and an error that one
 * throws changes nothing.
 *
 * @example
 * ```ts
 * const observer: Observer = { onRunEnd: ({ model }, { usage }) => console.log(model, usage) };
 * createHandler(inference, { auth, observers: [observer] });
 * ```
 */
export type Observer = InferenceObserver & RequestObserver;
