import type { ModelOptions } from '../../contracts/model.ts';
import type { RerankSettings } from './settings.ts';

/** Settings of a rerank model and its limits. */
export type RerankOptions = Omit<ModelOptions<RerankSettings>, 'category'>;

/**
 * Describes a rerank model for `createInference`: a cross-encoder in the hub's ONNX layout.
 *
 * @example
 * ```ts
 * createInference({ models: { ranker: rerank({ source: './models/bge-reranker-base', threads: 4 }) } });
 * ```
 */
export function rerank(
  options: RerankOptions,
): ModelOptions<RerankSettings> & { readonly category: 'rerank' } {
  return { ...options, category: 'rerank' };
}
