import { assertArray, assertObject } from '../../assert-values.ts';
import { addCandidate, resetCandidates } from '../candidates.ts';
import {
  assertDecodable,
  isWanted,
  type DecodeOptions,
  type DetectorHead,
  type HeadOutput,
  type Decode,
} from './head.ts';

/** The outputs of a graph with built-in suppression. */
export interface NmsOutputs {
  /** `[1, n, 4]` or `[n, 4]`: x1, y1, x2, y2 in pixels of the input. */
  readonly boxes: HeadOutput;
  /** `[1, n]` or `[n]` */
  readonly scores: HeadOutput;
  /** `[1, n]` or `[n]` */
  readonly labels: HeadOutput;
  /** Number of valid entries; default all. */
  readonly count?: HeadOutput | undefined;
}

/**
 * Decodes the outputs of graphs that contain non-maximum suppression: one list each of boxes, scores and labels.
 *
 * @param candidates receives the boxes of at least the given confidence; overwritten
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
export const decodeNmsInto: Decode<NmsOutputs, DecodeOptions> = (candidates, outputs, options) => {
  assertObject('outputs', outputs);
  const { boxes, scores, labels, count } = outputs;
  assertDecodable({ boxes, scores, labels, ...(count !== undefined && { count }) }, undefined, options);
  assertArray('boxes.data', boxes.data, Float32Array, { length: 4 * scores.data.length });
  assertArray('labels.data', labels.data, Float32Array, { length: scores.data.length });
  const given = Math.min(scores.data.length, count?.data[0] ?? Infinity);
  resetCandidates(candidates, given);
  for (let index = 0; index < given; index++) {
    const score = scores.data[index]!;
    const classId = labels.data[index]!;
    if (!isWanted(options, score, classId)) continue;
    const at = index * 4;
    const { data } = boxes;
    addCandidate(candidates, data[at]!, data[at + 1]!, data[at + 2]!, data[at + 3]!, score, classId);
  }
  return candidates;
};

/** Known output names. */
const boxNames = new Set(['boxes', 'det_boxes', 'bboxes']);
const scoreNames = new Set(['scores', 'det_scores']);
const labelNames = new Set(['labels', 'det_classes', 'classes', 'class_ids']);
const countNames = new Set(['num_dets', 'num_detections', 'num_boxes']);

/** Graphs with built-in suppression, by TensorRT or torchvision. */
export const nmsHead: DetectorHead<'nms'> = {
  name: 'nms',
  shapes: 'boxes, scores and labels, or num_dets, det_boxes, det_scores and det_classes',
  picksBoxes: true,
  find({ outputs, classCount = 0 }) {
    const [scores, boxes, labels, count] = [scoreNames, boxNames, labelNames, countNames].map((names) =>
      outputs.find(({ name }) => names.has(name.toLowerCase().replace(/:\d+$/, ''))),
    );
    if (boxes?.dims.at(-1) !== 4 || !labels || !scores || scores.dims.length >= 3) return undefined;
    return {
      outputs: [scores, boxes, labels, ...(count ? [count] : [])].map(({ name }) => name),
      classCount,
    };
  },
  decode: (candidates, [scores, boxes, labels, count], options) =>
    decodeNmsInto(candidates, { boxes: boxes!, scores, labels: labels!, count }, options),
};

const rowLength = 7;

/**
 * Decodes the output of YOLOv7's export with non-maximum suppression: one row per remaining box.
 *
 * @param candidates receives the boxes of at least the given confidence; overwritten
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
export const decodeNmsRowsInto: Decode<HeadOutput, DecodeOptions> = (candidates, output, options) => {
  assertDecodable({ output }, 2, options);
  const { data, dims } = output;
  const count = dims[0]!;
  resetCandidates(candidates, count);
  for (let at = 0; at < count * rowLength; at += rowLength) {
    const classId = data[at + 5]!;
    const score = data[at + 6]!;
    if (!isWanted(options, score, classId)) continue;
    addCandidate(candidates, data[at + 1]!, data[at + 2]!, data[at + 3]!, data[at + 4]!, score, classId);
  }
  return candidates;
};

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
