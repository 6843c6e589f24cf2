import { fieldError } from '../../errors.ts';
import { faultOfInput } from './input-fault.ts';
import { embeddingParameters, type EmbeddingParameters } from './parameters.ts';

import { z } from 'zod';
import { assertRequest, requestTable } from '../../validation/assert-request.ts';
import { resolveRequestParameters } from '../../validation/request-parameters.ts';
import { expecting } from '../../validation/expecting.ts';

/** A complete embedding request, as `completeEmbeddingRequest` leaves it. */
export interface EmbeddingRequest extends EmbeddingParameters {
  readonly model: string;
  /** Texts, or token ids that are taken as they are. At least one; none is empty. */
  readonly inputs: readonly (string | readonly number[])[];
  /** Whether the caller gave a list; otherwise `inputs` holds its only text. */
  readonly isList: boolean;
}

/** An embedding request as a caller writes it: only `model` and `input` are needed. */
export interface EmbeddingRequestInput extends Partial<EmbeddingParameters> {
  readonly model: string;
  /**
   * A text, or up to 2048 of them; where the model's setting `tokenIds` allows it, also token ids of its own tokenizer
   * (special ones included).
   */
  readonly input: string | readonly string[] | readonly number[] | readonly (readonly number[])[];
}

const fields = requestTable(
  {
    // Its items are checked one by one below.
    input: z.union(
      [z.string(), z.custom<readonly unknown[]>(Array.isArray)],
      expecting('a text, token ids or a list of them'),
    ),
  },
  embeddingParameters,
);

/** Fills in the defaults of an embedding request and checks every bound that doesn't depend on the model. */
export function completeEmbeddingRequest(request: EmbeddingRequestInput): EmbeddingRequest {
  assertRequest('An embedding request', fields, request);
  const { model, input, ...given } = request;
  const isList = typeof input !== 'string' && typeof input[0] !== 'number';
  const inputs = (isList ? input : [input]) as EmbeddingRequest['inputs'];
  const fault = faultOfInput(input);
  if (fault) throw fieldError(['input', ...fault.path.map((at) => `[${at}]`)].join(''), fault.message);
  return { ...resolveRequestParameters(embeddingParameters, given), model, inputs, isList };
}
