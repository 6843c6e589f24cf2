import type { ModelOptions } from '../../contracts/model.ts';
import type { EmbeddingSettings } from './settings.ts';

/** Settings of an embedding model and its limits. */
export type EmbeddingOptions = Omit<ModelOptions<EmbeddingSettings>, 'category'>;

/**
 * Describes an embedding model: an encoder in the hub's ONNX layout, with or without the config files of
 * sentence-transformers, for `createInference`.
 *
 * @example
 * ```ts
 * createInference({ models: { embedder: embedding({ source: './models/all-MiniLM-L6-v2', threads: 4 }) } });
 * ```
 */
export function embedding(
  options: EmbeddingOptions,
): ModelOptions<EmbeddingSettings> & { readonly category: 'embedding' } {
  return { ...options, category: 'embedding' };
}
