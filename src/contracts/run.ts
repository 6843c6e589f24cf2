export interface RunEvent {
  readonly type: string;
}

/** Headers that identify a run to remote machines: `x-request-id`, `traceparent` and `tracestate`. */
export type TraceHeaders = Readonly<Record<string, string>>;

export interface PipelineRunOptions {
  /** Aborting it ends the run before its next step; the iterator then throws `cancelled`. */
  readonly signal?: AbortSignal | undefined;
  readonly headers?: TraceHeaders | undefined;
  /** Owners take turns. A run reuses cached prompts of its owner only. */
  readonly owner?: string | undefined;
  /** See `CallOptions`. */
  readonly sharesPrefixes?: boolean | undefined;
  /** See `CallOptions`. */
  readonly mayRestart?: boolean | undefined;
}

/** The request or job that a run belongs to, as identified by the caller. */
export interface RunOrigin {
  /** Identifies it in logs, traces and error reports. */
  readonly requestId: string;
  /** Source of a trace's context, with lower-case names: headers of a request or of a queue message. May contain keys: don't record it. */
  readonly carrier?: Readonly<Record<string, string | readonly string[] | undefined>> | undefined;
}

/** Options of one run. */
export interface CallOptions {
  /** Aborting it cancels the request with the error `cancelled`. */
  readonly signal?: AbortSignal | undefined;
  /**
   * Time from now until the request must be finished, waiting included; afterwards it fails with `deadline_exceeded`. It can only
   * shorten the model's own limit, and progress doesn't extend it.
   */
  readonly deadlineMs?: number | undefined;
  /** The request that this run belongs to, for observers and workers' error reports. */
  readonly origin?: RunOrigin | undefined;
  /** Id of the future answer, for observers. */
  readonly responseId?: string | undefined;
  /** Called when a replica takes the request, which waited until then. It must not throw. */
  readonly onDispatch?: (() => void) | undefined;
  /**
   * The owner of the request. Owners take turns, in the queue and during computation. Prompt prefixes are reused only for the
   * same owner, so that callers can't infer each other's prompts from `cached_tokens` or timing. Requests without an owner share
   * one.
   */
  readonly owner?: string | undefined;
  /** Share the prompt's prefix with all owners that also set it; default `false`. */
  readonly sharesPrefixes?: boolean | undefined;
  /**
   * Allow a chat answer that its server breaks off to restart on a different server: `answer-restart` then invalidates all
   * earlier events. For callers that read the whole answer first; default `false`.
   */
  readonly mayRestart?: boolean | undefined;
}

/** A request with all its defaults, as a pipeline receives it. */
export interface CompleteRequest {
  /** Names of the parameters set by the caller or the model's `defaults`; default: all of them. */
  readonly given?: readonly string[] | undefined;
}

export type StartRun<Input, Event> = (request: Input, options?: CallOptions) => AsyncIterable<Event>;

export interface UpstreamStatus {
  readonly url: string;
  /** True if it gets requests; if all servers of a model are unhealthy, all get requests. */
  readonly isHealthy: boolean;
  readonly running: number;
  /** Requests that failed here since the model was loaded; a different server may have answered them. */
  readonly failures: number;
}

/** The ONNX Runtime binding that a process uses, and why. */
export interface RuntimeInUse {
  /** `native`, its C API, or `onnxruntime-node`, its binding. */
  readonly name: string;
  readonly version: string;
  /** A sentence without its full stop. */
  readonly reason: string;
}

/** Consumption and output of a run. Counts that its category lacks are undefined. */
export interface RunUsage {
  /** Tokens of prompts. */
  inputTokens?: number;
  /** Prompt tokens reused from a cache. */
  cachedTokens?: number;
  /** Over all choices; if the run ended early, the tokens of the emitted text. */
  outputTokens?: number;
  /** Output tokens of reasoning. */
  reasoningTokens?: number;
  images?: number;
  vectors?: number;
  detections?: number;
  /** Length of the transcribed or synthesized audio; if a transcription ended early, up to its last position. */
  audioSeconds?: number;
}

/** Estimated tokens of a request, before counting. */
export interface TokenEstimate {
  /** Tokens of the prompt or the texts. */
  readonly input: number;
  /** Max tokens of the answer, over all choices. */
  readonly output: number;
}

/** Usage of a run so far. */
export interface UsageTally {
  readonly usage: RunUsage;
  /** Finish reason of each choice; an unfinished choice leaves a hole. */
  readonly finishReasons: string[];
}
