import {
  assertDecodable,
  isWanted,
  type DecodeOptions,
  type DetectorHead,
  type HeadOutput,
  type Decode,
} from './head.ts';
import { addCandidate, resetCandidates } from '../candidates.ts';
import { hasAnchors } from './yolov5.ts';
import { gridStrides } from './yolox.ts';

/**
 * Decodes the output of models that select their boxes in the graph, such as YOLOv10 and YOLO26.
 *
 * @param candidates receives the boxes of at least the given confidence; overwritten
 * @param output `[1, n, 6]`: x1, y1, x2, y2 in pixels of the input, score, class id
 * @returns `candidates`
 * @see https://arxiv.org/abs/2405.14458
 *
 * @example
 * ```ts
 * const output = { data: Float32Array.of(3, 4, 7, 6, 0.9, 1), dims: [1, 1, 6] };
 * decodeEndToEndInto(createCandidates(), output, { classCount: 2, confidence: 0.25 }).count; // 1
 * ```
 */
export const decodeEndToEndInto: Decode<HeadOutput, DecodeOptions> = (candidates, output, options) => {
  assertDecodable({ output }, 3, options);
  const { data, dims } = output;
  const count = dims[1]!;
  resetCandidates(candidates, count);
  for (let at = 0; at < count * 6; at += 6) {
    const score = data[at + 4]!;
    const classId = data[at + 5]!;
    if (!isWanted(options, score, classId)) continue;
    addCandidate(candidates, data[at]!, data[at + 1]!, data[at + 2]!, data[at + 3]!, score, classId);
  }
  return candidates;
};

/** Outputs with more rows aren't lists of selected boxes. */
const maxSelected = 1000;

/** YOLOv10 and YOLO26, which select their boxes in the graph. */
export const endToEndHead: DetectorHead<'end-to-end'> = {
  name: 'end-to-end',
  shapes: '[1, n, 6]',
  picksBoxes: true,
  find({ outputs, input, classCount = 0 }, isChosen) {
    const output = outputs.find(
      ({ dims: [, rows = 0, width], dims }) =>
        dims.length === 3 &&
        width === 6 &&
        (isChosen || (rows <= maxSelected && !gridStrides(rows, input) && !hasAnchors(rows, input))),
    );
    return output && { outputs: [output.name], classCount };
  },
  decode: (candidates, [output], options) => decodeEndToEndInto(candidates, output, options),
};
