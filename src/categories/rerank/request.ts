import { fieldError } from '../../errors.ts';
import { z } from 'zod';
import { assertRequest, requestTable } from '../../validation/assert-request.ts';
import { listOf } from '../../validation/list-schema.ts';
import { resolveRequestParameters } from '../../validation/request-parameters.ts';
import { maxRerankDocuments, rerankParameters, type RerankParameters } from './parameters.ts';

/** A complete rerank request, as `completeRerankRequest` leaves it. */
export interface RerankRequest extends RerankParameters {
  readonly model: string;
  readonly query: string;
  /** At least one. */
  readonly documents: readonly string[];
}

/** A rerank request as a caller writes it: only `model`, `query` and `documents` are needed. */
export interface RerankRequestInput extends Partial<RerankParameters> {
  readonly model: string;
  readonly query: string;
  /** 1 to 2048 texts. */
  readonly documents: readonly (string | { readonly text: string })[];
}

const fields = requestTable(
  {
    query: z.string(),
    documents: listOf(
      z.union([z.string(), z.strictObject({ text: z.string() })], {
        error: 'expected a text or { text: … }',
      }),
    ),
  },
  rerankParameters,
);

/** Fills in the defaults of a rerank request and checks every bound that doesn't depend on the model. */
export function completeRerankRequest(input: RerankRequestInput): RerankRequest {
  assertRequest('A rerank request', fields, input);
  const { model, query, documents } = input;
  if (query.trim() === '') throw fieldError('query', 'expected a text that is not empty');
  if (documents.length === 0) throw fieldError('documents', 'expected at least one document, got none');
  if (documents.length > maxRerankDocuments) {
    const reason = `expected at most ${maxRerankDocuments} documents, got ${documents.length}`;
    throw fieldError('documents', reason);
  }
  const texts = documents.map((document) => (typeof document === 'string' ? document : document.text));
  return { ...resolveRequestParameters(rerankParameters, input), model, query, documents: texts };
}
