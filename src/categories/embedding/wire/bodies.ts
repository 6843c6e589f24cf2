import { z } from 'zod';
import { embeddingParameters, encodingFormats, maxEmbeddingInputs } from '../parameters.ts';
import { parameterShape, textField } from '../../../validation/parameter-schema.ts';
import { parameterReader } from '../../../validation/request-table.ts';
import { faultOfInput } from '../input-fault.ts';
import type { EmbeddingRequestInput } from '../request.ts';
import { parseBody } from '../../../validation/issues.ts';
import {
  each,
  harmless,
  ignoredFields,
  notOffered,
  readForeign,
  type ForeignFields,
} from '../../../validation/foreign-fields.ts';
import { encodeFloat32 } from '../../../core/embedding/base64.ts';
import type { EmbeddingResult } from '../events.ts';
import type { Descriptions } from '../../../validation/describe-fields.ts';

type Input = string | string[] | number[] | number[][];

const text = { type: 'string', minLength: 1 };
const tokens = {
  type: 'array',
  minItems: 1,
  items: { type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER },
};
const listBounds = { type: 'array', minItems: 1, maxItems: maxEmbeddingInputs };

/** Checked without zod: a body may hold millions of token ids. */
const input = z
  .unknown()
  .transform((value, context): Input => {
    const fault = faultOfInput(value);
    if (fault === undefined) return value as Input;
    context.addIssue({ code: 'custom', message: fault.message, path: fault.path });
    return z.NEVER;
  })
  .meta({
    description:
      'A text, or a list of texts. Models with the setting `tokenIds` also accept token ids of their tokenizer, special tokens included.',
    anyOf: [text, { ...listBounds, items: text }, tokens, { ...listBounds, items: tokens }],
  });

/** The body of an embedding request. Unlisted fields are ignored or rejected first. */
export const embeddingRequestSchema = z.object({
  input,
  model: textField('Id of an embedding model; default: the first one.'),
  encoding_format: z.enum(encodingFormats).nullish().meta({
    description: 'Format of vectors: numbers, or base64 of little-endian float32.',
    default: encodingFormats[0],
  }),
  ...parameterShape(embeddingParameters),
});

/** A validated body of `POST /embeddings`. */
export type EmbeddingRequestBody = z.infer<typeof embeddingRequestSchema>;

/** The body of an answer. */
export const embeddingResponseSchema = z.object({
  object: z.literal('list'),
  data: z
    .array(
      z.object({
        object: z.literal('embedding'),
        index: z.int(),
        embedding: z.union([z.array(z.number()), z.string().meta({ contentEncoding: 'base64' })]),
      }),
    )
    .meta({ description: 'In the order of the inputs.' }),
  model: z.string(),
  usage: z.object({ prompt_tokens: z.int(), total_tokens: z.int() }),
});

/** The body of an answer. */
export type EmbeddingResponse = z.infer<typeof embeddingResponseSchema>;

/** The parsed request; without `model`, the service chooses one. */
export interface EmbeddingCall {
  readonly model: string | undefined;
  readonly request: Omit<EmbeddingRequestInput, 'model'>;
  readonly encodingFormat: (typeof encodingFormats)[number];
}

const readParameters = parameterReader(embeddingParameters);

/** Fields of popular servers that would change the vectors. */
export const embeddingForeignFields: ForeignFields = {
  ...each('input_type task task_type instruction', { advice: 'use `prompt_name`' }),
  ...each('prompt messages', { advice: 'use `input`' }),
  ...each('inputs texts content', { as: 'input' }),
  images: notOffered,
  truncate_prompt_tokens: { advice: 'use `truncate`' },
  truncation: { advice: 'use `truncate`' },
  truncation_direction: { advice: 'texts are cut at their end' },
  ...each('output_dimension output_dimensionality', { as: 'dimensions' }),
  ...each('output_dtype embed_dtype embedding_type embedding_types', { advice: 'use `encoding_format`' }),
  ...each('normalize normalized embd_normalize', { advice: 'it is a setting of the model' }),
  add_special_tokens: { ...harmless(true), advice: 'send token ids as `input`' },
  late_chunking: notOffered,
  options: { ...harmless({}), advice: 'they are settings of the model' },
  ...ignoredFields('user keep_alive priority request_id'),
};

/**
 * A request body of `POST /embeddings` → the inference request.
 *
 * @throws InferenceError `invalid_request` or `unsupported_feature` with the first invalid field as `param`
 * @example
 * ```ts
 * fromEmbeddingRequest({ input: ['a red circle'], dimensions: 64 }).request.dimensions; // 64
 * ```
 */
export function fromEmbeddingRequest(body: unknown): EmbeddingCall {
  return readForeign(embeddingForeignFields, body, (own) => {
    const parsed = parseBody(embeddingRequestSchema, own);
    return {
      model: parsed.model ?? undefined,
      request: { ...readParameters(parsed), input: parsed.input },
      encodingFormat: parsed.encoding_format ?? 'float',
    };
  });
}

/** Model and vector format of an answer. */
export interface EmbeddingAnswerOptions {
  /** Id of the model that answered. */
  readonly model: string;
  readonly encodingFormat: (typeof encodingFormats)[number];
}

/**
 * Vectors → the response body.
 *
 * @example
 * ```ts
 * const result = { embeddings: [Float32Array.of(1)], promptTokens: 3 };
 * toEmbeddingResponse(result, { model: 'tiny-embed', encodingFormat: 'base64' }).data[0].embedding; // 'AACAPw=='
 * ```
 */
export function toEmbeddingResponse(
  { embeddings, promptTokens }: EmbeddingResult,
  { model, encodingFormat }: EmbeddingAnswerOptions,
): EmbeddingResponse {
  return {
    object: 'list',
    data: embeddings.map((vector, index) => toEntry(vector, index, encodingFormat)),
    model,
    usage: { prompt_tokens: promptTokens, total_tokens: promptTokens },
  };
}

/** The JSON text of `toEmbeddingResponse` in pieces, so that a large answer doesn't block the event loop. */
export function* toEmbeddingPieces(
  { embeddings, promptTokens }: EmbeddingResult,
  { numbersPerPiece, model, encodingFormat }: EmbeddingAnswerOptions & { readonly numbersPerPiece: number },
): Generator<string> {
  let piece = '{"object":"list","data":[';
  let numbers = 0;
  for (const [index, vector] of embeddings.entries()) {
    piece += (index > 0 ? ',' : '') + JSON.stringify(toEntry(vector, index, encodingFormat));
    numbers += vector.length;
    if (numbers < numbersPerPiece) continue;
    yield piece;
    piece = '';
    numbers = 0;
  }
  const usage = { prompt_tokens: promptTokens, total_tokens: promptTokens };
  yield `${piece}],${JSON.stringify({ model, usage }).slice(1)}`;
}

function toEntry(
  vector: Float32Array,
  index: number,
  encodingFormat: EmbeddingAnswerOptions['encodingFormat'],
): EmbeddingResponse['data'][number] {
  const embedding = encodingFormat === 'base64' ? encodeFloat32(vector) : Array.from(vector);
  return { object: 'embedding', index, embedding };
}

export const embeddingDescriptions: Descriptions = {
  index: 'Number of the input, from 0.',
  embedding: 'The vector, in the requested `encoding_format`.',
  prompt_tokens: 'Tokens of all inputs.',
  total_tokens: 'The same number: there are no output tokens.',
};
