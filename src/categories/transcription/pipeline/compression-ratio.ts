import { deflateSync } from 'node:zlib';

/** Length of a text over its compressed length; repetitions have a high one. */
export function compressionRatio(text: string): number {
  const bytes = Buffer.from(text);
  return bytes.length / deflateSync(bytes).length;
}
