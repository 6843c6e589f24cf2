import { assertArray, assertCount } from '../assert-values.ts';
/**
 * Intersection over union of two boxes: the area of the intersection divided by the area of the union.
 *
 * @param boxes `[n × 4]` as x1, y1, x2, y2
 * @param first index of one box
 * @param second index of the second box
 * @returns 0 to 1; 0 also for two boxes without area
 * @throws RangeError for an index out of range
 *
 * @example
 * ```ts
 * intersectionOverUnion(Float32Array.of(0, 0, 2, 2, 1, 0, 3, 2), 0, 1); // 1 / 3
 * ```
 */
export function intersectionOverUnion(boxes: Float32Array, first: number, second: number): number {
  assertArray('boxes', boxes, Float32Array, { multiple: 4 });
  const last = { max: boxes.length / 4 - 1 };
  assertCount('first', first, last);
  assertCount('second', second, last);
  return overlap(boxes, first, second, (value) => value);
}

/**
 * Like `intersectionOverUnion`, in single precision as in `torchvision`: an overlap that equals a threshold in double
 * precision may exceed it. The indexes must be valid.
 */
export function overlapInFloat32(boxes: Float32Array, first: number, second: number): number {
  return overlap(boxes, first, second, Math.fround);
}

function overlap(
  boxes: Float32Array,
  first: number,
  second: number,
  round: (value: number) => number,
): number {
  const [a, b] = [first * 4, second * 4];
  const [ax1, ay1, ax2, ay2] = [boxes[a]!, boxes[a + 1]!, boxes[a + 2]!, boxes[a + 3]!];
  const [bx1, by1, bx2, by2] = [boxes[b]!, boxes[b + 1]!, boxes[b + 2]!, boxes[b + 3]!];
  const width = round((ax2 < bx2 ? ax2 : bx2) - (ax1 > bx1 ? ax1 : bx1));
  if (!(width > 0)) return 0;
  const height = round((ay2 < by2 ? ay2 : by2) - (ay1 > by1 ? ay1 : by1));
  if (!(height > 0)) return 0;
  const shared = round(width * height);
  const own = round(round(ax2 - ax1) * round(ay2 - ay1));
  const other = round(round(bx2 - bx1) * round(by2 - by1));
  return round(shared / round(round(own + other) - shared));
}
