import { resetCandidates, type Candidates } from '../candidates.ts';
import type { HeadOutput, SizedDecodeOptions } from './head.ts';
import { addQueryBox } from './query-box.ts';

/** The two outputs of a model of the DETR family. */
export interface DetrOutputs {
  /** `[1, queries, classes]`, before the sigmoid or softmax. */
  readonly logits: HeadOutput;
  /** `[1, queries, 4]`: cx, cy, width, height as shares of the input. */
  readonly boxes: HeadOutput;
}

/**
 * Decodes the outputs of RT-DETR, D-FINE, RF-DETR and Conditional DETR. A query counts once for every class that it is sure enough of.
 *
 * @param candidates receives the boxes of at least the given confidence; what was in it is lost
 * @returns `candidates`
 * @see https://arxiv.org/abs/2304.08069
 *
 * @example
 * ```ts
 * const logits = { data: Float32Array.of(-9, 2), dims: [1, 1, 2] };
 * const boxes = { data: Float32Array.of(0.5, 0.5, 1, 1), dims: [1, 1, 4] };
 * const input = { width: 640, height: 640 };
 * decodeDetrInto(createCandidates(), { logits, boxes }, { classCount: 2, confidence: 0.25, input }).classIds[0]; // 1
 * ```
 */
export function decodeDetrInto(
  candidates: Candidates,
  { logits, boxes }: DetrOutputs,
  { classCount, confidence, classMask, input }: SizedDecodeOptions,
): Candidates {
  const queries = logits.dims[1]!;
  const stride = logits.dims[2]!;
  resetCandidates(candidates, queries * classCount);
  for (let query = 0; query < queries; query++) {
    for (let classId = 0; classId < classCount; classId++) {
      if (classMask && classMask[classId] === 0) continue;
      const score = 1 / (1 + Math.exp(-logits.data[query * stride + classId]!));
      if (score >= confidence) addQueryBox(candidates, boxes.data, { query, score, classId }, input);
    }
  }
  return candidates;
}
