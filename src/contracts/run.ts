/** One event of a run; each category defines its events. */
export interface RunEvent {
  readonly type: string;
}

/** Headers that identify a run to other machines: `x-request-id`, `traceparent` and `tracestate`. */
export type TraceHeaders = Readonly<Record<string, string>>;

export interface PipelineRunOptions {
  /** Aborting it ends the run before its next step; the iterator then throws `cancelled`. */
  readonly signal?: AbortSignal | undefined;
  /** Sent with all requests of the run to other machines. */
  readonly headers?: TraceHeaders | undefined;
  /** Owners take turns. A run reuses cached prompts of its owner only. */
  readonly owner?: string | undefined;
  /** As in `CallOptions`. */
  readonly sharesPrefixes?: boolean | undefined;
  /** As in `CallOptions`. */
  readonly mayRestart?: boolean | undefined;
}

/** The request or job that a run is a part of, as the caller identifies it. */
export interface RunOrigin {
  /** Names it in logs, traces and reports of errors. */
  readonly requestId: string;
  /**
   * Where a trace's context is found, names in lower case: the headers of a request or of a message in a queue. They may
   * hold keys: they are not for records.
   */
  readonly carrier?: Readonly<Record<string, string | readonly string[] | undefined>> | undefined;
}

/** Options of one run. */
export interface CallOptions {
  /** Aborting it cancels the request; its error is then `cancelled`. */
  readonly signal?: AbortSignal | undefined;
  /**
   * Time from now until the request must be finished, waiting included; afterwards its error is `deadline_exceeded`.
   * It can shorten the model's own limit, not lengthen it, and no progress renews it.
   */
  readonly deadlineMs?: number | undefined;
  /** The request that this run is a part of, for observers and for error reports of workers. */
  readonly origin?: RunOrigin | undefined;
  /** The id that the answer is going to have, for observers. */
  readonly responseId?: string | undefined;
  /** Called when a replica takes the request, which has waited until then. It must not throw. */
  readonly onDispatch?: (() => void) | undefined;
  /**
   * The owner of the request. Owners take turns, in the queue and while runs compute. The beginning of a prompt is
   * reused for requests of the same owner alone, so that no caller finds out by `cached_tokens` or by the time what another
   * one has asked. Requests without an owner count as those of one.
   */
  readonly owner?: string | undefined;
  /** Whether the beginning of its prompt is shared with all owners that also set it; default `false`. */
  readonly sharesPrefixes?: boolean | undefined;
  /**
   * Whether a chat answer that its server breaks off may begin again at another: the event `answer-restart` then says that
   * the events before it don't count. For callers who read the whole answer before they use it; default `false`.
   */
  readonly mayRestart?: boolean | undefined;
}

/** A request with all its defaults, as a pipeline gets it. */
export interface CompleteRequest {
  /** Names of the parameters that the caller or the model's `defaults` set; default: all of them. */
  readonly given?: readonly string[] | undefined;
}

/** Starts one request of a category on the model that it names. */
export type StartRun<Input, Event> = (request: Input, options?: CallOptions) => AsyncIterable<Event>;

/** A server that runs a model, as it is doing at the moment. */
export interface UpstreamStatus {
  readonly url: string;
  /** Whether it gets requests; if no server of a model is healthy, all of them get requests. */
  readonly isHealthy: boolean;
  /** Requests in its hands. */
  readonly running: number;
  /** Requests that failed here since the model was loaded; a different server may have answered them. */
  readonly failures: number;
}

/** The way to ONNX Runtime that a process has taken, and why. */
export interface RuntimeInUse {
  /** `native`, its C API, or `onnxruntime-node`, its binding. */
  readonly name: string;
  /** Version of onnxruntime. */
  readonly version: string;
  /** A sentence without its full stop. */
  readonly reason: string;
}

/** Consumption and output of a run. Counts that its category lacks are undefined. */
export interface RunUsage {
  /** Tokens of prompts. */
  inputTokens?: number;
  /** Prompt tokens that needed no computing. */
  cachedTokens?: number;
  /** Over all choices; if the run ended early, the tokens of the emitted text. */
  outputTokens?: number;
  /** Output tokens of reasoning. */
  reasoningTokens?: number;
  images?: number;
  vectors?: number;
  /** Objects found. */
  detections?: number;
  /** Length of the transcribed or spoken audio; if a transcription ended early, up to its last position. */
  audioSeconds?: number;
}

/** Estimated tokens of a request that is not counted yet. */
export interface TokenEstimate {
  /** Tokens of the prompt, or of the texts. */
  readonly input: number;
  /** The most that the answer may have, over all choices. */
  readonly output: number;
}

/** The account of a run so far. */
export interface UsageTally {
  readonly usage: RunUsage;
  /** Reason for the end of each choice; an unfinished choice leaves a hole. */
  readonly finishReasons: string[];
}
