import { assertObject } from '../../assert-values.ts';
import { assertDecodable, type DetectorHead, bestClass, type Decode } from './head.ts';
import { resetCandidates } from '../candidates.ts';
import { detrPreprocessing, findPair, type DetrOutputs, addQueryBox } from './detr.ts';

/**
 * Decodes the outputs of DETR, YOLOS and Table Transformer: the last class is "nothing", and a query yields at most one
 * box, of its likeliest class otherwise.
 *
 * @param candidates receives the boxes of at least the given confidence; overwritten
 * @returns `candidates`
 * @see https://arxiv.org/abs/2005.12872
 *
 * @example
 * ```ts
 * const logits = { data: Float32Array.of(-9, 2, 0), dims: [1, 1, 3] };
 * const boxes = { data: Float32Array.of(0.5, 0.5, 1, 1), dims: [1, 1, 4] };
 * const input = { width: 640, height: 640 };
 * decodeDetrSoftmaxInto(createCandidates(), { logits, boxes }, { classCount: 2, confidence: 0.25, input }).classIds[0]; // 1
 * ```
 */
export const decodeDetrSoftmaxInto: Decode<DetrOutputs> = (candidates, outputs, options) => {
  assertObject('outputs', outputs);
  const { logits, boxes } = outputs;
  assertDecodable({ logits, boxes }, 3, options, true);
  const { classCount, confidence, classMask, input } = options;
  const queries = logits.dims[1]!;
  const stride = logits.dims[2]!;
  resetCandidates(candidates, queries);
  for (let query = 0; query < queries; query++) {
    const start = query * stride;
    const classId = bestClass(logits.data, start, classCount);
    if (classMask && classMask[classId] === 0) continue;
    const best = logits.data[start + classId]!;
    let total = 0;
    for (let other = 0; other < stride; other++) total += Math.exp(logits.data[start + other]! - best);
    const score = 1 / total;
    if (score >= confidence) addQueryBox(candidates, boxes.data, { query, score, classId }, input);
  }
  return candidates;
};

/** The DETR family with a softmax over the classes and "nothing". */
export const detrSoftmaxHead: DetectorHead<'detr-softmax'> = {
  name: 'detr-softmax',
  shapes: 'the same, the last class being "nothing"',
  picksBoxes: true,
  modelTypes: ['detr', 'yolos', 'table-transformer'],
  preprocessing: detrPreprocessing,
  find: (query, isChosen) => (isChosen ? findPair(query, 1) : undefined),
  decode: (candidates, [logits, boxes], options) =>
    decodeDetrSoftmaxInto(candidates, { logits, boxes: boxes! }, options),
};
