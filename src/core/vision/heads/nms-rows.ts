import { assertDecodable, type DecodeOptions, type DetectorHead, type HeadOutput } from './head.ts';
import { addCandidate, resetCandidates, type Candidates } from '../candidates.ts';

const rowLength = 7;

/**
 * Decodes the output of YOLOv7's export with non-maximum suppression: one row for each box that is left.
 *
 * @param candidates receives the boxes of at least the given confidence; what was in it is lost
 * @param output `[n, 7]`: number of the image, x1, y1, x2, y2 in pixels of the input, class id, score
 * @returns `candidates`
 * @see https://github.com/WongKinYiu/yolov7
 *
 * @example
 * ```ts
 * const output = { data: Float32Array.of(0, 3, 4, 7, 6, 1, 0.9), dims: [1, 7] };
 * decodeNmsRowsInto(createCandidates(), output, { classCount: 2, confidence: 0.25 }).count; // 1
 * ```
 */
export function decodeNmsRowsInto(
  candidates: Candidates,
  output: HeadOutput,
  options: DecodeOptions,
): Candidates {
  assertDecodable({ output }, 2, options);
  const { data, dims } = output;
  const { classCount, confidence, classMask } = options;
  const count = dims[0]!;
  resetCandidates(candidates, count);
  for (let at = 0; at < count * rowLength; at += rowLength) {
    const classId = data[at + 5]!;
    const score = data[at + 6]!;
    if (!(score >= confidence) || !(classId >= 0 && classId < classCount)) continue;
    if (classMask && classMask[classId] === 0) continue;
    addCandidate(candidates, data[at + 1]!, data[at + 2]!, data[at + 3]!, data[at + 4]!, score, classId);
  }
  return candidates;
}

/** YOLOv7 with suppression in the graph. */
export const nmsRowsHead: DetectorHead<'nms-rows'> = {
  name: 'nms-rows',
  shapes: '[n, 7]',
  picksBoxes: true,
  find({ outputs, classCount = 0 }) {
    const [only] = outputs;
    const isRows = outputs.length === 1 && only?.dims.length === 2 && only.dims[1] === rowLength;
    return isRows ? { outputs: [only.name], classCount } : undefined;
  },
  decode: (candidates, [output], options) => decodeNmsRowsInto(candidates, output, options),
};
