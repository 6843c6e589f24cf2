import type { UpstreamStatus } from './run.ts';
import type { ToolCallFacts } from '../core/chat/tool-calls/format.ts';
import type { Device } from '../core/device.ts';
import type { ParameterDescriptor } from '../core/parameters/descriptor.ts';
import type { Verification } from '../core/verification.ts';
import type { LoadPhase, ModelState } from '../core/model-states.ts';
import type { Dtype } from './files.ts';

/** The part of a parameter's descriptor that a model may narrow. */
export type ParameterBounds = Pick<ParameterDescriptor, 'min' | 'max' | 'default' | 'step'>;

/** Facts about a loaded model. A category may add its own. */
export interface ModelInfo {
  readonly id: string;
  /** Display name. */
  readonly name: string;
  /** `unknown` until the model is loaded, where neither its settings nor its files at hand show it. */
  readonly category: string;
  /** Tokens of prompt and answer together; 0 if the model reads no text, `undefined` while it is unknown. */
  readonly contextLength?: number | undefined;
  /** Names of those parameters of its category that it doesn't take. */
  readonly foreignParameters?: readonly string[] | undefined;
  /** Defaults of parameters that differ from its category; `undefined` if a remote server decides. */
  readonly defaults?: Readonly<Record<string, unknown>> | undefined;
  /** Kinds of input that it takes; undefined while unknown. */
  readonly inputModalities?: readonly ('text' | 'image')[] | undefined;
  /** Notation of the model's tool calls; undefined while unknown, and for models that can't call tools. */
  readonly toolCalls?: ToolCallFacts | undefined;
  /** The world of a demo model, and the `source` of a real one; undefined for real models. */
  readonly demo?: { readonly description: string; readonly replacement: string } | undefined;
  /** Unix time in seconds at which the model files were made, or 0 if unknown. */
  readonly created: number;
  /** The organization that publishes it, `slashv1`, or `remote` for a model of a remote server. */
  readonly ownedBy: string;
}

/** Source and cache of models, as plain data. */
export interface HubOptions {
  /** Address of the hub; default `HF_ENDPOINT`, else `https://huggingface.co`. */
  readonly endpoint?: string | undefined;
  /** Token for the endpoint, sent only to its origin; default `HF_TOKEN`. */
  readonly token?: string | undefined;
  /**
   * Folder of downloaded models, with the layout that the hub's libraries share; default `SLASHV1_CACHE`, else theirs:
   * `HF_HUB_CACHE`, else `hub` in `HF_HOME`, else `~/.cache/huggingface/hub`.
   */
  readonly cacheFolder?: string | undefined;
  /** Whether only the cache may be used; default: `SLASHV1_OFFLINE` or `HF_HUB_OFFLINE`, else false. */
  readonly offline?: boolean | undefined;
}

/** Settings that every model may have, in addition to the settings of its category and the limits of its queue. */
export interface CommonSettings {
  /**
   * Name of a bundled model; path of a folder in Hugging Face's ONNX layout, or of a GGUF file; name in the catalogue; id on Hugging Face, `org/name`
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
  /** Display name; default: the id. */
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
    /** Default: detected from the model's files. */
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

/** A backend with its settings, as plain data for a worker process. */
export interface BackendDescriptor {
  readonly kind: string;
}

/** How far the loading of a model is. */
export interface LoadProgress {
  readonly phase: LoadPhase;
  /** Downloaded bytes, including earlier attempts; undefined without a download. */
  readonly receivedBytes?: number | undefined;
  /** Bytes of all files of its download, if known. */
  readonly totalBytes?: number | undefined;
}

/** Current state of a model. */
export interface ModelStatus {
  readonly id: string;
  /**
   * `loading` also while a lost worker is being replaced; `unloaded` when the next request loads it; `failed` when the
   * model can't be loaded; `unreachable` while none of the servers that run it is healthy; `draining` when it is ready, but
   * about to be closed, so that balancers send nobody any more.
   */
  readonly state: ModelState;
  /** Requests that workers process, including cancelled ones that have not stopped yet. */
  readonly running: number;
  readonly waiting: number;
  /** While it is `loading`, if known: the progress of the first replica that isn't ready. */
  readonly progress?: LoadProgress;
  /** The upstream servers of a remote model; each replica counts them separately. */
  readonly upstreams?: readonly UpstreamStatus[];
}

/** The models of an inference. */
export interface ModelDirectory {
  /** Every configured model, loaded or not; until it is, with facts from its settings and its files on this disk. */
  models(): readonly ModelInfo[];
  status(): readonly ModelStatus[];
}
