import type { Candidates } from '../candidates.ts';
import type { Size } from '../box.ts';

/** The layouts of outputs that can be decoded. */
export const headNames = ['yolov5', 'yolov8', 'yolox', 'end-to-end', 'detr', 'detr-softmax'] as const;

/** The name of a layout of outputs. */
export type HeadName = (typeof headNames)[number];

/** One output of a model: dense, row-major. */
export interface HeadOutput {
  readonly data: Float32Array;
  readonly dims: readonly number[];
}

/** Bounds of a candidate. */
export interface DecodeOptions {
  /** How many classes the model knows. */
  readonly classCount: number;
  /** Least score, above 0. */
  readonly confidence: number;
  /** Class id → 0 for classes that aren't wanted; default: all are. A box has its best class all the same. */
  readonly classMask?: Uint8Array | undefined;
}

/** As `DecodeOptions`, for heads that give boxes in relation to the input's size. */
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
