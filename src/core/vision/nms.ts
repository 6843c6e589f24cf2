import { assertNames } from '../assert-names.ts';
import { assertArray, assertCount, assertWithin } from '../assert-values.ts';
import { overlapInFloat32 } from './intersection-over-union.ts';
import { rankScores } from './rank.ts';

/** Limits of the boxes that `nms` keeps. */
export interface NmsOptions {
  /** Of two boxes that overlap by more than this, only the better one is kept; 0 to 1. */
  readonly iouThreshold: number;
  /** Maximum boxes to keep; default no limit. */
  readonly maxKept?: number | undefined;
  /** Maximum boxes to consider, best first; default all. */
  readonly maxCandidates?: number | undefined;
  /** Number of boxes; default all of `scores`. */
  readonly count?: number | undefined;
}

/**
 * Non-maximum suppression: starting with the best box, keeps every box that doesn't overlap a kept one by more than the
 * threshold. Same result as `torchvision.ops.nms`; of boxes with equal scores, the earlier one is first.
 *
 * @param boxes `[n × 4]` as x1, y1, x2, y2
 * @param scores `[n]`, finite, not negative
 * @returns indexes of the kept boxes, best first
 *
 * @example
 * ```ts
 * nms(Float32Array.of(0, 0, 9, 9, 0, 0, 9, 8, 20, 20, 29, 29), Float32Array.of(0.5, 0.9, 0.4), { iouThreshold: 0.5 }); // [1, 2]
 * ```
 */
export function nms(boxes: Float32Array, scores: Float32Array, options: NmsOptions): Int32Array {
  assertNames('nms', options, optionNames);
  return suppress(boxes, scores, undefined, options);
}

/**
 * Non-maximum suppression within each class: boxes of different classes don't suppress each other. Same result as
 * `torchvision.ops.batched_nms`.
 *
 * @param boxes `[n × 4]` as x1, y1, x2, y2
 * @param scores `[n]`, finite, not negative
 * @param classIds `[n]`, 0 or above
 * @returns indexes of the kept boxes, best first
 *
 * @example
 * ```ts
 * nmsPerClass(Float32Array.of(0, 0, 9, 9, 0, 0, 9, 9), Float32Array.of(0.5, 0.9), Int32Array.of(3, 7), { iouThreshold: 0.5 }); // [1, 0]
 * ```
 */
export function nmsPerClass(
  boxes: Float32Array,
  scores: Float32Array,
  classIds: Int32Array,
  options: NmsOptions,
): Int32Array {
  assertNames('nmsPerClass', options, optionNames);
  assertArray('classIds', classIds, Int32Array);
  return suppress(boxes, scores, classIds, options);
}

const optionNames = ['iouThreshold', 'maxKept', 'maxCandidates', 'count'] as const;

/** The kept boxes of each class form a linked list, so that a box is only compared with boxes of its class. */
function suppress(
  boxes: Float32Array,
  scores: Float32Array,
  classIds: Int32Array | undefined,
  options: NmsOptions,
): Int32Array {
  assertArray('scores', scores, Float32Array);
  const { iouThreshold, count = scores.length, maxKept = count, maxCandidates = count } = options;
  assertCount('count', count, { max: scores.length });
  const isWhole = options.count === undefined;
  assertArray('boxes', boxes, Float32Array, isWhole ? { length: 4 * count } : { least: 4 * count });
  if (classIds) assertArray('classIds', classIds, Int32Array, isWhole ? { length: count } : { least: count });
  assertWithin('iouThreshold', iouThreshold, { min: 0, max: 1 });
  assertCount('maxKept', maxKept);
  assertCount('maxCandidates', maxCandidates);
  const ranked = rankScores(scores, { count, limit: maxCandidates });
  const classCount = classIds ? largest(classIds, count) + 1 : 1;
  const nextOfClass = new Int32Array(count);
  const lastOfClass = new Int32Array(classCount).fill(-1);
  let kept = 0;
  for (let place = 0; place < ranked.length && kept < maxKept; place++) {
    const box = ranked[place]!;
    const classId = classIds ? classIds[box]! : 0;
    let rival = lastOfClass[classId]!;
    while (rival !== -1 && !(overlapInFloat32(boxes, box, rival) > iouThreshold)) rival = nextOfClass[rival]!;
    if (rival !== -1) continue;
    nextOfClass[box] = lastOfClass[classId]!;
    lastOfClass[classId] = box;
    ranked[kept++] = box;
  }
  return ranked.subarray(0, kept);
}

function largest(values: Int32Array, count: number): number {
  let max = -1;
  for (let index = 0; index < count; index++) if (values[index]! > max) max = values[index]!;
  return max;
}
