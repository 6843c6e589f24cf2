import { assertSize, assertWithin } from '../../assert-values.ts';
import {
  assertDecodable,
  type DecodeOptions,
  type DetectorHead,
  addCentered,
  bestClass,
  isWanted,
  findRows,
  plainPixels,
  type Preprocessing,
  type DecodeInto,
} from './head.ts';
import type { Size } from '../box.ts';
import { resetCandidates, type Candidates } from '../candidates.ts';

const strideSets = [
  [8, 16, 32],
  [8, 16, 32, 64],
] as const;

/**
 * The strides of the grids whose cells match the rows of a YOLOX output, or `undefined` if no grids match.
 *
 * @example
 * ```ts
 * gridStrides(3549, { width: 416, height: 416 }); // [8, 16, 32]
 * ```
 */
export function gridStrides(rows: number, input: Size): readonly number[] | undefined {
  assertWithin('rows', rows, { min: 0 });
  assertSize('input', input);
  const { width, height } = input;
  return strideSets.find((strides) => {
    const cells = strides.map((stride) => Math.floor(width / stride) * Math.floor(height / stride));
    return cells.reduce((sum, cell) => sum + cell, 0) === rows;
  });
}

/**
 * Decodes the output of YOLOX: one row per cell of three or four grids, with its box relative to the cell.
 *
 * @param candidates receives the boxes of at least the given confidence; overwritten
 * @param output `[1, n, 5 + classes]`: dx, dy in cells, width and height as logarithms of cells, objectness, then the
 * classes' scores
 * @returns `candidates`
 * @throws RangeError if the number of rows doesn't match the size of the input
 * @see https://arxiv.org/abs/2107.08430
 *
 * @example
 * ```ts
 * const input = { width: 32, height: 32 }; // 4 × 4, 2 × 2 and 1 cells
 * const output = { data: new Float32Array(21 * 7).fill(0.9), dims: [1, 21, 7] };
 * decodeYoloXInto(createCandidates(), output, { classCount: 2, confidence: 0.25, input }).count; // 21
 * ```
 */
export const decodeYoloXInto: DecodeInto = (candidates, output, options) => {
  assertDecodable({ output }, 3, options, true);
  const { data, dims } = output;
  const { input } = options;
  const count = dims[1]!;
  const next = dims[2]!;
  const strides = gridStrides(count, input);
  if (!strides)
    throw new RangeError(
      `output: expected one row per cell of ${input.width} × ${input.height}, got ${count}`,
    );
  resetCandidates(candidates, count);
  let start = 0;
  for (const stride of strides) {
    const columns = Math.floor(input.width / stride);
    const cells = columns * Math.floor(input.height / stride);
    addCells(
      candidates,
      data.subarray(start),
      { columns, cells, across: stride, down: stride, next, apart: 1 },
      options,
    );
    start += cells * next;
  }
  return candidates;
};

/** A grid of cells: consecutive cells are `next` numbers apart, the numbers of a cell are `apart` from each other. */
interface Grid {
  readonly columns: number;
  readonly cells: number;
  /** Pixels per cell. */
  readonly across: number;
  readonly down: number;
  readonly next: number;
  readonly apart: number;
}

/** Adds the boxes of a grid: dx, dy in cells, width and height as logarithms of cells, objectness, the classes' scores. */
export function addCells(
  candidates: Candidates,
  data: Float32Array,
  { columns, cells, across, down, next, apart }: Grid,
  options: DecodeOptions,
): void {
  for (let cell = 0, at = 0; cell < cells; cell++, at += next) {
    const objectness = data[at + 4 * apart]!;
    if (!(objectness >= options.confidence)) continue;
    const classId = bestClass(data, at + 5 * apart, options.classCount, apart);
    const score = objectness * data[at + (5 + classId) * apart]!;
    if (!isWanted(options, score, classId)) continue;
    const x = (data[at]! + (cell % columns)) * across;
    const y = (data[at + apart]! + Math.floor(cell / columns)) * down;
    const width = Math.exp(data[at + 2 * apart]!) * across;
    const height = Math.exp(data[at + 3 * apart]!) * down;
    addCentered(candidates, x, y, width, height, score, classId);
  }
}

/** Values from 0 to 255, the image at the top left. */
export function yoloXPreprocessing(): Preprocessing {
  return { fit: 'letterbox-start', format: { ...plainPixels, channelOrder: 'bgr', scale: 1 } };
}

export const yoloXHead: DetectorHead<'yolox'> = {
  name: 'yolox',
  shapes: '[1, n, 5 + classes] with one row per cell',
  preprocessing: yoloXPreprocessing,
  find: (query, isChosen) =>
    findRows(query, ([, rows = 0, width = 0]) =>
      isChosen || gridStrides(rows, query.input) ? width - 5 : 0,
    ),
  decode: (candidates, [output], options) => decodeYoloXInto(candidates, output, options),
};
