import type { Size } from './box.ts';

const channels = 3;
/** Pillow's weights are fractions of it. */
const one = 2 ** 22;

/**
 * Enlarges an image, bilinear between the centres of pixels, to the value as Pillow does it.
 *
 * @param pixels `[height × width × 3]` of `from`
 * @param to at least as wide and as high as `from`
 * @returns `[height × width × 3]` of `to`; `pixels` itself where the sizes are the same
 *
 * @example
 * ```ts
 * const pixels = Uint8Array.of(0, 0, 0, 100, 100, 100);
 * enlarge(pixels, { width: 2, height: 1 }, { width: 4, height: 1 }); // [0, 0, 0, 25, 25, 25, 75, 75, 75, 100, 100, 100]
 * ```
 */
export function enlarge(pixels: Uint8Array, from: Size, to: Size): Uint8Array {
  const wide = stretchLines(pixels, {
    lines: from.height,
    length: from.width,
    stretched: to.width,
    sampleStride: channels,
  });
  return stretchLines(wide, {
    lines: 1,
    length: from.height,
    stretched: to.height,
    sampleStride: to.width * channels,
  });
}

interface Lines {
  readonly lines: number;
  /** Samples of a line, before and after. */
  readonly length: number;
  readonly stretched: number;
  /** Numbers of one sample: those of a pixel, or of a row. */
  readonly sampleStride: number;
}

function stretchLines(values: Uint8Array, { lines, length, stretched, sampleStride }: Lines): Uint8Array {
  if (stretched === length) return values;
  const result = new Uint8Array(lines * stretched * sampleStride);
  for (let at = 0; at < stretched; at++) {
    const position = ((at + 0.5) * length) / stretched - 0.5;
    const before = Math.floor(position);
    const share = position - before;
    const weight = Math.round((1 - share) * one);
    const nextWeight = Math.round(share * one);
    const first = Math.max(before, 0) * sampleStride;
    const second = Math.min(before + 1, length - 1) * sampleStride;
    for (let line = 0; line < lines; line++) {
      const source = line * length * sampleStride;
      const target = (line * stretched + at) * sampleStride;
      for (let offset = 0; offset < sampleStride; offset++) {
        const sum =
          weight * values[source + first + offset]! + nextWeight * values[source + second + offset]!;
        result[target + offset] = (sum + one / 2) / one;
      }
    }
  }
  return result;
}
