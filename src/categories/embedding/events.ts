import type { ModelInfo } from '../../contracts/model.ts';
/** The vectors of an embedding request. */
export interface EmbeddingResult {
  /** In the order of the inputs. */
  readonly embeddings: readonly Float32Array[];
  /** Over all inputs, special tokens and prompts included. */
  readonly promptTokens: number;
}

export type EmbeddingEvent = { readonly type: 'embeddings' } & EmbeddingResult;

/** Facts about a loaded embedding model. */
export interface EmbeddingModelInfo extends ModelInfo {
  readonly category: 'embedding';
  /** Allowed values of `dimensions`; `default` is the full length. */
  readonly vectorSizes?: { readonly default: number; readonly min: number; readonly max: number } | undefined;
}
