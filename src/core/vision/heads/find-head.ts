import { assertNames } from '../../assert-names.ts';
import type { Size } from '../box.ts';
import { headShapes, type HeadName } from './head.ts';
import { findSuppressed } from './find-suppressed.ts';
import { gridStrides } from './yolox.ts';

/** The inputs and outputs of a model. */
export interface HeadQuery {
  /** Name and shape of each output, for an input of `input`. */
  readonly outputs: readonly { readonly name: string; readonly dims: readonly number[] }[];
  readonly input: Size;
  /** Number of classes of the model, if known. */
  readonly classCount?: number | undefined;
  /** Default: what the outputs look like. */
  readonly head?: HeadName | undefined;
}

/** Interpretation of a model's outputs. */
export interface Head {
  readonly name: HeadName;
  /** The output with the scores. */
  readonly output: string;
  /** The output with the boxes, where that is another one. */
  readonly boxes?: string | undefined;
  /** The output with the class ids, where that is another one. */
  readonly labels?: string | undefined;
  /** The output with the number of boxes, where there is one. */
  readonly count?: string | undefined;
  /** The outputs of all grids, where each has one. */
  readonly maps?: readonly string[] | undefined;
  /** 0 where neither the outputs nor the caller know. */
  readonly classCount: number;
}

/** More rows than that are no list of picked boxes. */
const mostPicked = 1000;
const anchorsPerCell = 3;

/**
 * Finds out how to read a model's outputs from their names and shapes.
 *
 * @throws RangeError telling the shapes, where they are none that is known
 *
 * @example
 * ```ts
 * findHead({ outputs: [{ name: 'output0', dims: [1, 84, 8400] }], input: { width: 640, height: 640 } });
 * // { name: 'yolov8', output: 'output0', classCount: 80 }
 * ```
 */
export function findHead(query: HeadQuery): Head {
  assertNames('findHead', query, ['outputs', 'input', 'classCount', 'head']);
  const pair = findPair(query);
  if (pair && isPairHead(query.head ?? pair.name)) return pair;
  const several = findSuppressed(query) ?? findMaps(query);
  if (several && several.name === (query.head ?? several.name)) return several;
  for (const { name, dims } of query.outputs) {
    if (dims.length !== 3) continue;
    const found = query.head ?? headOfShape(dims, query);
    if (!found || isPairHead(found)) continue;
    const inShape = classesInShape(found, dims);
    if (inShape < 0) continue;
    const classCount = query.classCount ?? inShape;
    if (found !== 'end-to-end' && (inShape < 1 || classCount > inShape)) continue;
    return { name: found, output: name, classCount };
  }
  const shapes = query.outputs.map(({ name, dims }) => `${name} [${dims.join(', ')}]`).join(', ');
  const classes = query.classCount ? ` with ${query.classCount} classes` : '';
  const known = Object.entries(headShapes).map(([name, shape]) => `${name} ${shape}`);
  const expected = query.head
    ? `of ${query.head}, ${headShapes[query.head]}${classes}`
    : `of a known layout${classes} (${known.join('; ')})`;
  throw new RangeError(`head: expected outputs ${expected}, got ${shapes}`);
}

/** Outputs with a place for each cell of a grid: one grid is FastestDet's, several are those of YOLOX. */
function findMaps({ outputs, input, classCount, head }: HeadQuery): Head | undefined {
  const maps = outputs.filter(({ dims }) => dims.length === 4);
  const [first] = maps;
  if (!first || maps.length !== outputs.length) return undefined;
  const inShape = first.dims[1]! - 5;
  const isAlike = maps.every(({ dims }) => dims[1] === first.dims[1] && isGrid(dims, input));
  if (!isAlike || inShape < 1 || (classCount ?? 1) > inShape) return undefined;
  const name = maps.length === 1 && head !== 'yolox-maps' ? 'fastestdet' : 'yolox-maps';
  const all = maps.map((map) => map.name);
  return { name, output: first.name, maps: all, classCount: classCount ?? inShape };
}

/** Whether the cells of a map are squares of the input. */
function isGrid([, , rows = 0, columns = 0]: readonly number[], { width, height }: Size): boolean {
  return rows > 0 && columns > 0 && width / columns === height / rows && width / columns >= 4;
}

function isPairHead(head: HeadName): boolean {
  return head === 'detr' || head === 'detr-softmax';
}

/** Names of the output with a box for each query. */
const queryBoxes = new Set(['pred_boxes', 'dets']);

/** Whether a model is of the DETR family, judged by the names of its outputs. */
export function hasQueries(outputs: readonly { readonly name: string }[]): boolean {
  return outputs.some(({ name }) => queryBoxes.has(name));
}

/** Two outputs, one with a box for each query and one with its scores. */
function findPair({ outputs, classCount, head }: HeadQuery): Head | undefined {
  const boxes = outputs.find(({ name }) => queryBoxes.has(name));
  const logits =
    outputs.find(({ name }) => name === 'logits') ?? outputs.find(({ name }) => name === 'labels');
  if (boxes?.dims.length !== 3 || boxes.dims[2] !== 4 || logits?.dims.length !== 3) return undefined;
  if (boxes.dims[1] !== logits.dims[1]) return undefined;
  const name = head === 'detr-softmax' ? head : 'detr';
  // The class for nothing isn't one of them.
  const inShape = name === 'detr' ? logits.dims[2]! : logits.dims[2]! - 1;
  if (inShape < 1) return undefined;
  return {
    name,
    output: logits.name,
    boxes: boxes.name,
    classCount: Math.min(classCount ?? inShape, inShape),
  };
}

function headOfShape(dims: readonly number[], { input, classCount }: HeadQuery): HeadName | undefined {
  const [, second = 0, third = 0] = dims;
  const hasGrid = gridStrides(second, input) !== undefined;
  const hasAnchors = gridStrides(second / anchorsPerCell, input) !== undefined;
  if (third === 6 && second <= mostPicked && !hasGrid && !hasAnchors) return 'end-to-end';
  // There are more places than channels in any input of a useful size.
  if (second < third) return second - 4 >= (classCount ?? 1) ? 'yolov8' : undefined;
  if (third - 5 < (classCount ?? 1)) return undefined;
  if (hasGrid) return 'yolox';
  return hasAnchors ? 'yolov5' : undefined;
}

/** Number of classes that fit into a shape; negative for the shape of another head. */
function classesInShape(head: HeadName, [, second = 0, third = 0]: readonly number[]): number {
  if (head === 'yolov8' || head === 'yolo26') return second - 4;
  if (head === 'end-to-end') return third === 6 ? 0 : -1;
  return head === 'yolov5' || head === 'yolox' ? third - 5 : -1;
}
