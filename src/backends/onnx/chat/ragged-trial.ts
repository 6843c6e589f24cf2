import { compareLogits, probeStep, probeTokens } from './graph-probe.ts';
import type { Decoder, DecoderCache } from '../../../runtime/decoder.ts';

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
    return (await probeStep(decoder, cache, probeTokens(decoder, row, length)))[0]!;
  };
  try {
    for (const [row, length] of lengths.entries()) await read(row, length);
    const together = await decoder.gather(caches.map((cache) => ({ cache, row: 0 })));
    caches.push(together);
    const next = lengths.map((length, row) => probeTokens(decoder, row, length + 1)[length]!);
    const inBatch = await probeStep(decoder, together, Int32Array.from(next));
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
