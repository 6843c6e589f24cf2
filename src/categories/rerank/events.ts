import type { ModelInfo } from '../../contracts/model.ts';

/** A document and its relevance to the query. */
export interface RerankedDocument {
  /** Index of the document in the request, from 0. */
  readonly index: number;
  /** 0 to 1; higher is more relevant. */
  readonly relevanceScore: number;
  /** Only with `returnDocuments`. */
  readonly document?: string | undefined;
}

/** The ranked documents. */
export interface RerankResult {
  /** Best first; equal scores keep their order. */
  readonly results: readonly RerankedDocument[];
  /** Over all pairs of query and document, special tokens included. */
  readonly promptTokens: number;
}

export type RerankEvent = { readonly type: 'ranking' } & RerankResult;

/** Facts about a loaded rerank model. */
export interface RerankModelInfo extends ModelInfo {
  readonly category: 'rerank';
}
