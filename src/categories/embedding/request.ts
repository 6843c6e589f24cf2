import { fieldError } from '../../errors.ts';
import { faultOfInput } from './input-fault.ts';
import { embeddingParameters } from './parameters.ts';

import { z } from 'zod';
import { RequestTable, type InputOf, type RequestOf } from '../../validation/request-table.ts';
import { expecting } from '../../validation/expecting.ts';

const fields = {
  /** A text or up to 2048 texts; with the model's setting `tokenIds`, also token ids of its tokenizer (special tokens included). */
  input: z.custom<string | readonly string[] | readonly number[] | readonly (readonly number[])[]>(
    (value) => typeof value === 'string' || Array.isArray(value),
    expecting('a text, token ids or a list of them'),
  ),
};

const table = new RequestTable('An embedding request', fields, embeddingParameters);
type Complete = RequestOf<typeof fields, typeof embeddingParameters>;

/** An embedding request with the defaults of `completeEmbeddingRequest`. */
export interface EmbeddingRequest extends Omit<Complete, 'input'> {
  /** Texts, or token ids that are used as is. At least one, each non-empty. */
  readonly inputs: readonly (string | readonly number[])[];
  /** False if `input` was a single text. */
  readonly isList: boolean;
}

/** An embedding request as a caller writes it: only `model` and `input` are required. */
export interface EmbeddingRequestInput extends InputOf<typeof fields, typeof embeddingParameters> {}

export function completeEmbeddingRequest(request: EmbeddingRequestInput): EmbeddingRequest {
  table.assertForm(request);
  const fault = faultOfInput(request.input);
  if (fault) throw fieldError(['input', ...fault.path.map((at) => `[${at}]`)].join(''), fault.message);
  const { input, ...complete } = table.complete(request);
  const isList = typeof input !== 'string' && typeof input[0] !== 'number';
  return { ...complete, inputs: (isList ? input : [input]) as EmbeddingRequest['inputs'], isList };
}
