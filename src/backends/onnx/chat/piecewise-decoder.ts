import { compareLogits, probeSteps, probeTokens } from './graph-probe.ts';
import type { Decoder, DecoderCache } from '../../../contracts/decoder.ts';

/** Number of tokens that every device reads correctly in one step. */
const pieceTokens = 16;
/** Long enough for a device's kernels for long prompts. */
const probeLength = 64;
/** Maximum difference of logits, relative to the largest logit; half precision rounds to about 0.001. */
const tolerance = 0.02;

/**
 * Reads long prompts in pieces if the decoder can't read them correctly in one step: WebGPU's attention for 32 and more
 * tokens is wrong on devices with narrow subgroups, such as Mesa's lavapipe.
 */
export async function checkLongPrompts(decoder: Decoder): Promise<Decoder> {
  const piecewise = readInPieces(decoder);
  const tokens = probeTokens(decoder, 0, probeLength);
  // Includes a single-token step: only a run shows whether the device supports the graph.
  const steps = [tokens, tokens.subarray(0, 1)];
  const [together, inPieces] = [await probeSteps(decoder, ...steps), await probeSteps(piecewise, ...steps)];
  const { difference, largest } = compareLogits([inPieces], [together]);
  return difference <= tolerance * Math.max(1, largest) ? decoder : piecewise;
}

/** A decoder that reads at most 16 tokens per row and step, and several prompts one after the other. */
export function readInPieces(decoder: Decoder): Decoder {
  const { forwardLargest } = decoder;
  return {
    ...decoder,
    raggedPrompts: false,
    forward: async (cache, tokens, count) =>
      decoder.forward(cache, ...(await readBeginning(cache, tokens, count))),
    ...(forwardLargest && {
      forwardLargest: async (cache: DecoderCache, tokens: Int32Array, count: number) =>
        forwardLargest(cache, ...(await readBeginning(cache, tokens, count))),
    }),
  };

  /** @returns the last piece, which is still unread */
  async function readBeginning(
    cache: DecoderCache,
    tokens: Int32Array,
    count: number,
  ): Promise<[tokens: Int32Array, count: number]> {
    let start = 0;
    for (; count - start > pieceTokens; start += pieceTokens) {
      const piece = pieceOf(tokens, { count, start, end: start + pieceTokens });
      if (forwardLargest) await forwardLargest(cache, piece, pieceTokens);
      else await decoder.forward(cache, piece, pieceTokens);
    }
    return [pieceOf(tokens, { count, start, end: count }), count - start];
  }
}

/** Columns of `[rows × count]`. */
function pieceOf(
  tokens: Int32Array,
  { count, start, end }: { count: number; start: number; end: number },
): Int32Array {
  if (end - start === count) return tokens;
  const rows = tokens.length / count;
  const piece = new Int32Array(rows * (end - start));
  for (let row = 0; row < rows; row++)
    piece.set(tokens.subarray(row * count + start, row * count + end), row * (end - start));
  return piece;
}
