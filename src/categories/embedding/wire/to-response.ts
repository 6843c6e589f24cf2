import { encodeFloat32 } from '../../../core/embedding/base64.ts';
import type { encodingFormats } from '../parameters.ts';
import type { EmbeddingResult } from '../events.ts';
import type { EmbeddingResponse } from './schema.ts';

/** Format of an answer. */
export interface EmbeddingAnswerOptions {
  /** Id of the model that answered. */
  readonly model: string;
  readonly encodingFormat: (typeof encodingFormats)[number];
}

/**
 * Vectors → the body of the answer.
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

/** The JSON text of `toEmbeddingResponse` in pieces, so that writing a large answer can be interrupted. */
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
