import { Buffer } from 'node:buffer';
import type { ImageEvent } from '../events.ts';
import type { ImageResponse } from './schema.ts';

/**
 * The events of an image generation → the body of the answer.
 *
 * @example
 * ```ts
 * const event = { type: 'image', image: 0, png: new Uint8Array(0), seed: 42 } as const;
 * toImageResponse([event], 1700000000).data[0].seed; // 42
 * ```
 */
export function toImageResponse(events: readonly ImageEvent[], created: number): ImageResponse {
  const images = events.flatMap((event) => (event.type === 'image' ? [event] : []));
  return { created, data: images.map(({ png, seed }) => ({ b64_json: toBase64(png), seed })) };
}

/** Shares no memory with the bytes. */
export function toBase64({ buffer, byteOffset, byteLength }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, byteLength).toString('base64');
}
