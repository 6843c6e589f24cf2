import { fieldError } from '../../errors.ts';
import { z } from 'zod';
import { RequestTable, type InputOf, type RequestOf } from '../../validation/request-table.ts';
import { listOf } from '../../validation/list-schema.ts';
import { maxRerankDocuments, rerankParameters } from './parameters.ts';

const fields = {
  query: z.string(),
  /** 1 to 2048 texts. */
  documents: listOf<string | { readonly text: string }>(
    z.union([z.string(), z.strictObject({ text: z.string() })], {
      error: 'expected a text or { text: … }',
    }),
  ),
};

const table = new RequestTable('A rerank request', fields, rerankParameters);

/** A rerank request with the defaults of `completeRerankRequest`. */
export interface RerankRequest extends Omit<RequestOf<typeof fields, typeof rerankParameters>, 'documents'> {
  /** At least one. */
  readonly documents: readonly string[];
}

/** A rerank request as a caller writes it: only `model`, `query` and `documents` are required. */
export interface RerankRequestInput extends InputOf<typeof fields, typeof rerankParameters> {}

export function completeRerankRequest(input: RerankRequestInput): RerankRequest {
  table.assertForm(input);
  const { query, documents } = input;
  if (query.trim() === '') throw fieldError('query', 'expected a non-empty text');
  if (documents.length === 0) throw fieldError('documents', 'expected at least one document, got none');
  if (documents.length > maxRerankDocuments) {
    const reason = `expected at most ${maxRerankDocuments} documents, got ${documents.length}`;
    throw fieldError('documents', reason);
  }
  const texts = documents.map((document) => (typeof document === 'string' ? document : document.text));
  return { ...table.complete(input), documents: texts };
}
