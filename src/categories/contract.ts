import type { ParameterDescriptor, ParameterTable } from '../core/parameters/descriptor.ts';
import type { BackendDescriptor } from '../backends/contract.ts';
import type { Device } from '../core/device.ts';
import type { Dtype } from '../models/graph-files.ts';
import type { Architecture } from '../contracts/architecture.ts';
import type { ModelFiles } from '../models/model-files.ts';
import type { FileEvidence } from '../models/describe-model.ts';
import type { HubOptions } from '../models/hub/settings.ts';
import type { Verification } from '../core/verification.ts';
import type { Endpoint, Route } from '../server/endpoint.ts';
import type { OutputRecorder } from './telemetry-messages.ts';
import type { SettingTable } from '../validation/setting-table.ts';

/** One event of a run; each category says which there are. */
export interface RunEvent {
  readonly type: string;
}

/** The part of a parameter's descriptor that a model may narrow. */
export type ParameterBounds = Pick<ParameterDescriptor, 'min' | 'max' | 'default' | 'step'>;

/** Facts about a loaded model. A category may add its own. */
export interface ModelInfo {
  readonly id: string;
  /** Display name. */
  readonly name: string;
  /** `unknown` until the model is loaded, where neither its settings nor its files at hand show it. */
  readonly category: string;
  /** Tokens of prompt and answer together; 0 where a model reads no text. */
  readonly contextLength: number;
  /** Names of those parameters of its category that it doesn't take. */
  readonly foreignParameters?: readonly string[] | undefined;
  /** Defaults of parameters that aren't those of its category; `undefined` where the server that runs it decides. */
  readonly defaults?: Readonly<Record<string, unknown>> | undefined;
  /** Kinds of input that it takes; left out while that is unknown. */
  readonly inputModalities?: readonly ('text' | 'image')[] | undefined;
  /** The things that a demo model knows, and a `source` to put in its place; left out for real models. */
  readonly demo?: { readonly description: string; readonly replacement: string } | undefined;
  /** Unix time in seconds at which the model files were made, or 0 where that is not known. */
  readonly created: number;
  readonly ownedBy: string;
}

/** Headers by which other machines know a run: `x-request-id`, `traceparent` and `tracestate`. */
export type RunHeaders = Readonly<Record<string, string>>;

export interface RunOptions {
  /** Aborting it ends the run before its next step; the iterator then throws `cancelled`. */
  readonly signal?: AbortSignal | undefined;
  /** Sent with whatever the run asks of other machines. */
  readonly headers?: RunHeaders | undefined;
  /** Owners take turns; runs reuse what was computed for runs of the same owner alone. */
  readonly owner?: string | undefined;
  /** As in `CallOptions`. */
  readonly sharesPrefixes?: boolean | undefined;
}

/** The request or job that a run is a part of, in the words of whoever asks for it. */
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
  /** The request that this one is a part of, for observers and for what a worker reports about errors. */
  readonly origin?: RunOrigin | undefined;
  /** The id that the answer is going to have, for observers. */
  readonly responseId?: string | undefined;
  /** Called when a replica takes the request, which has waited until then. It must not throw. */
  readonly onDispatch?: (() => void) | undefined;
  /**
   * Whose request it is. Owners take turns: those that wait, and those whose runs compute. The beginning of a prompt is
   * reused for requests of the same owner alone, so that no caller finds out by `cached_tokens` or by the time what another
   * one has asked. Requests without an owner count as those of one.
   */
  readonly owner?: string | undefined;
  /** Whether the beginning of its prompt is reused for those of all owners that say so too; default `false`. */
  readonly sharesPrefixes?: boolean | undefined;
}

/** A request with all its defaults, as a pipeline gets it. */
export interface CompleteRequest {
  /** Names of the parameters that the caller or the model's `defaults` gave; left out, all of them. */
  readonly given?: readonly string[] | undefined;
}

/** Starts one request of a category on the model that it names. */
export type StartRun<Input, Event> = (request: Input, options?: CallOptions) => AsyncIterable<Event>;

/** A server that runs a model, as it is doing at the moment. */
export interface UpstreamStatus {
  readonly url: string;
  /** Whether it gets requests; where none of a model does, all get some. */
  readonly isHealthy: boolean;
  /** Requests in its hands. */
  readonly running: number;
  /** Requests that it has failed since the model was loaded; some of them another server has answered. */
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

/**
 * A loaded model, ready to run requests. Lives in a worker process, or with `isolation: "inline"` in the host.
 * Failures are `InferenceError`s; leaving a `run` iterator early cancels that run.
 */
export interface Pipeline<
  Request = unknown,
  Event extends RunEvent = RunEvent,
  Info extends ModelInfo = ModelInfo,
> {
  readonly info: Info;
  /** Number of requests it can process at once; the engine queues the others. */
  readonly concurrency: number;
  /** Requests beyond those that it can process as well: one for each owner that has no other under way. Default 0. */
  readonly reserve?: number | undefined;
  /** The servers that run it, where others do. */
  upstreams?(): readonly UpstreamStatus[];
  /** Runtime of the graphs; left out if none were loaded in this process. */
  readonly runtime?: RuntimeInUse | undefined;
  run(request: Request, options?: RunOptions): AsyncIterable<Event>;
  close(): Promise<void>;
}

/** Settings that every model may have; those of its category and the limits of its queue stand beside them. */
export interface CommonSettings {
  /**
   * Name of a bundled model; path of a folder in the hub's ONNX layout, or of a GGUF file; name in the catalogue; id on the hub, `org/name`
   * or `org/name@revision`; or `https://…` address of such a folder. Those on the network are downloaded when the model
   * is loaded, and kept.
   */
  readonly source: string;
  /** Backend of the model; default: llama.cpp for a GGUF file, else ONNX Runtime, on this machine. */
  readonly backend?: BackendDescriptor | undefined;
  /** The weights to load; default `auto`: fp32, or else the first dtype that is there. */
  readonly dtype?: Dtype | undefined;
  /** Source and cache of models; default: from the environment. */
  readonly hub?: HubOptions | undefined;
  /**
   * When files are compared with their hashes as the model is loaded; default `changed`: downloaded ones that have
   * changed since they were last compared, and all of bundled models.
   */
  readonly verify?: Verification | undefined;
  /** Display name; the id if left out. */
  readonly name?: string | undefined;
  /** Values of parameters of its category, by name, for requests that leave them out. */
  readonly defaults?: Readonly<Record<string, unknown>> | undefined;
  /** Default `cpu`. */
  readonly device?: Device | undefined;
  /** Threads of one operator; default cores − 1, at least 1. */
  readonly threads?: number | undefined;
  /**
   * Time in which a worker has to confirm a cancellation before it is killed and replaced; six times as long while it
   * computes, measured in processor time where others have the processors. One that stands still, as by SIGSTOP, is
   * replaced after twice this time, at least 5 s, also when nobody cancels. Default 5 s.
   */
  readonly cancelGraceMs?: number | undefined;
}

/** A model to load and its settings; plain data, so that it can be sent to a worker process. */
export type ModelSpec<Settings extends object = object> = CommonSettings &
  Settings & {
    readonly id: string;
    /** Default: what the model's files show. */
    readonly category?: string | undefined;
  };

/** Settings of a model that its replicas may differ in. */
export type ReplicaSettings = Pick<CommonSettings, 'device' | 'threads'>;

/** Limits of one model, and when it is loaded. */
export interface ModelLimits {
  /** Worker processes of this model: how many, or the settings of each, such as its device. Default 1. */
  readonly replicas?: number | readonly ReplicaSettings[] | undefined;
  /**
   * Requests that may wait; one more is refused with `overloaded`, unless its owner has none waiting: up to as many again.
   * Default 64.
   */
  readonly maxQueue?: number | undefined;
  /**
   * Longest time of a request, waiting included; of a transcription, longest time without progress: each window that is done
   * renews it. Default 10 minutes.
   */
  readonly deadlineMs?: number | undefined;
  /**
   * Whether the first request loads the model, and not the start. Default: true where the model has `idleUnloadMs` or
   * the inference a limit of loaded models, else false.
   */
  readonly loadOnDemand?: boolean | undefined;
  /** Time without a request after which the model is unloaded; the next request loads it again. Default: never. */
  readonly idleUnloadMs?: number | undefined;
}

/** Source, settings and limits of a model. */
export type ModelOptions<Settings extends object = object> = Omit<ModelSpec<Settings>, 'id'> & ModelLimits;

/** Everything that a run has used up and made. What a category doesn't have is left out. */
export interface RunUsage {
  /** Tokens of prompts. */
  inputTokens?: number;
  /** Prompt tokens that needed no computing. */
  cachedTokens?: number;
  /** Over all choices; of a run that ended early, those whose text has come. */
  outputTokens?: number;
  /** Output tokens of reasoning. */
  reasoningTokens?: number;
  images?: number;
  vectors?: number;
  /** Objects found. */
  detections?: number;
  /** Length of what was transcribed or spoken; of a transcription that ended early, how far it came. */
  audioSeconds?: number;
}

/** Tokens of a request that nobody has counted yet. */
export interface TokenEstimate {
  /** Tokens of the prompt, or of the texts. */
  readonly input: number;
  /** The most that the answer may have, over all choices. */
  readonly output: number;
}

/** The account of a run so far. */
export interface RunTally {
  readonly usage: RunUsage;
  /** Reason for the end of each choice; an unfinished choice leaves a hole. */
  readonly finishReasons: string[];
}

/** Attributes of a span, as OpenTelemetry takes them; one that is `undefined` is not recorded. */
export type SpanAttributes = Readonly<
  Record<string, string | number | boolean | (string | null | undefined)[] | undefined>
>;

/** Form of a category's runs in traces, by the GenAI semantic conventions of OpenTelemetry. */
export interface CategoryTelemetry<Request = unknown, Event = RunEvent> {
  /** `gen_ai.operation.name` */
  readonly operation: string;
  /** The request without what people wrote. */
  attributes?(request: Request): SpanAttributes;
  /** Texts that people wrote. */
  content?(request: Request): SpanAttributes;
  /** A sentence for the operator about a default that cut this run short. Logs write it once for each model. */
  advice?(
    request: Request & CompleteRequest,
    end: { readonly usage: RunUsage; readonly finishReasons: readonly string[] },
  ): string | undefined;
  /** Collects what the model wrote, for traces that may hold it. */
  createRecorder?(): OutputRecorder<Event>;
}

/** One example of a request, for people who want to try a model of the category. */
export interface SampleRequest {
  /** Below `/v1/`. */
  readonly path: string;
  readonly body?: object;
  /** Options of curl for a form. */
  readonly form?: string;
  /** The answer is written into this file. */
  readonly file?: string;
  /** The answer goes to this command of a shell. */
  readonly pipe?: string;
}

/** The only object by which other code finds a category. It loads no native code. */
export interface CategoryDefinition<
  Name extends string = string,
  Input = unknown,
  Request = unknown,
  Event extends RunEvent = RunEvent,
  Info extends ModelInfo = ModelInfo,
  Settings extends SettingTable = SettingTable,
  Methods extends object = object,
> {
  readonly name: Name;
  readonly parameters: ParameterTable;
  readonly settings: Settings;
  /** Kinds of models that run on graphs; an earlier one goes before. */
  readonly architectures?: readonly Architecture[];
  /** The files of its models, where it has no architectures. */
  readonly files?: ModelFiles;
  readonly endpoints: readonly (Endpoint | Route)[];
  readonly sample: SampleRequest;
  /** Whether its graphs keep nothing from one run to the next, so that any server of graphs can run them. */
  readonly isStateless: boolean;
  /** The id that answers where a request names no model, if a model is configured under it; default: the first. */
  readonly defaultModel?: string;
  /** Bounds and defaults of parameters, by name, that hold for one model. */
  parameterBounds?(model: Info): Readonly<Record<string, ParameterBounds>>;
  /** Whether a model with these files is one of this category; default: whether an architecture of any backend knows it. */
  recognize?(evidence: FileEvidence): boolean;
  /** The in-process functions of the category, over a function that starts a request. */
  methods(run: StartRun<Input, Event>): Methods;
  /**
   * Checks a request and fills in the defaults.
   *
   * @throws InferenceError `invalid_request` naming the parameter as the wire spells it
   */
  complete(input: Input): Request;
  /**
   * Tokens that a request may use up, estimated; left out where requests use none. A plan reserves them.
   */
  estimateTokens?(input: Input, model: ModelInfo): TokenEstimate;
  /**
   * Work that a request takes, estimated, in a unit of the category: owners take turns by it. Above 0; default 1.
   */
  estimateCost?(request: Request): number;
  /** Whether an event brings a part of the answer, as a token, a segment or an image. */
  isOutput(event: Event): boolean;
  /** Whether the model's `deadlineMs` begins anew with an event; default: no event renews it. */
  isProgress?(event: Event): boolean;
  /** Adds an event to the account of its run. */
  tally(event: Event, tally: RunTally): void;
  /** Adds an event to those of the same run that leave the worker with it; default: at their end. */
  append?(events: Event[], event: Event): void;
  readonly telemetry: CategoryTelemetry<Request, Event>;
}

/** All categories, by name, in the order in which a model's files are shown to them. */
export type CategoryRegistry = ReadonlyMap<string, CategoryDefinition>;
