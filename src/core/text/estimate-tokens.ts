/** Bytes of UTF-8 for each token, about as English text has them with the vocabularies in use. */
export const bytesPerToken = 4;

const encoder = new TextEncoder();

/** Tokens of a text, estimated from its bytes: one for each 4. */
export function estimateTokens(text: string): number {
  return Math.ceil(encoder.encode(text).byteLength / bytesPerToken);
}
