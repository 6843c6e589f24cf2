import { Buffer } from 'node:buffer';
import type { ImageEvent } from '../events.ts';
import type { ImageResponse, ImageStreamEvent } from './schema.ts';

/**
 * The events of an image generation → the response body.
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

function toBase64({ buffer, byteOffset, byteLength }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, byteLength).toString('base64');
}

export interface ImageStreamHead {
  /** Unix time in seconds. */
  readonly created: number;
  /** Size of the images, as `512x768`. */
  readonly size: string;
  /** Partial images per image; `undefined` for one at every step. */
  readonly partialImages: number | undefined;
  /** Emit an event for steps without a picture too. */
  readonly includeProgress: boolean;
}

const usage = {
  input_tokens: 0,
  input_tokens_details: { image_tokens: 0, text_tokens: 0 },
  output_tokens: 0,
  total_tokens: 0,
} as const;

/**
 * An event of image generation → an event of a streamed answer; `undefined` if it is skipped.
 *
 * @example
 * ```ts
 * const head = { created: 1700000000, size: '512x512', partialImages: 0, includeProgress: true };
 * toImageStreamEvent({ type: 'image-step', image: 0, step: 1, steps: 4 }, head)?.type; // 'image_generation.progress'
 * ```
 */
export function toImageStreamEvent(event: ImageEvent, head: ImageStreamHead): ImageStreamEvent | undefined {
  const place = { created_at: head.created, image_index: event.image };
  const look = { size: head.size, output_format: 'png', background: 'opaque', quality: 'auto' } as const;
  if (event.type === 'image') {
    const { png, seed } = event;
    return { type: 'image_generation.completed', b64_json: toBase64(png), seed, ...place, ...look, usage };
  }
  const { preview, step, steps } = event;
  const progress = { ...place, step, steps };
  const shown = (taken: number): number =>
    head.partialImages === undefined ? taken : Math.floor((taken * head.partialImages) / steps);
  // With more partial images than steps, show one per step.
  const isShown = (head.partialImages ?? steps) >= steps || shown(step) > shown(step - 1);
  if (!preview || !isShown)
    return head.includeProgress ? { type: 'image_generation.progress', ...progress } : undefined;
  return {
    type: 'image_generation.partial_image',
    b64_json: toBase64(preview),
    partial_image_index: Math.min(shown(step), step) - 1,
    ...progress,
    ...look,
  };
}
