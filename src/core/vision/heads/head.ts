import type { Candidates } from '../candidates.ts';
import type { Size } from '../box.ts';

/** The layouts of outputs that can be decoded, and the shapes by which they are known. */
export const headShapes = {
  yolov5: '[1, n, 5 + classes] with three rows for each cell',
  yolov8: '[1, 4 + classes, n]',
  yolox: '[1, n, 5 + classes] with one row for each cell',
  'yolox-maps': 'an output [1, 5 + classes, rows, columns] for each of three or four grids',
  yolo26: '[1, 4 + classes, n] with corners in place of centres',
  fastestdet: '[1, 5 + classes, rows, columns]',
  'end-to-end': '[1, n, 6]',
  nms: 'boxes, scores and labels, or num_dets, det_boxes, det_scores and det_classes',
  'nms-rows': '[n, 7]',
  detr: 'logits and pred_boxes, or labels and dets',
  'detr-softmax': 'the same, the last class being "nothing"',
} as const;

/** The name of a layout of outputs. */
export type HeadName = keyof typeof headShapes;

/** The layouts of outputs that can be decoded. */
export const headNames = Object.keys(headShapes) as readonly HeadName[] as readonly [HeadName, ...HeadName[]];

/** One output of a model: dense, row-major. */
export interface HeadOutput {
  readonly data: Float32Array;
  readonly dims: readonly number[];
}

/** Bounds of a candidate. */
export interface DecodeOptions {
  /** Number of classes of the model. */
  readonly classCount: number;
  /** Least score, above 0. */
  readonly confidence: number;
  /** Class id → 0 for classes that aren't wanted; default: all are. A box has its best class all the same. */
  readonly classMask?: Uint8Array | undefined;
}

/** `DecodeOptions` for heads with boxes relative to the input's size. */
export interface SizedDecodeOptions extends DecodeOptions {
  /** Size of the model's input. */
  readonly input: Size;
}

/** Output of a model → candidates; what was in them before is lost. */
export type DecodeInto = (
  candidates: Candidates,
  output: HeadOutput,
  options: SizedDecodeOptions,
) => Candidates;
