import type { EmbeddingResult } from '../categories/embedding/events.ts';
import type { EmbeddingRequest } from '../categories/embedding/request.ts';
import { truncateVector } from '../core/embedding/dimensions.ts';
import { normalizeInPlace } from '../core/embedding/normalize.ts';
import { wordsOf } from './fake-run.ts';
import type { RerankResult } from '../categories/rerank/events.ts';
import type { RerankRequest } from '../categories/rerank/request.ts';

const fakeDimensions = 16;

/**
 * Vectors of 16 dimensions that count characters, so that equal texts have equal vectors and texts of the same letters are
 * near; a word counts as one token.
 */
export function countCharacters({ inputs, dimensions = fakeDimensions }: EmbeddingRequest): EmbeddingResult {
  const embeddings = inputs.map((input) => {
    const vector = new Float32Array(fakeDimensions);
    const codes =
      typeof input === 'string' ? [...input].map((character) => character.codePointAt(0)!) : input;
    for (const code of codes) vector[code % fakeDimensions]! += 1;
    return normalizeInPlace(truncateVector(vector, Math.min(dimensions, fakeDimensions)));
  });
  const tokens = inputs.map((input) => (typeof input === 'string' ? wordsOf(input) : input).length);
  return { embeddings, promptTokens: tokens.reduce((sum, count) => sum + count, 0) };
}

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
