import { assertList } from '../../assert-values.ts';
import type { Size } from '../box.ts';
import { resetCandidates } from '../candidates.ts';
import { assertDecodable, type Decode } from './head.ts';
import type { DetectorHead, FoundOutputs, HeadOutput, OutputQuery } from './head.ts';
import { addCells, yoloXPreprocessing } from './yolox.ts';

/**
 * Decodes YOLOX graphs with one map per grid: the same numbers as in the usual single output, before concatenation.
 *
 * @param candidates receives the boxes of at least the given confidence; overwritten
 * @param outputs each `[1, 5 + classes, rows, columns]`: dx, dy in cells, width and height as logarithms of cells,
 * objectness, then the classes' scores
 * @returns `candidates`
 * @see https://arxiv.org/abs/2107.08430
 *
 * @example
 * ```ts
 * const output = { data: Float32Array.of(0.5, 0.5, 0, 0, 0.9, 0.8), dims: [1, 6, 1, 1] };
 * const options = { classCount: 1, confidence: 0.25, input: { width: 32, height: 32 } };
 * decodeYoloXMapsInto(createCandidates(), [output], options).count; // 1
 * ```
 */
export const decodeYoloXMapsInto: Decode<readonly HeadOutput[]> = (candidates, outputs, options) => {
  assertList('outputs', outputs);
  for (const [index, output] of outputs.entries())
    assertDecodable({ [`outputs[${index}]`]: output }, 4, options, true);
  const { input } = options;
  resetCandidates(
    candidates,
    outputs.reduce((sum, { dims }) => sum + dims[2]! * dims[3]!, 0),
  );
  for (const { data, dims } of outputs) {
    const [, , rows = 0, columns = 0] = dims;
    const cells = rows * columns;
    const [across, down] = [input.width / columns, input.height / rows];
    addCells(candidates, data, { columns, cells, across, down, next: 1, apart: cells }, options);
  }
  return candidates;
};

/** Finds outputs with one entry per cell of a grid. */
export function findMaps({ outputs, input, classCount }: OutputQuery): FoundOutputs | undefined {
  const channels = outputs[0]?.dims[1] ?? 0;
  const areMaps = outputs.every(
    ({ dims }) => dims.length === 4 && dims[1] === channels && isGrid(dims, input),
  );
  if (!areMaps || channels - 5 < Math.max(1, classCount ?? 1)) return undefined;
  return { outputs: outputs.map(({ name }) => name), classCount: classCount ?? channels - 5 };
}

/** Whether the cells of a map are squares of the input. */
function isGrid([, , rows = 0, columns = 0]: readonly number[], { width, height }: Size): boolean {
  return rows > 0 && columns > 0 && width / columns === height / rows && width / columns >= 4;
}

export const yoloXMapsHead: DetectorHead<'yolox-maps'> = {
  name: 'yolox-maps',
  shapes: 'one output [1, 5 + classes, rows, columns] per grid, three or four of them',
  preprocessing: yoloXPreprocessing,
  find: (query, isChosen) => (isChosen || query.outputs.length > 1 ? findMaps(query) : undefined),
  decode: decodeYoloXMapsInto,
};
