import type { CategoryDefinition, ModelSpec, Pipeline } from '../categories/contract.ts';
import type { Architecture } from '../contracts/architecture.ts';
import type { ModelFiles } from '../models/model-files.ts';
import type { ModelFolder } from '../models/model-folder.ts';
import type { TextTokenizer } from '../models/tokenizer.ts';
import type { Session } from '../runtime/contract.ts';
import type { Decoder } from '../runtime/decoder.ts';
import type { EncodedText } from '../runtime/encoder/token-inputs.ts';
import type { SettingTable } from '../validation/setting-table.ts';

/** A backend with its settings, as plain data for a worker process. */
export interface BackendDescriptor {
  readonly kind: string;
}

/** One graph of a model. */
export interface Graph {
  /** Path of its file. */
  readonly graph: string;
  /** The graph itself, where it isn't that of the file, whose weights lie beside it. */
  readonly bytes?: Uint8Array | undefined;
  /** The part of the model; left out for a model of one graph. */
  readonly name?: string | undefined;
}

/** An engine's pooling of token vectors into one. */
export type EnginePooling = 'cls' | 'mean' | 'last-token' | 'rank';

/** A model of texts: everything that pipelines need beside its graphs. */
interface TokenizedModel {
  readonly folder: ModelFolder;
  readonly tokenizer: TextTokenizer;
  /** Frees what no decoder or encoder has taken over. */
  release?(): Promise<void>;
}

/** A model that writes texts. */
export interface TextModel extends TokenizedModel {
  /** Tokens of one text, unless the settings say otherwise; default: what `config.json` says. */
  readonly contextLength?: number;
  /** Most sequences of different requests that it generates together; default: what the settings say. */
  readonly mostRows?: number;
  /** Generates; `maxRows` sequences together. */
  openDecoder(options: { readonly contextLength: number; readonly maxRows: number }): Promise<Decoder>;
}

/** A model that encodes texts. */
export interface EncodingModel extends TokenizedModel {
  /** Tokens of one text, unless the settings say otherwise. */
  readonly contextLength: number;
  /** Makes vectors or, pooled by `rank`, a logit for each text. */
  openEncoder(options: {
    readonly contextLength: number;
    /** Most tokens of one run. */
    readonly maxTokens: number;
    /** Default: the model's own. */
    readonly pooling: EnginePooling | undefined;
  }): Promise<TextEncoderModel>;
}

/** Texts in, numbers out: a vector for each. */
export interface TextEncoderModel {
  /** Numbers of one vector. */
  readonly dimensions: number;
  encode(texts: readonly EncodedText[]): Promise<Float32Array[]>;
  release(): Promise<void>;
}

/** A backend that runs graphs: the categories' own pipelines do the rest. */
export interface SessionBackend {
  /** Whether the graphs are on this disk. Where they aren't, a model's folder holds everything else. */
  readonly hasGraphs: boolean;
  /**
   * Opens a graph.
   *
   * @throws InferenceError `invalid_request` where the backend doesn't have it
   * @throws Error where the file is no graph or the device can't run it
   */
  openSession(graph: Graph, settings: Pick<ModelSpec, 'device' | 'threads'>): Promise<Session>;
  /** Opens a model that writes texts, where the backend has decoders. */
  openTextModel?(spec: ModelSpec): Promise<TextModel>;
  /** Opens a model that encodes texts, where the backend has those in place of graphs. */
  openTextEncoder?(spec: ModelSpec): Promise<EncodingModel>;
}

/** Loads a model into this process. */
export type LoadPipeline = (spec: ModelSpec) => Promise<Pipeline>;

/**
 * Loads a model of one category over a backend that runs graphs, or architectures of its own.
 *
 * @param architecture as the model's small files show it; `undefined` where the category has no list of them
 */
export type LoadOverSessions = (
  spec: ModelSpec,
  backend: SessionBackend,
  architecture: Architecture<never>,
) => Promise<Pipeline>;

/** A backend as it works: it runs graphs, or whole models. */
export type Backend =
  | {
      readonly sessions: SessionBackend;
      /** Adapts a pipeline that was loaded over the sessions. */
      wrap?(pipeline: Pipeline): Pipeline;
    }
  | { readonly loadPipeline: LoadPipeline };

/** The one object by which everything else finds a backend. It loads no native code. */
export interface BackendDefinition {
  readonly kind: string;
  /** Notation for users: `remote.openai({…})`. */
  readonly spelling: string;
  /** The settings of the descriptor. */
  readonly settings: SettingTable;
  /** The process that it runs in: a worker, or the host where it computes nothing itself. */
  readonly place: 'worker' | 'host';
  /** Settings of a model that it can't honour. */
  readonly foreignSettings: readonly string[];
  /** The architectures that it opens in place of those of a category, by category. */
  readonly architectures?: Readonly<Record<string, readonly Architecture[]>>;
  /** The files of its models, where no architecture names them; default: those that the category names. */
  readonly files?: ModelFiles;
  /** Whether it runs the models of a category. */
  runs(category: Pick<CategoryDefinition, 'name' | 'isStateless'>): boolean;
  /** Further reason why it doesn't run a category. */
  refusal?(category: Pick<CategoryDefinition, 'name'>): string;
  /** Checks that reach beyond one setting; `path` begins the name of a setting. @throws InferenceError `invalid_request` */
  assert?(descriptor: BackendDescriptor, path: string): void;
  /** Imported late: it may load native code. */
  open(spec: ModelSpec): Promise<Backend>;
}
