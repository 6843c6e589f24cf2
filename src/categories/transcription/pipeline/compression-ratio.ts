import { deflateSync } from 'node:zlib';

/** Length of a text over its compressed length; high for repetitions. */
export function compressionRatio(text: string): number {
  const bytes = Buffer.from(text);
  return bytes.length / deflateSync(bytes).length;
}
