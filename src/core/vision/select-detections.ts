import { assertNames } from '../assert-names.ts';
import { assertCount, assertObject } from '../assert-values.ts';
import type { Candidates } from './candidates.ts';
import { nmsPerClass } from './nms.ts';
import { rankScores } from './rank.ts';

/** Limits of the candidates that `selectDetections` keeps. */
export interface SelectOptions {
  /** Overlap above which the worse of two boxes of a class is dropped; `undefined` for models that need no suppression. */
  readonly iouThreshold: number | undefined;
  readonly maxDetections: number;
}

/** Further candidates have scores too low to matter, and are too many to compare. */
export const maxCandidates = 30_000;

/**
 * Selects detections from candidates: the best ones, except candidates that overlap a better one of their class.
 *
 * @returns indexes of candidates, best first
 *
 * @example
 * ```ts
 * const boxes = Float32Array.of(0, 0, 9, 9, 0, 0, 9, 8);
 * const candidates = { boxes, scores: Float32Array.of(0.5, 0.9), classIds: Int32Array.of(3, 3), count: 2 };
 * selectDetections(candidates, { iouThreshold: 0.45, maxDetections: 100 }); // [1]
 * ```
 */
export function selectDetections(candidates: Candidates, options: SelectOptions): Int32Array {
  assertObject('candidates', candidates);
  const { boxes, scores, classIds, count } = candidates;
  assertNames('selectDetections', options, ['iouThreshold', 'maxDetections']);
  const { iouThreshold, maxDetections } = options;
  assertCount('maxDetections', maxDetections);
  if (iouThreshold === undefined) return rankScores(scores, { count, limit: maxDetections });
  return nmsPerClass(boxes, scores, classIds, { iouThreshold, count, maxKept: maxDetections, maxCandidates });
}
