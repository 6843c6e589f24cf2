import type { Decoder, DecoderCache } from '../../src/contracts/decoder.ts';

/** Tokens of a row, the same every time. */
export const prompt = (length: number, row: number): Int32Array =>
  Int32Array.from({ length }, (_, index) => (index * 37 + row * 101 + 11) % 300);

/** Tokens after the prompt of row 0; those of row n are n higher. */
export const nextTokens = [7, 90, 13, 250, 61, 8];

/** Logits after tokens of one row. */
export async function feed(
  decoder: Decoder,
  cache: DecoderCache,
  tokens: Int32Array,
): Promise<Float32Array<ArrayBuffer>> {
  return Float32Array.from(await decoder.forward(cache, tokens, tokens.length));
}

/** Logits of each prompt and the tokens after it, all alone. */
export async function readAlone(
  decoder: Decoder,
  lengths: readonly number[],
): Promise<readonly (readonly Float32Array[])[]> {
  const alone: Float32Array[][] = [];
  for (const [row, length] of lengths.entries()) {
    const cache = decoder.createCache();
    alone.push([await feed(decoder, cache, prompt(length, row))]);
    for (const token of nextTokens) alone[row]!.push(await feed(decoder, cache, Int32Array.of(token + row)));
    cache.release();
  }
  return alone;
}
