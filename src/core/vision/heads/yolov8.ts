import {
  addCentered,
  assertDecodable,
  findRows,
  isWanted,
  type DecodeOptions,
  type DetectorHead,
  type HeadOutput,
  type Decode,
} from './head.ts';
import { resetCandidates, type addCandidate, type Candidates } from '../candidates.ts';

/**
 * Decodes the output of YOLOv8, v9, v11 and v12: one column per location, without a separate objectness.
 *
 * @param candidates receives the boxes of at least the given confidence; overwritten
 * @param output `[1, 4 + classes (+ more), n]`: cx, cy, width, height in pixels of the input, then the classes' scores
 * @returns `candidates`
 * @see https://docs.ultralytics.com/modes/export/
 *
 * @example
 * ```ts
 * const output = { data: Float32Array.of(5, 5, 4, 2, 0.1, 0.9), dims: [1, 6, 1] };
 * decodeYoloV8Into(createCandidates(), output, { classCount: 2, confidence: 0.25 }).classIds[0]; // 1
 * ```
 */
export const decodeYoloV8Into: Decode<HeadOutput, DecodeOptions> = (candidates, output, options) =>
  decodeColumns(candidates, output, options, addCentered);

/** Decodes one column per location: the four numbers of a box, which `add` interprets, then the classes' scores. */
export function decodeColumns(
  candidates: Candidates,
  output: HeadOutput,
  options: DecodeOptions,
  add: typeof addCandidate,
): Candidates {
  assertDecodable({ output }, 3, options);
  const { data, dims } = output;
  const { classCount, confidence } = options;
  const count = dims[2]!;
  resetCandidates(candidates, count);
  const scores = new Float32Array(count);
  const classes = new Int32Array(count);
  // In memory order.
  for (let classId = 0; classId < classCount; classId++) {
    const row = (4 + classId) * count;
    for (let place = 0; place < count; place++) {
      const score = data[row + place]!;
      if (score > scores[place]!) {
        scores[place] = score;
        classes[place] = classId;
      }
    }
  }
  for (let place = 0; place < count; place++) {
    const score = scores[place]!;
    const classId = classes[place]!;
    if (!(score >= confidence) || !isWanted(options, score, classId)) continue;
    const third = data[2 * count + place]!;
    const fourth = data[3 * count + place]!;
    add(candidates, data[place]!, data[count + place]!, third, fourth, score, classId);
  }
  return candidates;
}

/** YOLOv8, v9, v11 and v12. */
export const yoloV8Head: DetectorHead<'yolov8'> = {
  name: 'yolov8',
  shapes: '[1, 4 + classes, n]',
  // An input of a useful size has more locations than channels.
  find: (query, isChosen) =>
    findRows(query, ([, channels = 0, places = 0]) => (isChosen || channels < places ? channels - 4 : 0)),
  decode: (candidates, [output], options) => decodeYoloV8Into(candidates, output, options),
};
