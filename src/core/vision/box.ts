import { assertArray } from '../assert-values.ts';
/** An axis-parallel box by two of its corners, in pixels from the upper left corner of the image. */
export interface Box {
  readonly x1: number;
  readonly y1: number;
  readonly x2: number;
  readonly y2: number;
}

/** In pixels. */
export interface Size {
  readonly width: number;
  readonly height: number;
}

/**
 * Converts boxes from centre and size to corners.
 *
 * @param boxes `[n × 4]` as cx, cy, width, height
 * @param out receives `[n × 4]` as x1, y1, x2, y2; may be `boxes` itself
 * @returns `out`
 *
 * @example
 * ```ts
 * centersToCornersInto(new Float32Array(4), Float32Array.of(5, 5, 4, 2)); // [3, 4, 7, 6]
 * ```
 */
export function centersToCornersInto(out: Float32Array, boxes: Float32Array): Float32Array {
  assertBoxes(out, boxes);
  for (let at = 0; at + 3 < boxes.length; at += 4) {
    const x = boxes[at]!;
    const y = boxes[at + 1]!;
    const halfWidth = boxes[at + 2]! / 2;
    const halfHeight = boxes[at + 3]! / 2;
    out[at] = x - halfWidth;
    out[at + 1] = y - halfHeight;
    out[at + 2] = x + halfWidth;
    out[at + 3] = y + halfHeight;
  }
  return out;
}

/**
 * Converts boxes from corners to centre and size.
 *
 * @param boxes `[n × 4]` as x1, y1, x2, y2
 * @param out receives `[n × 4]` as cx, cy, width, height; may be `boxes` itself
 * @returns `out`
 *
 * @example
 * ```ts
 * cornersToCentersInto(new Float32Array(4), Float32Array.of(3, 4, 7, 6)); // [5, 5, 4, 2]
 * ```
 */
export function cornersToCentersInto(out: Float32Array, boxes: Float32Array): Float32Array {
  assertBoxes(out, boxes);
  for (let at = 0; at + 3 < boxes.length; at += 4) {
    const x1 = boxes[at]!;
    const y1 = boxes[at + 1]!;
    const x2 = boxes[at + 2]!;
    const y2 = boxes[at + 3]!;
    out[at] = (x1 + x2) / 2;
    out[at + 1] = (y1 + y2) / 2;
    out[at + 2] = x2 - x1;
    out[at + 3] = y2 - y1;
  }
  return out;
}

function assertBoxes(out: Float32Array, boxes: Float32Array): void {
  assertArray('boxes', boxes, Float32Array, { multiple: 4 });
  assertArray('out', out, Float32Array, { least: boxes.length });
}
