import type { Architecture } from './architecture.ts';
import type { Endpoint, Route } from './endpoint.ts';
import type { ModelInfo, ParameterBounds } from './model.ts';
import type {
  RunEvent,
  PipelineRunOptions,
  UsageTally,
  RuntimeInUse,
  StartRun,
  TokenEstimate,
  UpstreamStatus,
} from './run.ts';
import type { CategoryTelemetry } from './telemetry.ts';
import type { ParameterTable } from '../core/parameters/descriptor.ts';
import type { FileEvidence, ModelFiles } from './files.ts';
import type { Descriptions } from '../validation/describe-fields.ts';
import type { SettingTable } from '../validation/setting-table.ts';

/**
 * A loaded model in a worker process or, with `isolation: "inline"`, in the host. Failures are `InferenceError`s; leaving a `run`
 * iterator early cancels the run.
 */
export interface Pipeline<
  Request = unknown,
  Event extends RunEvent = RunEvent,
  Info extends ModelInfo = ModelInfo,
> {
  readonly info: Info;
  /** Max concurrent requests; the engine queues the rest. */
  readonly concurrency: number;
  /** Extra concurrent requests: one per owner without a request in progress. Default 0. */
  readonly reserve?: number | undefined;
  upstreams?(): readonly UpstreamStatus[];
  readonly runtime?: RuntimeInUse | undefined;
  run(request: Request, options?: PipelineRunOptions): AsyncIterable<Event>;
  close(): Promise<void>;
}

/** For users who want to try a model of the category. */
export interface SampleRequest {
  /** Below `/v1/`. */
  readonly path: string;
  readonly body?: object;
  /** Options of curl for a form. */
  readonly form?: string;
  /** File for the response body. */
  readonly file?: string;
  /** Shell command for the response body. */
  readonly pipe?: string;
}

/** Extra models that a setting of a category lists by source. */
export interface Companions {
  readonly setting: string;
  /** Its members with a source. */
  readonly fields: readonly string[];
  readonly files: ModelFiles;
}

/** The part of a category that workers load too. Loads no schema. */
export interface CategoryModels<Name extends string = string, Event extends RunEvent = RunEvent> {
  readonly name: Name;
  readonly architectures?: readonly Architecture[];
  /** The files of its models, if it has no architectures. */
  readonly files?: ModelFiles;
  /** Extra models, downloaded and verified with a model. */
  readonly companions?: Companions;
  /** Its graphs keep no state between runs, so any graph server can run them. */
  readonly isStateless: boolean;
  /** Default: true if an architecture of any backend recognizes the files. */
  recognize?(evidence: FileEvidence): boolean;
  /** Adds an event to a batch on its way out of the worker; default: appends it. */
  append?(events: Event[], event: Event): void;
}

/** A category's only entry point. Loads no native code. */
export interface CategoryDefinition<
  Name extends string = string,
  Input = unknown,
  Request = unknown,
  Event extends RunEvent = RunEvent,
  Info extends ModelInfo = ModelInfo,
  Settings extends SettingTable = SettingTable,
  Methods extends object = object,
> extends CategoryModels<Name, Event> {
  readonly parameters: ParameterTable;
  readonly settings: Settings;
  readonly endpoints: readonly (Endpoint | Route)[];
  readonly descriptions: Descriptions;
  readonly sample: SampleRequest;
  /** A short input, to which a new worker's model is added. Absent if answering takes longer than it saves the first request. */
  readonly warmUp?: Omit<Input, 'model'>;
  /** The default model, if configured under that id; default: the first model. */
  readonly defaultModel?: string;
  /** Bounds and defaults for one model, by parameter name. */
  parameterBounds?(model: Info): Readonly<Record<string, ParameterBounds>>;
  /** Wraps a function that starts a request. */
  methods(run: StartRun<Input, Event>): Methods;
  /** Checks a request and fills in the defaults. @throws InferenceError `invalid_request` naming the parameter in wire spelling */
  complete(input: Input): Request;
  /** Max tokens to reserve from a plan. Absent if requests use no tokens. */
  estimateTokens?(input: Input, model: ModelInfo): TokenEstimate;
  /** Estimated work, for fairness between owners. Above 0; default 1. */
  estimateCost?(request: Request): number;
  /** True for output, such as a token, a segment or an image. */
  isOutput(event: Event): boolean;
  /** True if an event restarts the model's `deadlineMs`; default: never. */
  isProgress?(event: Event): boolean;
  tally(event: Event, tally: UsageTally): void;
  readonly telemetry: CategoryTelemetry<Request, Event>;
}

/** All categories by name; their order is the precedence for recognizing files. */
export type CategoryRegistry = ReadonlyMap<string, CategoryDefinition>;
