import { assertNames } from '../assert-names.ts';
import { assertSize, assertWithin } from '../assert-values.ts';
import { roundHalfToEven } from '../math/numeric.ts';
import type { Size } from './box.ts';

/** Limits for resizing an image with its aspect ratio. */
export interface EdgeLimits {
  /** Pixels of the shorter side, unless the longer side would exceed its limit. */
  readonly shortest: number;
  /** Maximum pixels of the longer side. */
  readonly longest: number;
  /** Both sides are rounded down to a multiple of this. */
  readonly multiple: number;
}

/**
 * The size to which DETR's image processors resize an image, exact to the pixel.
 *
 * @returns sides of at least one multiple
 * @see `get_size_with_aspect_ratio` in transformers' image processors of DETR and YOLOS
 *
 * @example
 * ```ts
 * fitEdges({ width: 1920, height: 1080 }, { shortest: 800, longest: 1333, multiple: 1 }); // { width: 1333, height: 750 }
 * ```
 */
export function fitEdges(image: Size, limits: EdgeLimits): Size {
  assertNames('fitEdges', limits, ['shortest', 'longest', 'multiple']);
  const { shortest, longest, multiple } = limits;
  assertSize('image', image);
  for (const [name, value] of Object.entries({ shortest, longest, multiple }))
    assertWithin(name, value, { above: 0 });
  const [short, long] = [Math.min(image.width, image.height), Math.max(image.width, image.height)];
  const isTooLong = (long / short) * shortest > longest;
  const exact = isTooLong ? (longest * short) / long : shortest;
  const side = roundHalfToEven(exact);
  const other = short === side ? long : Math.trunc((exact * long) / short);
  const cut = (length: number): number => Math.max(Math.floor(length / multiple), 1) * multiple;
  return image.width < image.height
    ? { width: cut(side), height: cut(other) }
    : { width: cut(other), height: cut(side) };
}

/** The size of an image after downscaling it, with its aspect ratio, to at most `longest` pixels on the longer side. */
export function limitEdges({ width, height }: Size, longest: number): Size {
  const scale = Math.min(1, longest / Math.max(width, height));
  return { width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)) };
}
