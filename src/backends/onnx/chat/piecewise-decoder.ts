import { compareLogits, probeSteps, probeTokens } from './graph-probe.ts';
import type { Decoder, DecoderCache } from '../../../contracts/decoder.ts';

/** Tokens that every device reads right in one step. */
const pieceTokens = 16;
/** Long enough for the kernels that a device takes for long prompts. */
const probeLength = 64;
/** Largest difference of logits, relative to the largest logit; half precision rounds to about 0.001. */
const tolerance = 0.02;

/**
 * Lets a decoder read long prompts in pieces where it doesn't read them right at once: the attention of WebGPU for 32 tokens
 * and more is wrong on devices with narrow subgroups, as Mesa's lavapipe is one.
 */
export async function checkLongPrompts(decoder: Decoder): Promise<Decoder> {
  const piecewise = readInPieces(decoder);
  const tokens = probeTokens(decoder, 0, probeLength);
  // The step of one token, too: a device may lack what a graph needs, which only a run shows.
  const steps = [tokens, tokens.subarray(0, 1)];
  const [together, inPieces] = [await probeSteps(decoder, ...steps), await probeSteps(piecewise, ...steps)];
  const { difference, largest } = compareLogits([inPieces], [together]);
  return difference <= tolerance * Math.max(1, largest) ? decoder : piecewise;
}

/** A decoder that reads at most 16 tokens of each row at a time, and several prompts one after the other. */
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

  /** @returns the last piece, which is left to be read */
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
