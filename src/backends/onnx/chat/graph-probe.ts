import type { ModelSignature } from '../../../core/onnx/model-signature.ts';
import type { Session } from '../../../contracts/graph.ts';
import { isBindable } from '../../../runtime/bound-graph.ts';
import type { Decoder, DecoderCache, StepInputs } from '../../../contracts/decoder.ts';
import { createCopyingDecoder } from './copying-decoder.ts';
import { createResidentDecoder } from './resident-decoder.ts';

/** Lengths of the probe prompts: different, so that their batch is ragged. */
const prompts = [24, 9] as const;
const decodeSteps = 3;

/**
 * Runs a decoder on two short prompts and a few tokens after each, in one batch if supported.
 * @param options.cachesInPlace whether the graph can update its caches in place
 */
export async function probeDecoder(
  session: Session,
  signature: ModelSignature,
  { cachesInPlace }: { cachesInPlace: boolean },
): Promise<readonly Float32Array[]> {
  const decoder =
    cachesInPlace && isBindable(session)
      ? createResidentDecoder(session, signature)
      : createCopyingDecoder(session, { ragged: false, sides: signature });
  const tokens = prompts.map((length, row) => probeTokens(decoder, row, length + decodeSteps));
  const logits = prompts.map((): Float32Array[] => []);
  for (const rows of decoder.raggedPrompts ? [[0, 1]] : [[0], [1]]) {
    const cache = decoder.createCache(rows.length);
    for (let step = 0; step <= decodeSteps; step++) {
      const counts = rows.map((row) => (step === 0 ? prompts[row]! : 1));
      const count = Math.max(...counts);
      const fed = rows.flatMap((row, index) => {
        const start = cache.lengths[index]!;
        return Array.from({ length: count }, (_, at) => tokens[row]![start + at] ?? 0);
      });
      const values = await probeStep(decoder, cache, Int32Array.from(fed), counts);
      for (const [index, row] of rows.entries()) logits[row]!.push(values[index]!);
    }
    cache.release();
  }
  return logits.flat();
}

/** Deterministic ids that every vocabulary has. */
export function probeTokens({ vocabularySize }: Decoder, row: number, count: number): Int32Array {
  const most = Math.min(vocabularySize, 1000);
  return Int32Array.from({ length: count }, (_, index) => (index * 37 + row * 101 + 11) % most);
}

/**
 * Feeds tokens, or derived embeddings and positions if the graph takes these.
 * @param tokens `[rows × count]`
 */
export async function probeStep(
  decoder: Decoder,
  cache: DecoderCache,
  tokens: Int32Array,
  counts?: readonly number[],
): Promise<Float32Array[]> {
  const count = tokens.length / cache.rows;
  const { hiddenSize, layerSize, vocabularySize, hasGridPositions } = decoder;
  const inputs: StepInputs = {
    ...(hiddenSize !== undefined && { embeddings: embed(tokens, hiddenSize) }),
    ...(layerSize !== undefined && { layerEmbeddings: embed(tokens, layerSize) }),
    ...(hasGridPositions && { positions: textPositions(cache, count) }),
  };
  const logits = await decoder.forward(cache, tokens, count, counts, inputs);
  return Array.from({ length: cache.rows }, (_, row) =>
    logits.slice(row * vocabularySize, (row + 1) * vocabularySize),
  );
}

/** The logits of the first row after steps in a separate cache. */
export async function probeSteps(decoder: Decoder, ...steps: readonly Int32Array[]): Promise<Float32Array> {
  const cache = decoder.createCache();
  try {
    let logits: Float32Array[] = [];
    for (const tokens of steps) logits = await probeStep(decoder, cache, tokens);
    return logits[0]!;
  } finally {
    cache.release();
  }
}

/** Deterministic embeddings, about as large as real ones. */
function embed(tokens: Int32Array, size: number): Float32Array {
  return Float32Array.from({ length: tokens.length * size }, (_, at) =>
    Math.sin(1 + tokens[Math.floor(at / size)]! * 12.9898 + (at % size) * 78.233),
  );
}

/** @returns `[3 × rows × count]` */
function textPositions({ rows, lengths }: DecoderCache, count: number): Int32Array {
  return Int32Array.from({ length: 3 * rows * count }, (_, at) => {
    return lengths[Math.floor(at / count) % rows]! + (at % count);
  });
}

/** The largest difference, and the largest logit as its scale. */
export function compareLogits(
  expected: readonly Float32Array[],
  actual: readonly Float32Array[],
): { readonly difference: number; readonly largest: number; readonly relative: number } {
  let difference = 0;
  let largest = 0;
  let squares = 0;
  let squaredDifferences = 0;
  for (const [row, logits] of expected.entries()) {
    for (const [token, logit] of logits.entries()) {
      const apart = Math.abs(logit - (actual[row]?.[token] ?? Number.NaN));
      // Any NaN makes the result NaN.
      difference = apart > difference || Number.isNaN(apart) ? apart : difference;
      largest = Math.max(largest, Math.abs(logit));
      squares += logit * logit;
      squaredDifferences += apart * apart;
    }
  }
  return { difference, largest, relative: Math.sqrt(squaredDifferences / squares) };
}
