import { assertArray, assertList, assertObject, assertSize, assertWithin } from '../assert-values.ts';
import type { Size } from '../vision/box.ts';

/** Scale and shift from a model's latents to the input of its decoder. */
export interface LatentScaling {
  readonly factor: number;
  readonly shift: number;
  /** Mean of each channel, if the decoder was trained with it. */
  readonly means?: readonly number[] | undefined;
  readonly deviations?: readonly number[] | undefined;
}

/**
 * Scales latents for the decoder.
 *
 * @param latents `[channels × cells]`
 *
 * @example
 * ```ts
 * scaleLatents(Float32Array.of(1, 2), { factor: 0.5, shift: 1 }); // [3, 5]
 * ```
 */
export function scaleLatents(latents: Float32Array, scaling: LatentScaling): Float32Array {
  assertObject('scaling', scaling);
  const { factor, shift, means, deviations } = scaling;
  assertWithin('factor', factor, { above: 0 });
  assertWithin('shift', shift);
  if (means) assertList('means', means, assertWithin);
  if (deviations) assertList('deviations', deviations, assertWithin);
  assertArray('latents', latents, Float32Array, { multiple: means?.length ?? 1 });
  const cells = latents.length / (means?.length ?? 1);
  return latents.map((value, index) => {
    const channel = Math.floor(index / cells);
    return (value * (deviations?.[channel] ?? 1)) / factor + (means?.[channel] ?? 0) + shift;
  });
}

/**
 * Downscales a grid: each cell is the mean of the cells that it covers.
 *
 * @param grid `[channels × from.height × from.width]`
 * @returns `[channels × to.height × to.width]`
 *
 * @example
 * ```ts
 * shrinkGrid(Float32Array.of(1, 3, 5, 7), { width: 2, height: 2 }, { width: 1, height: 1 }); // [4]
 * ```
 */
export function shrinkGrid(grid: Float32Array, from: Size, to: Size): Float32Array {
  assertSize('from', from);
  assertSize('to', to);
  assertArray('grid', grid, Float32Array, { multiple: from.width * from.height });
  const channels = grid.length / (from.width * from.height);
  const shrunk = new Float32Array(channels * to.width * to.height);
  let index = 0;
  for (let channel = 0; channel < channels; channel++) {
    for (let row = 0; row < to.height; row++) {
      const rows = covered(row, from.height, to.height);
      for (let column = 0; column < to.width; column++) {
        const columns = covered(column, from.width, to.width);
        let sum = 0;
        for (let y = rows.start; y < rows.end; y++) {
          const start = (channel * from.height + y) * from.width;
          for (let x = columns.start; x < columns.end; x++) sum += grid[start + x]!;
        }
        shrunk[index++] = sum / ((rows.end - rows.start) * (columns.end - columns.start));
      }
    }
  }
  return shrunk;
}

function covered(cell: number, from: number, to: number): { start: number; end: number } {
  return { start: Math.floor((cell * from) / to), end: Math.ceil(((cell + 1) * from) / to) };
}

/**
 * Converts decoded values to pixels.
 *
 * @param decoded `[3 × pixels]`, −1 for black to 1 for white; clipped
 * @returns `[pixels × 3]`, red, green and blue
 *
 * @example
 * ```ts
 * toRgb(Float32Array.of(1, -1, 0)); // [255, 0, 128]
 * ```
 */
export function toRgb(decoded: Float32Array): Uint8ClampedArray {
  assertArray('decoded', decoded, Float32Array, { multiple: 3 });
  const count = decoded.length / 3;
  const rgb = new Uint8ClampedArray(decoded.length);
  for (let pixel = 0, at = 0; pixel < count; pixel++, at += 3) {
    rgb[at] = decoded[pixel]! * 127.5 + 127.5;
    rgb[at + 1] = decoded[count + pixel]! * 127.5 + 127.5;
    rgb[at + 2] = decoded[2 * count + pixel]! * 127.5 + 127.5;
  }
  return rgb;
}
