import { z } from 'zod';
import { listOf } from '../../../validation/list-schema.ts';
import { parameterShape, textField } from '../../../validation/parameter-schema.ts';
import { parameterReader } from '../../../validation/request-table.ts';
import { maxRerankDocuments, rerankParameters } from '../parameters.ts';
import { parseBody } from '../../../validation/issues.ts';
import {
  each,
  harmless,
  ignoredFields,
  notOffered,
  readForeign,
  type ForeignFields,
} from '../../../validation/foreign-fields.ts';
import type { RerankRequestInput } from '../request.ts';
import type { RerankResult } from '../events.ts';
import type { Descriptions } from '../../../validation/describe-fields.ts';

const documentSchema = z.union([z.string(), z.object({ text: z.string() })]);

/** The body of a rerank request. */
export const rerankRequestSchema = z.object({
  model: textField('Id of a rerank model; default: the first one.'),
  query: z.string().min(1),
  documents: listOf(documentSchema, { min: 1, max: maxRerankDocuments }).meta({
    description: 'Texts, or objects with a `text`.',
  }),
  ...parameterShape(rerankParameters),
});

/** A validated body of `POST /rerank`. */
export type RerankRequestBody = z.infer<typeof rerankRequestSchema>;

/** The body of an answer. */
export const rerankResponseSchema = z.object({
  id: z.string(),
  model: z.string(),
  results: z
    .array(
      z.object({
        index: z.int(),
        relevance_score: z.number().meta({ description: '0 to 1.' }),
        document: z.object({ text: z.string() }).optional(),
      }),
    )
    .meta({ description: 'Best first.' }),
  usage: z.object({ prompt_tokens: z.int(), total_tokens: z.int() }),
});

/** The body of an answer. */
export type RerankResponse = z.infer<typeof rerankResponseSchema>;

/** The parsed request; without `model`, the service chooses one. */
export interface RerankCall {
  readonly model: string | undefined;
  readonly request: Omit<RerankRequestInput, 'model'>;
}

const readParameters = parameterReader(rerankParameters);

/** Fields of popular servers that would change the answer. */
export const rerankForeignFields: ForeignFields = {
  rank_fields: { advice: 'write the text of each document' },
  ...each('max_chunks_per_doc truncate_prompt_tokens', { advice: 'use `max_tokens_per_doc`' }),
  overlap_tokens: notOffered,
  ...each('truncation truncate', { ...harmless(true), advice: 'use `max_tokens_per_doc`' }),
  truncation_direction: { advice: 'texts are cut at their end' },
  top_k: { as: 'top_n' },
  ...each('texts passages', { as: 'documents' }),
  return_text: { as: 'return_documents' },
  return_embeddings: harmless(false),
  raw_scores: { ...harmless(false), advice: 'scores are 0 to 1' },
  ...each('use_activation activation', { ...harmless(true), advice: 'scores are 0 to 1' }),
  instruction: { advice: 'write it in the `query`' },
  ...ignoredFields('user priority request_id'),
};

/**
 * A request body of `POST /rerank` → the inference request.
 *
 * @throws InferenceError `invalid_request` or `unsupported_feature` with the first invalid field as `param`
 * @example
 * ```ts
 * fromRerankRequest({ query: 'a red circle', documents: ['one', { text: 'two' }], top_n: 1 }).request.topN; // 1
 * ```
 */
export function fromRerankRequest(body: unknown): RerankCall {
  return readForeign(rerankForeignFields, body, (own) => {
    const { model, query, documents, ...parameters } = parseBody(rerankRequestSchema, own);
    return { model: model ?? undefined, request: { ...readParameters(parameters), query, documents } };
  });
}

/**
 * Ranked documents → the response body.
 *
 * @example
 * ```ts
 * const result = { results: [{ index: 1, relevanceScore: 0.9 }], promptTokens: 12 };
 * toRerankResponse(result, { id: 'rerank-1', model: 'tiny-rerank' }).results[0].relevance_score; // 0.9
 * ```
 */
export function toRerankResponse(
  { results, promptTokens }: RerankResult,
  { id, model }: { id: string; model: string },
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

export const rerankDescriptions: Descriptions = {
  query: 'The question or text to compare documents with.',
  text: 'Text of the document.',
  id: 'Id of this answer, made by the service.',
  index: 'Number of the document in the request, from 0.',
  document: 'The document; absent unless `return_documents` is true.',
  prompt_tokens: 'Tokens of all pairs of query and document.',
  total_tokens: 'The same number: there are no output tokens.',
};
