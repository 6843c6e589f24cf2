import type { UpstreamStatus } from './run.ts';
import type { ToolCallFacts } from '../core/chat/tool-calls/format.ts';
import type { Device } from '../core/device.ts';
import type { ParameterDescriptor } from '../core/parameters/descriptor.ts';
import type { Verification } from '../core/verification.ts';
import type { LoadPhase, ModelState } from '../core/model-states.ts';
import type { Dtype } from './files.ts';

/** Members of a parameter's descriptor that a model may override. */
export type ParameterBounds = Pick<ParameterDescriptor, 'min' | 'max' | 'default' | 'step'>;

/** Facts about a loaded model. Categories may add more. */
export interface ModelInfo {
  readonly id: string;
  /** Display name. */
  readonly name: string;
  /** `unknown` until the model is loaded, unless its settings or local files determine it. */
  readonly category: string;
  /** Max tokens of prompt and answer together; 0 if the model reads no text, `undefined` while unknown. */
  readonly contextLength?: number | undefined;
  /** Names of the category's parameters that it doesn't support. */
  readonly foreignParameters?: readonly string[] | undefined;
  /** Defaults of parameters that differ from its category; `undefined` if a remote server decides. */
  readonly defaults?: Readonly<Record<string, unknown>> | undefined;
  /** Supported kinds of input; `undefined` while unknown. */
  readonly inputModalities?: readonly ('text' | 'image')[] | undefined;
  /** Notation of the model's tool calls; `undefined` while unknown, and for models without tool calls. */
  readonly toolCalls?: ToolCallFacts | undefined;
  /** The world of a demo model, and the `source` of a real replacement; `undefined` for real models. */
  readonly demo?: { readonly description: string; readonly replacement: string } | undefined;
  /** Unix time in seconds of the model files, or 0 if unknown. */
  readonly created: number;
  /** The publishing organization, `slashv1`, or `remote` for a model of a remote server. */
  readonly ownedBy: string;
}

/** Source and cache of models, as plain data. */
export interface HubOptions {
  /** Address of the hub; default `HF_ENDPOINT`, else `https://huggingface.co`. */
  readonly endpoint?: string | undefined;
  /** Token for the endpoint, sent only to its origin; default `HF_TOKEN`. */
  readonly token?: string | undefined;
  /**
   * Folder of downloaded models, in the layout of Hugging Face's libraries; default `SLASHV1_CACHE`, else `HF_HUB_CACHE`, else
   * `hub` in `HF_HOME`, else `~/.cache/huggingface/hub`.
   */
  readonly cacheFolder?: string | undefined;
  /** Use only the cache; default: `SLASHV1_OFFLINE` or `HF_HUB_OFFLINE`, else false. */
  readonly offline?: boolean | undefined;
}

/** Settings of every model, in addition to its category's settings and its queue limits. */
export interface CommonSettings {
  /**
   * Name of a bundled model; path of a folder in Hugging Face's ONNX layout, or of a GGUF file; name in the catalogue; Hugging
   * Face id, `org/name` or `org/name@revision`; or `https://…` address of such a folder. Remote files are downloaded on load and
   * cached.
   */
  readonly source: string;
  /** Backend of the model; default: llama.cpp for a GGUF file, else ONNX Runtime, on this machine. */
  readonly backend?: BackendDescriptor | undefined;
  /** The weights to load; default `auto`: fp32, or else the first available dtype. */
  readonly dtype?: Dtype | undefined;
  /** Source and cache of models; default: from the environment. */
  readonly hub?: HubOptions | undefined;
  /**
   * When to verify file hashes on load; default `changed`: downloaded files that changed since they were last verified, and all
   * files of bundled models.
   */
  readonly verify?: Verification | undefined;
  /** Display name; default: the id. */
  readonly name?: string | undefined;
  /** Default values of its category's parameters, by name. */
  readonly defaults?: Readonly<Record<string, unknown>> | undefined;
  /** Default `cpu`. */
  readonly device?: Device | undefined;
  /** Threads per operator; default cores − 1, at least 1. */
  readonly threads?: number | undefined;
  /**
   * Time in which a worker must confirm a cancellation before it is killed and replaced; six times as long while it computes,
   * measured in processor time if processors are contended. A stopped worker, as after SIGSTOP, is replaced after twice this
   * time, at least 5 s, even without a cancellation. Default 5 s.
   */
  readonly cancelGraceMs?: number | undefined;
  /** Answer a short request while loading, so that the first request is fast; default: true, but false with `loadOnDemand`. */
  readonly warmUp?: boolean | undefined;
}

export type ModelSpec<Settings extends object = object> = CommonSettings &
  Settings & {
    readonly id: string;
    /** Default: detected from the model's files. */
    readonly category?: string | undefined;
  };

/** Settings that may differ between replicas. */
export type ReplicaSettings = Pick<CommonSettings, 'device' | 'threads'>;

/** Limits of a model, and when it is loaded. */
export interface ModelLimits {
  /** Worker processes of this model: their number, or the settings of each, such as its device. Default 1. */
  readonly replicas?: number | readonly ReplicaSettings[] | undefined;
  /** Max waiting requests; more are rejected with `overloaded`, unless their owner has no waiting request: up to as many again. Default 64. */
  readonly maxQueue?: number | undefined;
  /**
   * Max time of a request, waiting included; for a transcription, max time without progress: each finished window restarts it.
   * Default 10 minutes.
   */
  readonly deadlineMs?: number | undefined;
  /** Load the model on the first request instead of at the start. Default: true with `idleUnloadMs` or a limit of loaded models, else false. */
  readonly loadOnDemand?: boolean | undefined;
  /** Time without requests after which the model is unloaded; the next request loads it again. Default: never. */
  readonly idleUnloadMs?: number | undefined;
}

/** Source, settings and limits of a model. */
export type ModelOptions<Settings extends object = object> = Omit<ModelSpec<Settings>, 'id'> & ModelLimits;

export interface BackendDescriptor {
  readonly kind: string;
}

/** Load progress of a model. */
export interface LoadProgress {
  readonly phase: LoadPhase;
  /** Downloaded bytes, including earlier attempts; `undefined` without a download. */
  readonly receivedBytes?: number | undefined;
  /** Total size of its download, if known. */
  readonly totalBytes?: number | undefined;
}

/** Current state of a model. */
export interface ModelStatus {
  readonly id: string;
  /**
   * `loading` also while a lost worker is replaced; `unloaded` until the next request loads it; `failed` if it can't be loaded;
   * `unreachable` while all its servers are unhealthy; `draining` while it still serves but is about to close, so that balancers
   * stop sending requests.
   */
  readonly state: ModelState;
  /** Requests in workers, including cancelled requests that have not stopped yet. */
  readonly running: number;
  readonly waiting: number;
  /** While `loading`, if known: progress of the first replica that isn't ready. */
  readonly progress?: LoadProgress;
  /** The upstream servers of a remote model; each replica counts them separately. */
  readonly upstreams?: readonly UpstreamStatus[];
}

/** The models of an inference. */
export interface ModelDirectory {
  /** Every configured model; before it is loaded, with facts from its settings and local files. */
  models(): readonly ModelInfo[];
  status(): readonly ModelStatus[];
}
