import { addCandidate, resetCandidates, type Candidates } from '../candidates.ts';
import type { DecodeOptions, HeadOutput } from './head.ts';

/** The outputs of a graph that suppresses boxes itself. */
export interface NmsOutputs {
  /** `[1, n, 4]` or `[n, 4]`: x1, y1, x2, y2 in pixels of the input. */
  readonly boxes: HeadOutput;
  /** `[1, n]` or `[n]` */
  readonly scores: HeadOutput;
  /** `[1, n]` or `[n]` */
  readonly labels: HeadOutput;
  /** Number of valid ones; default all. */
  readonly count?: HeadOutput | undefined;
}

/**
 * Decodes the outputs of graphs that contain non-maximum suppression: one list each of boxes, scores and labels.
 *
 * @param candidates receives the boxes of at least the given confidence; what was in it is lost
 * @returns `candidates`
 * @see https://github.com/NVIDIA/TensorRT/tree/main/plugin/efficientNMSPlugin
 *
 * @example
 * ```ts
 * const boxes = { data: Float32Array.of(3, 4, 7, 6), dims: [1, 1, 4] };
 * const scores = { data: Float32Array.of(0.9), dims: [1, 1] };
 * const labels = { data: Float32Array.of(1), dims: [1, 1] };
 * decodeNmsInto(createCandidates(), { boxes, scores, labels }, { classCount: 2, confidence: 0.25 }).count; // 1
 * ```
 */
export function decodeNmsInto(
  candidates: Candidates,
  { boxes, scores, labels, count }: NmsOutputs,
  { classCount, confidence, classMask }: DecodeOptions,
): Candidates {
  const given = Math.min(scores.data.length, count?.data[0] ?? Infinity);
  resetCandidates(candidates, given);
  for (let index = 0; index < given; index++) {
    const score = scores.data[index]!;
    const classId = labels.data[index]!;
    if (!(score >= confidence) || !(classId >= 0 && classId < classCount)) continue;
    if (classMask && classMask[classId] === 0) continue;
    const at = index * 4;
    const { data } = boxes;
    addCandidate(candidates, data[at]!, data[at + 1]!, data[at + 2]!, data[at + 3]!, score, classId);
  }
  return candidates;
}
