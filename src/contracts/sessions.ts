import type { ModelSpec } from './model.ts';
import type { ModelFolder, TextTokenizer, EncodedText } from './text-model.ts';
import type { Session } from './graph.ts';
import type { Decoder } from './decoder.ts';

export interface Graph {
  /** Path of its file. */
  readonly graph: string;
  /** The graph, if it differs from the file; weights are next to the file. */
  readonly bytes?: Uint8Array | undefined;
  /** The part of the model; `undefined` for a model of one graph. */
  readonly name?: string | undefined;
}

export type EnginePooling = 'cls' | 'mean' | 'last-token' | 'rank';

interface TokenizedModel {
  readonly folder: ModelFolder;
  readonly tokenizer: TextTokenizer;
  /** Frees resources that no decoder or encoder has taken over. */
  release?(): Promise<void>;
}

/** A text generation model. */
export interface TextModel extends TokenizedModel {
  /** Max tokens of one text, unless the settings set it; default: from `config.json`. */
  readonly contextLength?: number;
  /** Max sequences of different requests per batch; default: from the settings. */
  readonly maxRows?: number;
  openDecoder(options: { readonly contextLength: number; readonly maxRows: number }): Promise<Decoder>;
}

export interface EncodingModel extends TokenizedModel {
  /** Max tokens of one text, unless the settings set it. */
  readonly contextLength: number;
  /** Computes vectors or, with the pooling `rank`, a logit per text. */
  openEncoder(options: {
    readonly contextLength: number;
    /** Max tokens of one run. */
    readonly maxTokens: number;
    /** Default: the model's pooling. */
    readonly pooling: EnginePooling | undefined;
  }): Promise<TextEncoderModel>;
}

/** Computes a vector per text. */
export interface TextEncoderModel {
  /** Length of a vector. */
  readonly dimensions: number;
  encode(texts: readonly EncodedText[]): Promise<Float32Array[]>;
  release(): Promise<void>;
}

/** A backend that runs graphs for the categories' pipelines. */
export interface SessionBackend {
  /** The graphs are on this disk. Otherwise a model's folder has everything except the graphs. */
  readonly hasGraphs: boolean;
  /**
   * Opens a graph.
   *
   * @throws InferenceError `invalid_request` if the backend lacks it
   * @throws Error if the file isn't a graph or the device can't run it
   */
  openSession(graph: Graph, settings: Pick<ModelSpec, 'device' | 'threads'>): Promise<Session>;
  /** Opens a text generation model, if the backend has decoders. */
  openTextModel?(spec: ModelSpec): Promise<TextModel>;
  /** Opens a text encoder, if the backend has encoders in place of graphs. */
  openTextEncoder?(spec: ModelSpec): Promise<EncodingModel>;
}
