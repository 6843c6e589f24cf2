import type { GraphIndex } from '../graph-index.ts';
import type { OnnxGraph, OnnxNode } from '../model.ts';
import { integerAttribute, integerOf, integersAttribute, integersOf } from '../value.ts';
import { rewriteNodes } from './rewrite-nodes.ts';
import { windowOf } from './spatial-convolutions.ts';

/** Exporters end a slice here to include the last row. */
const minEnd = 2 ** 31 - 1;
const [rows, columns] = [2, 3];

/**
 * Makes a convolution of every second row and column, with the rest as additional channels (the focus of YOLOX and YOLOv5), a
 * convolution of the whole image with twice the stride. Only the order of sums changes.
 */
export function toWholePixels(graph: OnnxGraph): OnnxGraph | undefined {
  return rewriteNodes(graph, (node, draft, index) => {
    const weights = node.inputs[1]!;
    const [filters, channels, height, width] = index.constant(weights)?.dims ?? [];
    const found = node.operator === 'Conv' && isPlain(node) ? matchParts(index, node.inputs[0]!) : undefined;
    if (!found || width === undefined) return false;
    const { image, step, order } = found;
    const reshape = (name: string, to: readonly number[]): string =>
      draft.add('Reshape', [name, draft.int64(to)]);
    const split = reshape(weights, [filters!, order.length, channels! / order.length, height!, width]);
    const sorted = draft.add('Gather', [split, draft.int64(order)], {
      attributes: [integerAttribute('axis', 1)],
    });
    const placed = draft.add('Transpose', [reshape(sorted, [filters!, step, step, -1, height!, width])], {
      attributes: [integersAttribute('perm', [0, 3, 4, 1, 5, 2])],
    });
    const kernel = reshape(placed, [filters!, -1, height! * step, width * step]);
    const enlarged = (name: string, unset: readonly number[]) =>
      integersAttribute(
        name,
        (integersOf(node, name) ?? unset).map((size) => size * step),
      );
    draft.add('Conv', [image, kernel, ...node.inputs.slice(2)], {
      attributes: [enlarged('strides', [1, 1]), enlarged('pads', [0, 0, 0, 0])],
      outputs: node.outputs,
    });
    return true;
  });
}

function isPlain(node: OnnxNode): boolean {
  const dilations = integersOf(node, 'dilations') ?? [];
  return windowOf(node)?.groups === 1 && dilations.every((dilation) => dilation === 1);
}

/** The image whose parts are joined as channels, each once. @returns `order` the part of each place, row by row */
function matchParts(index: GraphIndex, name: string) {
  const joined = index.producer(name, 'Concat');
  if (!joined || integerOf(joined, 'axis') !== 1) return undefined;
  const parts = joined.inputs.map((input) => matchPart(index, input));
  const [first] = parts;
  if (!first || parts.length !== first.step ** 2) return undefined;
  const { image, step } = first;
  const places = parts.map((part) => (part?.image === image && part.step === step ? part.place : -1));
  const order = places.map((_, place) => places.indexOf(place));
  return order.includes(-1) ? undefined : { image, step, order };
}

/** Every `step`-th row and column of an image. */
function matchPart(index: GraphIndex, name: string) {
  const starts = new Map<number, number>();
  let [image, step] = [name, 0];
  for (let slice; (slice = index.producer(image, 'Slice')); image = slice.inputs[0]!) {
    const [first = [], ends = [], axes = [], steps = []] = slice.inputs
      .slice(1)
      .map((input) => index.values(input));
    if (axes.length === 0) return undefined;
    for (const [at, axis] of axes.entries()) {
      step ||= steps[at] ?? 0;
      if (starts.has(axis) || ends[at]! < minEnd || step < 2 || steps[at] !== step) return undefined;
      starts.set(axis, first[at]!);
    }
  }
  const [row = -1, column = -1] = [starts.get(rows), starts.get(columns)];
  const isInside = starts.size === 2 && Math.min(row, column) >= 0 && Math.max(row, column) < step;
  return isInside ? { image, step, place: row * step + column } : undefined;
}
