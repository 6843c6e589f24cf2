import type { RerankResult } from '../events.ts';
import type { RerankResponse } from './schema.ts';

/**
 * Ranked documents → the body of the answer.
 *
 * @example
 * ```ts
 * const result = { results: [{ index: 1, relevanceScore: 0.9 }], promptTokens: 12 };
 * toRerankResponse(result, { id: 'rerank-1', model: 'tiny-rerank' }).results[0].relevance_score; // 0.9
 * ```
 */
export function toRerankResponse(
  { results, promptTokens }: RerankResult,
  { id, model }: { readonly id: string; readonly model: string },
): RerankResponse {
  return {
    id,
    model,
    results: results.map(({ index, relevanceScore, document }) => ({
      index,
      relevance_score: relevanceScore,
      ...(document === undefined ? {} : { document: { text: document } }),
    })),
    usage: { prompt_tokens: promptTokens, total_tokens: promptTokens },
  };
}
