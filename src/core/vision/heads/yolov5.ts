import {
  assertDecodable,
  type DecodeOptions,
  type DetectorHead,
  type HeadOutput,
  addCentered,
  bestClass,
  isWanted,
  findRows,
  type Decode,
} from './head.ts';
import { resetCandidates } from '../candidates.ts';
import type { Size } from '../box.ts';
import { gridStrides } from './yolox.ts';

/**
 * Decodes the output of YOLOv5 (and v6, v7): one row per anchor, with an objectness that multiplies the classes'
 * scores.
 *
 * @param candidates receives the boxes of at least the given confidence; overwritten
 * @param output `[1, n, 5 + classes (+ more)]`: cx, cy, width, height in pixels of the input, objectness, then the
 * classes' scores
 * @returns `candidates`
 * @see https://github.com/ultralytics/yolov5
 *
 * @example
 * ```ts
 * const output = { data: Float32Array.of(5, 5, 4, 2, 0.5, 0.1, 0.9), dims: [1, 1, 7] };
 * decodeYoloV5Into(createCandidates(), output, { classCount: 2, confidence: 0.25 }).scores[0]; // 0.45
 * ```
 */
export const decodeYoloV5Into: Decode<HeadOutput, DecodeOptions> = (candidates, output, options) => {
  assertDecodable({ output }, 3, options);
  const { data, dims } = output;
  const { classCount, confidence } = options;
  const count = dims[1]!;
  const width = dims[2]!;
  resetCandidates(candidates, count);
  for (let place = 0; place < count; place++) {
    const at = place * width;
    const objectness = data[at + 4]!;
    if (!(objectness >= confidence)) continue;
    const classId = bestClass(data, at + 5, classCount);
    const score = objectness * data[at + 5 + classId]!;
    if (!isWanted(options, score, classId)) continue;
    addCentered(candidates, data[at]!, data[at + 1]!, data[at + 2]!, data[at + 3]!, score, classId);
  }
  return candidates;
};

const anchorsPerCell = 3;

/** Whether the output has a row per anchor and cell. */
export function hasAnchors(rows: number, input: Size): boolean {
  return gridStrides(rows / anchorsPerCell, input) !== undefined;
}

/** YOLOv5, v6 and v7. */
export const yoloV5Head: DetectorHead<'yolov5'> = {
  name: 'yolov5',
  shapes: '[1, n, 5 + classes] with three rows per cell',
  find: (query, isChosen) =>
    findRows(query, ([, rows = 0, width = 0]) => (isChosen || hasAnchors(rows, query.input) ? width - 5 : 0)),
  decode: (candidates, [output], options) => decodeYoloV5Into(candidates, output, options),
};
