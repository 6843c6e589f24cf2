import { embeddingParameters, type encodingFormats } from '../parameters.ts';
import { fieldError } from '../../../errors.ts';
import type { EmbeddingRequestInput } from '../request.ts';
import { parseBody } from '../../../validation/issues.ts';
import { parameterReader } from '../../../validation/parameter-schema.ts';
import { embeddingRequestSchema } from './schema.ts';

/** The parsed request; the service chooses a model where it names none. */
export interface EmbeddingCall {
  readonly model: string | undefined;
  readonly request: Omit<EmbeddingRequestInput, 'model'>;
  readonly encodingFormat: (typeof encodingFormats)[number];
}

const readParameters = parameterReader(embeddingParameters);

/** Fields of well-known servers that would change the vectors → what to do instead. */
const unsupportedFields = new Map([
  ['input_type', 'use `prompt_name`'],
  ['task', 'use `prompt_name`'],
  ['task_type', 'use `prompt_name`'],
  ['prompt', 'use `input`'],
  ['instruction', 'use `prompt_name`'],
  ['truncate_prompt_tokens', 'use `truncate`'],
  ['truncation', 'use `truncate`'],
  ['truncation_direction', 'texts are cut at their end'],
  ['output_dimension', 'use `dimensions`'],
  ['output_dtype', 'use `encoding_format`'],
  ['embedding_type', 'use `encoding_format`'],
  ['normalize', 'it is a setting of the model'],
  ['late_chunking', 'this feature is not offered'],
]);

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
  assertSupported(body);
  const parsed = parseBody(embeddingRequestSchema, body);
  return {
    model: parsed.model ?? undefined,
    request: { ...readParameters(parsed), input: parsed.input },
    encodingFormat: parsed.encoding_format ?? 'float',
  };
}

function assertSupported(body: unknown): void {
  if (typeof body !== 'object' || body === null) return;
  for (const [name, advice] of unsupportedFields) {
    if (((body as Record<string, unknown>)[name] ?? null) === null) continue;
    throw fieldError(name, `not supported, ${advice}`, { code: 'unsupported_feature' });
  }
}
