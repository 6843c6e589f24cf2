import { compareLogits } from '../../../runtime/graph-probe.ts';
import type { Decoder, DecoderCache } from '../../../runtime/decoder.ts';

/** Tokens of the rows that are tried, and one more of each that they are stepped by together. */
const lengths = [9, 4];
/** How far logits may be apart, as a part of the largest one. */
const tolerance = 1e-3;

/**
 * Tries whether rows of different lengths have the logits in one batch that they have alone: graphs without `position_ids`
 * may count positions by the mask, by slots, or not at all.
 */
export async function stepsRaggedRows(decoder: Decoder): Promise<boolean> {
  const caches: DecoderCache[] = [];
  try {
    for (const [row, length] of lengths.entries()) {
      const cache = decoder.createCache();
      caches.push(cache);
      await forward(decoder, cache, row, length);
    }
    const together = await decoder.gather(caches.map((cache) => ({ cache, row: 0 })));
    caches.push(together);
    const { vocabularySize } = decoder;
    const tokens = lengths.flatMap((length, row) => [...tokensOf(decoder, row, 1, length)]);
    const batch = Float32Array.from(
      await decoder.forward(together, Int32Array.from(tokens), 1, undefined, inputsOf(decoder, tokens)),
    );
    const inBatch = lengths.map((_, row) => batch.subarray(row * vocabularySize, (row + 1) * vocabularySize));
    const alone: Float32Array[] = [];
    for (const [row] of lengths.entries()) alone.push(await forward(decoder, caches[row]!, row, 1));
    const { difference, largest } = compareLogits(alone, inBatch);
    return difference <= tolerance * Math.max(1, largest);
  } catch {
    return false;
  } finally {
    for (const cache of caches) cache.release();
  }
}

async function forward(
  decoder: Decoder,
  cache: DecoderCache,
  row: number,
  count: number,
): Promise<Float32Array> {
  const tokens = tokensOf(decoder, row, count, cache.lengths[0]!);
  return Float32Array.from(await decoder.forward(cache, tokens, count, undefined, inputsOf(decoder, tokens)));
}

/** Ids that every vocabulary has, the same every time. */
function tokensOf({ vocabularySize }: Decoder, row: number, count: number, start: number): Int32Array {
  const most = Math.min(vocabularySize, 1000);
  return Int32Array.from({ length: count }, (_, index) => ((start + index) * 37 + row * 101 + 11) % most);
}

/** The same numbers for the same token. */
function inputsOf({ hiddenSize }: Decoder, tokens: ArrayLike<number>) {
  if (hiddenSize === undefined) return {};
  const embeddings = Float32Array.from({ length: tokens.length * hiddenSize }, (_, at) =>
    Math.sin(1 + tokens[Math.floor(at / hiddenSize)]! * 12.9898 + (at % hiddenSize) * 78.233),
  );
  return { embeddings };
}
