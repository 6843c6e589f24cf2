/** UTF-8 bytes per token, approximately, for English text and current vocabularies. */
export const bytesPerToken = 4;

const encoder = new TextEncoder();

export function estimateTokens(text: string): number {
  return Math.ceil(encoder.encode(text).byteLength / bytesPerToken);
}
