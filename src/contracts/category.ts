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
 * A loaded model, ready to run requests. Lives in a worker process, or with `isolation: "inline"` in the host.
 * Failures are `InferenceError`s; leaving a `run` iterator early cancels that run.
 */
export interface Pipeline<
  Request = unknown,
  Event extends RunEvent = RunEvent,
  Info extends ModelInfo = ModelInfo,
> {
  readonly info: Info;
  /** Number of requests that it can process simultaneously; the engine queues further ones. */
  readonly concurrency: number;
  /** Additional requests that it can process: one for each owner without a request in progress. Default 0. */
  readonly reserve?: number | undefined;
  /** The upstream servers of a remote model. */
  upstreams?(): readonly UpstreamStatus[];
  /** Runtime of the graphs; undefined if this process has loaded no graph. */
  readonly runtime?: RuntimeInUse | undefined;
  run(request: Request, options?: PipelineRunOptions): AsyncIterable<Event>;
  close(): Promise<void>;
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

/** Further models that a setting of a category names, each by its source. */
export interface Companions {
  /** An object. */
  readonly setting: string;
  /** Names of settings with a source as their value. */
  readonly fields: readonly string[];
  readonly files: ModelFiles;
}

/** The part of a category that its workers load, too: its models, and the transport of their events. It loads no schema. */
export interface CategoryModels<Name extends string = string, Event extends RunEvent = RunEvent> {
  readonly name: Name;
  /** Kinds of models that run on graphs; an earlier one goes before. */
  readonly architectures?: readonly Architecture[];
  /** The files of its models, if it has no architectures. */
  readonly files?: ModelFiles;
  /** Further models that one of its models needs: they are downloaded and verified with it. */
  readonly companions?: Companions;
  /** Whether its graphs keep nothing from one run to the next, so that any server of graphs can run them. */
  readonly isStateless: boolean;
  /** Whether a model with these files is of this category; default: whether an architecture of any backend recognizes it. */
  recognize?(evidence: FileEvidence): boolean;
  /** Adds an event to those of the same run that leave the worker with it; default: at their end. */
  append?(events: Event[], event: Event): void;
}

/** The only object through which other code uses a category. It loads no native code. */
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
  /** Descriptions of the fields of its endpoints that have no description in their schema. */
  readonly descriptions: Descriptions;
  readonly sample: SampleRequest;
  /** Id of the model for requests without a `model`, if such an id is configured; default: the first model. */
  readonly defaultModel?: string;
  /** Bounds and defaults of parameters, by name, that hold for one model. */
  parameterBounds?(model: Info): Readonly<Record<string, ParameterBounds>>;
  /** The in-process functions of the category, over a function that starts a request. */
  methods(run: StartRun<Input, Event>): Methods;
  /**
   * Checks a request and fills in the defaults.
   *
   * @throws InferenceError `invalid_request` naming the parameter as the wire spells it
   */
  complete(input: Input): Request;
  /**
   * Estimated maximum of tokens that a request uses, which a plan reserves. Undefined if requests use no tokens.
   */
  estimateTokens?(input: Input, model: ModelInfo): TokenEstimate;
  /**
   * Work that a request takes, estimated, in a unit of the category: owners take turns by it. Above 0; default 1.
   */
  estimateCost?(request: Request): number;
  /** Whether an event brings a part of the answer, as a token, a segment or an image. */
  isOutput(event: Event): boolean;
  /** Whether an event restarts the model's `deadlineMs`; default: no event does. */
  isProgress?(event: Event): boolean;
  /** Adds an event to the account of its run. */
  tally(event: Event, tally: UsageTally): void;
  readonly telemetry: CategoryTelemetry<Request, Event>;
}

/** All categories, by name, in the order in which a model's files are shown to them. */
export type CategoryRegistry = ReadonlyMap<string, CategoryDefinition>;
