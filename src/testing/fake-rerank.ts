import type { RerankResult } from '../categories/rerank/events.ts';
import type { RerankRequest } from '../categories/rerank/request.ts';
import { wordsOf } from './words.ts';

/** Ranks documents by the share of the query's words that they have; a word counts as one token. */
export function countSharedWords({ query, documents, topN, returnDocuments }: RerankRequest): RerankResult {
  const wanted = new Set(wordsOf(query).map(bare));
  const results = documents.map((document, index) => {
    const found = new Set(wordsOf(document).map(bare));
    const shared = [...wanted].filter((word) => found.has(word)).length;
    return {
      index,
      relevanceScore: shared / Math.max(1, wanted.size),
      ...(returnDocuments ? { document } : {}),
    };
  });
  const promptTokens = documents.reduce(
    (sum, document) => sum + wordsOf(document).length + wordsOf(query).length,
    0,
  );
  return {
    results: results.sort((a, b) => b.relevanceScore - a.relevanceScore).slice(0, topN ?? documents.length),
    promptTokens,
  };
}

function bare(word: string): string {
  return word.trim().toLowerCase();
}
