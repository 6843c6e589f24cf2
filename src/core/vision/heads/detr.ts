import { assertObject } from '../../assert-values.ts';
import {
  addCentered,
  assertDecodable,
  type DetectorHead,
  type FoundOutputs,
  type HeadOutput,
  type OutputQuery,
  plainPixels,
  type Preprocessing,
  type Decode,
} from './head.ts';
import { resetCandidates, type Candidates } from '../candidates.ts';
import type { Size } from '../box.ts';
import { readTriple } from '../input-tensor.ts';

/** The two outputs of a model of the DETR family. */
export interface DetrOutputs {
  /** `[1, queries, classes]`, before the sigmoid or softmax. */
  readonly logits: HeadOutput;
  /** `[1, queries, 4]`: cx, cy, width, height as fractions of the input. */
  readonly boxes: HeadOutput;
}

/**
 * Decodes the outputs of RT-DETR, D-FINE, RF-DETR and Conditional DETR. A query yields a box for every class above the
 * confidence.
 *
 * @param candidates receives the boxes of at least the given confidence; overwritten
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
export const decodeDetrInto: Decode<DetrOutputs> = (candidates, outputs, options) => {
  assertObject('outputs', outputs);
  const { logits, boxes } = outputs;
  assertDecodable({ logits, boxes }, 3, options, true);
  const { classCount, confidence, classMask, input } = options;
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
};

/** Names of the output with a box per query. */
const queryBoxes = new Set(['pred_boxes', 'dets']);

/** Whether a model is of the DETR family, by the names of its outputs. */
export function hasQueries(outputs: readonly { readonly name: string }[]): boolean {
  return outputs.some(({ name }) => queryBoxes.has(name));
}

/** Finds the two outputs; the scores may have additional classes for "nothing". */
export function findPair(
  { outputs, classCount }: OutputQuery,
  nothingClasses: number,
): FoundOutputs | undefined {
  const boxes = outputs.find(({ name }) => queryBoxes.has(name));
  const logits =
    outputs.find(({ name }) => name === 'logits') ?? outputs.find(({ name }) => name === 'labels');
  if (boxes?.dims.length !== 3 || boxes.dims[2] !== 4 || logits?.dims.length !== 3) return undefined;
  const inShape = logits.dims[2]! - nothingClasses;
  if (boxes.dims[1] !== logits.dims[1] || inShape < 1) return undefined;
  return { outputs: [logits.name, boxes.name], classCount: Math.min(classCount ?? inShape, inShape) };
}

/** Reads the preprocessing of a `preprocessor_config.json`. */
export function detrPreprocessing(preprocessor: Readonly<Record<string, unknown>>): Preprocessing {
  const { do_rescale: rescales = true, rescale_factor: factor = plainPixels.scale } = preprocessor;
  const normalizes = preprocessor['do_normalize'] === true;
  const format = {
    ...plainPixels,
    scale: rescales === true ? Number(factor) : 1,
    ...(normalizes && {
      mean: readTriple(preprocessor['image_mean'], plainPixels.mean),
      deviation: readTriple(preprocessor['image_std'], plainPixels.deviation),
    }),
    padding: 0,
  };
  return { fit: 'stretch', format };
}

/** The DETR family with a sigmoid per class. */
export const detrHead: DetectorHead<'detr'> = {
  name: 'detr',
  shapes: 'logits and pred_boxes, or labels and dets',
  picksBoxes: true,
  preprocessing: detrPreprocessing,
  find: (query) => findPair(query, 0),
  decode: (candidates, [logits, boxes], options) =>
    decodeDetrInto(candidates, { logits, boxes: boxes! }, options),
};

/** A query's best class. */
export interface QueryFinding {
  readonly query: number;
  readonly score: number;
  readonly classId: number;
}

export function addQueryBox(
  candidates: Candidates,
  boxes: Float32Array,
  { query, score, classId }: QueryFinding,
  { width, height }: Size,
): void {
  const [x = 0, y = 0, w = 0, h = 0] = boxes.subarray(query * 4, query * 4 + 4);
  addCentered(candidates, x * width, y * height, w * width, h * height, score, classId);
}
