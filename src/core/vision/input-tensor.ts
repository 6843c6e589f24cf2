import {
  assertArray,
  assertCount,
  assertList,
  assertObject,
  assertOneOf,
  assertSize,
  assertWithin,
} from '../assert-values.ts';
import type { Size } from './box.ts';
import type { Placement } from './letterbox.ts';

/** How a model's input represents pixels. */
export interface PixelFormat {
  readonly channelOrder: 'rgb' | 'bgr';
  /** Each value, 0 to 255, is first multiplied by this. */
  readonly scale: number;
  /** Then subtracted, for red, green and blue. */
  readonly mean: readonly [number, number, number];
  /** Then divided by, for red, green and blue. */
  readonly deviation: readonly [number, number, number];
  /** Value, 0 to 255, outside the image. */
  readonly padding: number;
}

/**
 * Converts pixels to a model's input tensor.
 *
 * @param tensor receives `[3 × height × width]` of `input`
 * @param pixels `[height × width × 3]` of `placement`, red, green and blue from 0 to 255
 * @returns `tensor`
 *
 * @example
 * ```ts
 * const format = { channelOrder: 'rgb', scale: 1 / 255, mean: [0, 0, 0], deviation: [1, 1, 1], padding: 114 } as const;
 * const size = { width: 1, height: 1 };
 * toInputTensorInto(new Float32Array(3), Uint8Array.of(255, 0, 51), { left: 0, top: 0, ...size }, size, format); // [1, 0, 0.2]
 * ```
 */
export function toInputTensorInto(
  tensor: Float32Array,
  pixels: Uint8Array,
  placement: Placement,
  input: Size,
  format: PixelFormat,
): Float32Array {
  assertSize('placement', placement);
  assertSize('input', input);
  assertCount('placement.left', placement.left, { max: input.width - placement.width });
  assertCount('placement.top', placement.top, { max: input.height - placement.height });
  const area = input.width * input.height;
  assertArray('tensor', tensor, Float32Array, { least: 3 * area });
  assertArray('pixels', pixels, Uint8Array, { least: 3 * placement.width * placement.height });
  assertObject('format', format);
  const { channelOrder, scale, mean, deviation, padding } = format;
  assertOneOf('channelOrder', channelOrder, ['rgb', 'bgr']);
  assertWithin('scale', scale);
  assertWithin('padding', padding);
  assertList('mean', mean);
  assertList('deviation', deviation);
  for (const channel of [0, 1, 2]) {
    assertWithin(`mean[${channel}]`, mean[channel]);
    assertWithin(`deviation[${channel}]`, deviation[channel]);
  }
  for (let channel = 0; channel < 3; channel++) {
    const factor = scale / deviation[channel]!;
    const offset = -mean[channel]! / deviation[channel]!;
    const plane = (channelOrder === 'rgb' ? channel : 2 - channel) * area;
    tensor.fill(padding * factor + offset, plane, plane + area);
    let from = channel;
    for (let y = 0; y < placement.height; y++) {
      let to = plane + (placement.top + y) * input.width + placement.left;
      for (const end = to + placement.width; to < end; to++, from += 3)
        tensor[to] = pixels[from]! * factor + offset;
    }
  }
  return tensor;
}

/** Reads numbers for red, green and blue from a preprocessor's settings. */
export function readTriple(value: unknown, fallback: PixelFormat['mean']): PixelFormat['mean'] {
  return Array.isArray(value) && value.length === 3
    ? (value.map(Number) as [number, number, number])
    : fallback;
}
