import type { ModelSpec } from './model.ts';
import type { ModelFolder, TextTokenizer, EncodedText } from './text-model.ts';
import type { Session } from './graph.ts';
import type { Decoder } from './decoder.ts';

export interface Graph {
  /** Path of its file. */
  readonly graph: string;
  /** The graph itself, where it isn't that of the file, whose weights lie beside it. */
  readonly bytes?: Uint8Array | undefined;
  /** The part of the model; undefined for a model of one graph. */
  readonly name?: string | undefined;
}

/** An engine's pooling of token vectors into one. */
export type EnginePooling = 'cls' | 'mean' | 'last-token' | 'rank';

/** A model of texts: everything that pipelines need in addition to its graphs. */
interface TokenizedModel {
  readonly folder: ModelFolder;
  readonly tokenizer: TextTokenizer;
  /** Frees what no decoder or encoder has taken over. */
  release?(): Promise<void>;
}

/** A model that writes texts. */
export interface TextModel extends TokenizedModel {
  /** Maximum number of tokens of one text, unless the settings set it; default: from `config.json`. */
  readonly contextLength?: number;
  /** Maximum number of sequences of different requests that it generates together; default: from the settings. */
  readonly maxRows?: number;
  /** Generates; `maxRows` sequences together. */
  openDecoder(options: { readonly contextLength: number; readonly maxRows: number }): Promise<Decoder>;
}

export interface EncodingModel extends TokenizedModel {
  /** Maximum number of tokens of one text, unless the settings set it. */
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
  /** Whether the graphs are on this disk. If not, a model's folder has everything except the graphs. */
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
  /** Opens a model that encodes texts, if the backend has encoders in place of graphs. */
  openTextEncoder?(spec: ModelSpec): Promise<EncodingModel>;
}
