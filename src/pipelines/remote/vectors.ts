import { InferenceError } from '../../errors.ts';
import type { EmbeddingResult } from '../contract.ts';

interface WireVectors {
  readonly data?: readonly ({ readonly index?: number; readonly embedding?: unknown } | null)[];
  readonly usage?: { readonly prompt_tokens?: number };
}

/**
 * Reads the answer of an embedding request, vectors as numbers or as base64 of little-endian float32.
 *
 * @param count of the inputs
 * @throws InferenceError `worker_failed` where a vector is missing or can't be read
 */
export function readVectors(body: unknown, count: number): EmbeddingResult {
  const { data, usage } = (body ?? {}) as WireVectors;
  const embeddings: Float32Array[] = [];
  for (const [at, item] of (Array.isArray(data) ? data : []).entries()) {
    embeddings[item?.index ?? at] = toVector(item?.embedding);
  }
  const missing = Array.from({ length: count }, (_, index) => index).find(
    (index) => !embeddings[index]?.length,
  );
  if (missing !== undefined || embeddings.length !== count) {
    throw new InferenceError(
      'worker_failed',
      `The remote server gave no vector for input ${missing ?? count}.`,
    );
  }
  return { embeddings, promptTokens: usage?.prompt_tokens ?? 0 };
}

function toVector(embedding: unknown): Float32Array {
  if (Array.isArray(embedding)) return Float32Array.from(embedding);
  if (typeof embedding !== 'string') return new Float32Array(0);
  const bytes = Buffer.from(embedding, 'base64');
  const vector = new Float32Array(bytes.byteLength >> 2);
  for (let index = 0; index < vector.length; index++) vector[index] = bytes.readFloatLE(4 * index);
  return vector;
}
