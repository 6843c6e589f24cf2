import type { InferenceError } from '../errors.ts';
import type { Categories, Category, FinishReason } from '../categories/contract.ts';
import type { Inference } from './contract.ts';

/** What a run is a part of, in the words of whoever asks for it. */
export interface RunOrigin {
  /** Names it in logs, traces and reports of errors. */
  readonly requestId: string;
  /**
   * Where a trace's context is found, names in lower case: the headers of a request or of a message in a queue. They may
   * hold keys: they are not for records.
   */
  readonly carrier?: Readonly<Record<string, string | readonly string[] | undefined>> | undefined;
}

/** A request of any category. `request` holds what people wrote: it is not for records unless they agreed. */
export type RunSubject = {
  [C in Category]: { readonly category: C; readonly request: Categories[C]['request'] };
}[Category];

/** One request to a model. All that is told about it has this same object. */
export type ObservedRun = RunSubject & {
  /** The id that was asked for. */
  readonly model: string;
  /** Whether there is a model of this id, for this category. */
  readonly isKnownModel: boolean;
  readonly origin: RunOrigin | undefined;
  /** The id that the answer has, where it has one. */
  readonly responseId: string | undefined;
};

/** What a run has used up and made. What a category doesn't have is left out. */
export interface RunUsage {
  /** Of prompts. */
  inputTokens?: number;
  /** Of those, how many needed no computing. */
  cachedTokens?: number;
  /** Over all choices; of a run that ended early, the pieces of text that have come, each one token at least. */
  outputTokens?: number;
  /** Of those, how many were reasoning. */
  reasoningTokens?: number;
  images?: number;
  vectors?: number;
  /** Objects found. */
  detections?: number;
  /** Length of what was transcribed or spoken; of a transcription that ended early, how far it came. */
  audioSeconds?: number;
}

/** How a run went. */
export interface RunEnd {
  /** From the first moment, waiting included. */
  readonly durationMs: number;
  /** Until a worker took it; `undefined` if none did. */
  readonly waitMs: number | undefined;
  /** Until the first token, image, segment or piece of audio; `undefined` without any. */
  readonly firstOutputMs: number | undefined;
  readonly usage: RunUsage;
  /** Of each choice of a chat that has ended, in their order. */
  readonly finishReasons: readonly FinishReason[];
  /** Why there is no whole result. `cancelled` also where the caller has left. */
  readonly error: InferenceError | undefined;
}

/** A model, as observers are told about it. */
export interface ObservedModel {
  readonly id: string;
  readonly category: Category;
}

/** A worker that ended unasked. */
export interface WorkerLoss {
  /** Counts the replicas of the model from 0. */
  readonly replica: number;
  readonly reason: string;
  /** When the next one is started; `undefined` if there will be none. */
  readonly restartInMs: number | undefined;
}

/** Is told what happens in an inference, as it happens; every method is optional. */
export interface InferenceObserver {
  /** It will be told about this inference. */
  onAttach?(inference: Pick<Inference, 'models' | 'status'>): void;
  /** A run has been asked for; it may be refused. */
  onRunStart?(run: ObservedRun): void;
  /** A worker has taken it. */
  onRunDispatch?(run: ObservedRun, waitMs: number): void;
  /** Its first token, image, segment or piece of audio is there. */
  onRunFirstOutput?(run: ObservedRun, firstOutputMs: number): void;
  /** What the run has made, all of it: not for records unless people agreed. */
  onRunEvents?(run: ObservedRun, events: readonly Categories[Category]['event'][]): void;
  /** It is over, whichever way; called once for each run. */
  onRunEnd?(run: ObservedRun, end: RunEnd): void;
  /** A replica of a model is ready, for the first time or again. */
  onModelLoad?(model: ObservedModel, load: { readonly replica: number; readonly loadMs: number }): void;
  /** A replica can't be loaded and won't be tried again. */
  onModelFailure?(
    model: ObservedModel,
    failure: { readonly replica: number; readonly error: InferenceError },
  ): void;
  onWorkerLoss?(model: ObservedModel, loss: WorkerLoss): void;
  /** All its replicas are gone, as was asked. */
  onModelClose?(model: ObservedModel): void;
}
