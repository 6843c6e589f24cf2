import { embeddingParameters, type encodingFormats } from '../parameters.ts';
import type { EmbeddingRequestInput } from '../request.ts';
import { parseBody } from '../../../validation/issues.ts';
import { parameterReader } from '../../../validation/parameter-schema.ts';
import { assertNoneOf, notOffered, type UnsupportedFields } from '../../../validation/unsupported.ts';
import { embeddingRequestSchema } from './schema.ts';

/** The parsed request; the service chooses a model where it names none. */
export interface EmbeddingCall {
  readonly model: string | undefined;
  readonly request: Omit<EmbeddingRequestInput, 'model'>;
  readonly encodingFormat: (typeof encodingFormats)[number];
}

const readParameters = parameterReader(embeddingParameters);

/** Fields of well-known servers that would change the vectors. */
const unsupportedFields: UnsupportedFields = {
  input_type: { advice: 'use `prompt_name`' },
  task: { advice: 'use `prompt_name`' },
  task_type: { advice: 'use `prompt_name`' },
  prompt: { advice: 'use `input`' },
  instruction: { advice: 'use `prompt_name`' },
  truncate_prompt_tokens: { advice: 'use `truncate`' },
  truncation: { advice: 'use `truncate`' },
  truncation_direction: { advice: 'texts are cut at their end' },
  output_dimension: { advice: 'use `dimensions`' },
  output_dtype: { advice: 'use `encoding_format`' },
  embedding_type: { advice: 'use `encoding_format`' },
  normalize: { advice: 'it is a setting of the model' },
  late_chunking: notOffered,
};

/**
 * A request body of `POST /embeddings` → what the inference takes.
 *
 * @throws InferenceError `invalid_request` or `unsupported_feature` with the place of the first fault as `param`
 *
 * @example
 * ```ts
 * fromEmbeddingRequest({ input: ['a red circle'], dimensions: 64 }).request.dimensions; // 64
 * ```
 */
export function fromEmbeddingRequest(body: unknown): EmbeddingCall {
  assertNoneOf(unsupportedFields, body);
  const parsed = parseBody(embeddingRequestSchema, body);
  return {
    model: parsed.model ?? undefined,
    request: { ...readParameters(parsed), input: parsed.input },
    encodingFormat: parsed.encoding_format ?? 'float',
  };
}
