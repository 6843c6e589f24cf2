import { setImmediate } from 'node:timers/promises';
import { InferenceError } from '../../errors.ts';
import type { EmbeddingResult } from '../contract.ts';

/** The host reads them, which has other things to do. */
const vectorsPerTurn = 64;

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
export async function readVectors(body: unknown, count: number): Promise<EmbeddingResult> {
  const { data, usage } = (body ?? {}) as WireVectors;
  const embeddings: Float32Array[] = [];
  for (const [at, item] of (Array.isArray(data) ? data : []).entries()) {
    if (at % vectorsPerTurn === vectorsPerTurn - 1) await setImmediate();
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
  if (bytes.byteLength % 4 !== 0) return new Float32Array(0);
  // Little-endian, as every machine that ONNX Runtime runs on.
  return new Float32Array(Uint8Array.from(bytes).buffer);
}
