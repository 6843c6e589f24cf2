import { compareLogits, probeEmbedding } from '../../../runtime/graph-probe.ts';
import type { Decoder, DecoderCache, StepInputs } from '../../../runtime/decoder.ts';

/** Tokens of the rows before the step that they share. */
const lengths = [9, 4];
/** Largest difference of logits, relative to the largest logit. */
const tolerance = 1e-3;

/**
 * Tries whether rows of different lengths have the logits in one batch that they have when each is read at once: graphs
 * without `position_ids` may count positions by the mask, by slots, or not at all.
 */
export async function stepsRaggedRows(decoder: Decoder): Promise<boolean> {
  const caches: DecoderCache[] = [];
  const read = async (row: number, length: number): Promise<Float32Array> => {
    const cache = decoder.createCache();
    caches.push(cache);
    return feed(decoder, cache, tokensOf(decoder, row, length), length);
  };
  try {
    for (const [row, length] of lengths.entries()) await read(row, length);
    const together = await decoder.gather(caches.map((cache) => ({ cache, row: 0 })));
    caches.push(together);
    const next = lengths.map((length, row) => tokensOf(decoder, row, length + 1)[length]!);
    const batch = await feed(decoder, together, Int32Array.from(next), 1);
    const size = decoder.vocabularySize;
    const inBatch = lengths.map((_, row) => batch.subarray(row * size, (row + 1) * size));
    const alone: Float32Array[] = [];
    for (const [row, length] of lengths.entries()) alone.push(await read(row, length + 1));
    const { difference, largest } = compareLogits(alone, inBatch);
    return difference <= tolerance * Math.max(1, largest);
  } catch {
    return false;
  } finally {
    for (const cache of caches) cache.release();
  }
}

async function feed(
  decoder: Decoder,
  cache: DecoderCache,
  tokens: Int32Array,
  count: number,
): Promise<Float32Array> {
  const inputs = inputsOf(decoder, tokens);
  return Float32Array.from(await decoder.forward(cache, tokens, count, undefined, inputs));
}

/** Ids that every vocabulary has, the same every time. */
function tokensOf({ vocabularySize }: Decoder, row: number, count: number): Int32Array {
  const most = Math.min(vocabularySize, 1000);
  return Int32Array.from({ length: count }, (_, index) => (index * 37 + row * 101 + 11) % most);
}

function inputsOf({ hiddenSize, layerSize }: Decoder, tokens: Int32Array): StepInputs {
  return {
    ...(hiddenSize !== undefined && { embeddings: embed(tokens, hiddenSize) }),
    ...(layerSize !== undefined && { layerEmbeddings: embed(tokens, layerSize) }),
  };
}

function embed(tokens: Int32Array, size: number): Float32Array {
  return Float32Array.from({ length: tokens.length * size }, (_, at) =>
    probeEmbedding(tokens[Math.floor(at / size)]!, at % size),
  );
}
