import { assertCount, assertObject, assertOneOf, assertSize, assertWithin } from '../assert-values.ts';
import { assertNames } from '../assert-names.ts';
import type { Box, Size } from './box.ts';

/** Position of an image within the input of a model. */
export interface Placement extends Size {
  /** Position of the image's upper left corner in the input; its size there is `width` × `height`. */
  readonly left: number;
  readonly top: number;
}

/**
 * Fits an image into a model's input with its aspect ratio; the rest is padding.
 *
 * @example
 * ```ts
 * letterbox({ width: 1280, height: 720 }, { width: 640, height: 640 }, { align: 'center' });
 * // { left: 0, top: 140, width: 640, height: 360 }
 * ```
 */
export function letterbox(
  image: Size,
  input: Size,
  options: {
    /** `center` splits the padding evenly, `start` puts all of it to the right and below. */
    readonly align: 'center' | 'start';
  },
): Placement {
  assertNames('letterbox', options, ['align']);
  assertSize('image', image);
  assertSize('input', input);
  assertOneOf('align', options.align, ['center', 'start']);
  const scale = Math.min(input.width / image.width, input.height / image.height);
  const width = clamp(Math.round(image.width * scale), 1, input.width);
  const height = clamp(Math.round(image.height * scale), 1, input.height);
  const share = options.align === 'center' ? 0.5 : 0;
  return {
    left: Math.floor((input.width - width) * share),
    top: Math.floor((input.height - height) * share),
    width,
    height,
  };
}

/**
 * Fills a model's input with an image, without keeping its aspect ratio.
 *
 * @example
 * ```ts
 * stretch({ width: 640, height: 640 }); // { left: 0, top: 0, width: 640, height: 640 }
 * ```
 */
export function stretch(input: Size): Placement {
  assertSize('input', input);
  const { width, height } = input;
  return { left: 0, top: 0, width, height };
}

/**
 * The smallest input, in whole strides, for an image with its longer side scaled to `longerSide`.
 *
 * @param longerSide a multiple of `stride`
 *
 * @example
 * ```ts
 * fittingInput({ width: 1280, height: 720 }, { longerSide: 640, stride: 32 }); // { width: 640, height: 384 }
 * ```
 */
export function fittingInput(
  image: Size,
  options: { readonly longerSide: number; readonly stride: number },
): Size {
  assertNames('fittingInput', options, ['longerSide', 'stride']);
  const { longerSide, stride } = options;
  assertCount('longerSide', longerSide, { min: 1 });
  assertCount('stride', stride, { min: 1 });
  const { width, height } = letterbox(image, { width: longerSide, height: longerSide }, { align: 'start' });
  return { width: Math.ceil(width / stride) * stride, height: Math.ceil(height / stride) * stride };
}

/**
 * Converts a box in a model's input to a box in the image, clipped to the image.
 *
 * @returns a box without area if it is outside the image
 *
 * @example
 * ```ts
 * const placement = { left: 0, top: 140, width: 640, height: 360 };
 * toImageBox({ x1: 0, y1: 140, x2: 320, y2: 320 }, placement, { width: 1280, height: 720 });
 * // { x1: 0, y1: 0, x2: 640, y2: 360 }
 * ```
 */
export function toImageBox(box: Box, placement: Placement, image: Size): Box {
  assertObject('box', box);
  for (const side of ['x1', 'y1', 'x2', 'y2'] as const) assertWithin(`box.${side}`, box[side]);
  assertSize('placement', placement);
  assertWithin('placement.left', placement.left);
  assertWithin('placement.top', placement.top);
  assertSize('image', image);
  const scaleX = image.width / placement.width;
  const scaleY = image.height / placement.height;
  return {
    x1: clamp((box.x1 - placement.left) * scaleX, 0, image.width),
    y1: clamp((box.y1 - placement.top) * scaleY, 0, image.height),
    x2: clamp((box.x2 - placement.left) * scaleX, 0, image.width),
    y2: clamp((box.y2 - placement.top) * scaleY, 0, image.height),
  };
}

function clamp(value: number, min: number, max: number): number {
  return Math.min(Math.max(value, min), max);
}
