import {
  addCentered,
  assertDecodable,
  bestClass,
  isWanted,
  type DetectorHead,
  plainPixels,
  type DecodeInto,
} from './head.ts';
import { resetCandidates } from '../candidates.ts';
import { findMaps } from './yolox-maps.ts';

/** Exponent of the class in a score; the objectness has the remainder to 1. */
const classShare = 0.4;

/**
 * Decodes the output of FastestDet: one box per cell of a single grid.
 *
 * @param candidates receives the boxes of at least the given confidence; overwritten
 * @param output `[1, 5 + classes, rows, columns]`: objectness; dx and dy in cells before a hyperbolic tangent; width
 * and height as fractions of the input before a sigmoid; then the classes' scores
 * @returns `candidates`
 * @see https://github.com/dog-qiuqiu/FastestDet
 *
 * @example
 * ```ts
 * const output = { data: Float32Array.of(0.9, 0, 0, 0, 0, 0.8), dims: [1, 6, 1, 1] };
 * const options = { classCount: 1, confidence: 0.25, input: { width: 352, height: 352 } };
 * decodeFastestDetInto(createCandidates(), output, options).count; // 1
 * ```
 */
export const decodeFastestDetInto: DecodeInto = (candidates, output, options) => {
  assertDecodable({ output }, 4, options, true);
  const { data, dims } = output;
  const { classCount, input } = options;
  const [, , rows = 0, columns = 0] = dims;
  const cells = rows * columns;
  resetCandidates(candidates, cells);
  for (let cell = 0; cell < cells; cell++) {
    const classId = bestClass(data, 5 * cells + cell, classCount, cells);
    const score = data[(5 + classId) * cells + cell]! ** classShare * data[cell]! ** (1 - classShare);
    if (!isWanted(options, score, classId)) continue;
    const x = (((cell % columns) + Math.tanh(data[cells + cell]!)) / columns) * input.width;
    const y = ((Math.floor(cell / columns) + Math.tanh(data[2 * cells + cell]!)) / rows) * input.height;
    const width = sigmoid(data[3 * cells + cell]!) * input.width;
    const height = sigmoid(data[4 * cells + cell]!) * input.height;
    addCentered(candidates, x, y, width, height, score, classId);
  }
  return candidates;
};

function sigmoid(value: number): number {
  return 1 / (1 + Math.exp(-value));
}

export const fastestDetHead: DetectorHead<'fastestdet'> = {
  name: 'fastestdet',
  shapes: '[1, 5 + classes, rows, columns]',
  preprocessing: () => ({ fit: 'stretch', format: { ...plainPixels, channelOrder: 'bgr' } }),
  find: (query) => (query.outputs.length === 1 ? findMaps(query) : undefined),
  decode: (candidates, [output], options) => decodeFastestDetInto(candidates, output, options),
};
