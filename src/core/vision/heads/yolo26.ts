import { findRows, type DecodeOptions, type DetectorHead, type HeadOutput, type Decode } from './head.ts';
import { addCandidate } from '../candidates.ts';
import { decodeColumns } from './yolov8.ts';

/**
 * Decodes the output of YOLO26's one-to-one head before the selection of the best boxes, as in exports without that
 * step. Each object has one box, so no suppression is needed.
 *
 * @param candidates receives the boxes of at least the given confidence; overwritten
 * @param output `[1, 4 + classes, n]`: x1, y1, x2, y2 in pixels of the input, then the classes' scores
 * @returns `candidates`
 * @see https://docs.ultralytics.com/models/yolo26/
 *
 * @example
 * ```ts
 * const output = { data: Float32Array.of(3, 4, 7, 6, 0.1, 0.9), dims: [1, 6, 1] };
 * decodeYolo26Into(createCandidates(), output, { classCount: 2, confidence: 0.25 }).classIds[0]; // 1
 * ```
 */
export const decodeYolo26Into: Decode<HeadOutput, DecodeOptions> = (candidates, output, options) =>
  decodeColumns(candidates, output, options, addCandidate);

/** YOLO26 before the selection of its best boxes: the shape equals YOLOv8's, so a setting has to select this head. */
export const yolo26Head: DetectorHead<'yolo26'> = {
  name: 'yolo26',
  shapes: '[1, 4 + classes, n] with corners in place of centres',
  picksBoxes: true,
  find: (query, isChosen) => (isChosen ? findRows(query, ([, rows = 0]) => rows - 4) : undefined),
  decode: (candidates, [output], options) => decodeYolo26Into(candidates, output, options),
};
