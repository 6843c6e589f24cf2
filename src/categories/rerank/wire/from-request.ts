import { parseBody } from '../../../validation/issues.ts';
import { parameterReader } from '../../../validation/parameter-schema.ts';
import { assertNoneOf, notOffered, type UnsupportedFields } from '../../../validation/unsupported.ts';
import { rerankParameters } from '../parameters.ts';
import type { RerankRequestInput } from '../request.ts';
import { rerankRequestSchema } from './schema.ts';

/** A request of a client; the model may be left to the service. */
export interface RerankCall {
  readonly model: string | undefined;
  readonly request: Omit<RerankRequestInput, 'model'>;
}

const readParameters = parameterReader(rerankParameters);

/** Fields of well-known servers that would change the answer. */
const unsupportedFields: UnsupportedFields = {
  rank_fields: { advice: 'write the text of each document' },
  max_chunks_per_doc: { advice: 'use `max_tokens_per_doc`' },
  overlap_tokens: notOffered,
  truncation: { harmless: (value: unknown) => value === true, advice: 'use `max_tokens_per_doc`' },
};

/**
 * A request body of `POST /rerank` → the request of the inference.
 *
 * @throws InferenceError `invalid_request` or `unsupported_feature` with the place of the first fault as `param`
 *
 * @example
 * ```ts
 * fromRerankRequest({ query: 'a red circle', documents: ['one', { text: 'two' }], top_n: 1 }).request.topN; // 1
 * ```
 */
export function fromRerankRequest(body: unknown): RerankCall {
  assertNoneOf(unsupportedFields, body);
  const { model, query, documents, ...parameters } = parseBody(rerankRequestSchema, body);
  return { model: model ?? undefined, request: { ...readParameters(parameters), query, documents } };
}
