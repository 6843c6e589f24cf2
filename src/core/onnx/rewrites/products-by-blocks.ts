import { elementTypes } from '../element-types.ts';
import { contribDomain, operatorsVersion, type GraphDraft } from '../graph-draft.ts';
import type { GraphIndex } from '../graph-index.ts';
import type { OnnxGraph, OnnxModel, OnnxTensor } from '../model.ts';
import { int8Activations } from './accuracy-level.ts';
import { rewriteNodes } from './rewrite-nodes.ts';
import { flipSigns, minOpset } from './signed-weights.ts';
import { blockAttributes } from './two-stage-scores.ts';

/** Rows that aren't divisible into blocks, as in narrow models, take too long and gain nothing. */
const blockSize = 256;

/** A product with activations that are quantized to 8 bits at run time. */
interface Product {
  readonly x: string;
  readonly weights: OnnxTensor;
  /** Names of constants with one number for all weights, or one per column. */
  readonly scale: string;
  readonly zeroPoint: string;
}

/**
 * Quantizes the activations of products with 8-bit weights per row and block. `DynamicQuantizeLinear` uses one scale
 * for all rows: a few rows with large values, such as the first token's, leave too few levels for the rest.
 *
 * @returns `undefined` without matching products
 */
export function multiplyByBlocks({
  graph,
  opsets,
}: Pick<OnnxModel, 'graph' | 'opsets'>): OnnxGraph | undefined {
  if (operatorsVersion(opsets) < minOpset) return undefined;
  return rewriteNodes(graph, ({ operator, inputs, outputs }, draft, index) => {
    const product = operator === 'Mul' ? readProduct(inputs, index) : undefined;
    if (product) multiply(draft, product, outputs);
    return product !== undefined;
  });
}

/** Matches the nodes that `quantize_dynamic` makes of a product; the last one multiplies by both scales. */
function readProduct([sum, scales]: readonly string[], index: GraphIndex): Product | undefined {
  const cast = index.producer(sum, 'Cast');
  const product = index.producer(cast?.inputs[0], 'MatMulInteger');
  const [bytes, matrix, zeroX, zeroPoint = ''] = product?.inputs ?? [];
  const rounding = index.producer(bytes, 'DynamicQuantizeLinear');
  const [scaleX, scale = ''] = index.producer(scales, 'Mul')?.inputs ?? [];
  const weights = index.constant(matrix);
  if (!rounding || !weights || weights.dims.length !== 2) return undefined;
  if (rounding.outputs[1] !== scaleX || rounding.outputs[2] !== zeroX) return undefined;
  if (weights.dims[0]! % blockSize !== 0 || !index.constant(scale) || !index.constant(zeroPoint))
    return undefined;
  return { x: rounding.inputs[0]!, weights, scale, zeroPoint };
}

function multiply(
  draft: GraphDraft,
  { x, weights, scale, zeroPoint }: Product,
  outputs: readonly string[],
): void {
  const [size, count] = weights.dims as [number, number];
  const blocks = size / blockSize;
  const unsigned = (name: string): string =>
    weights.elementType === elementTypes.int8 ? flipSigns(draft, name, elementTypes.uint8) : name;
  const columns = draft.add('Transpose', [unsigned(weights.name)]);
  const bytes = draft.add('Reshape', [columns, draft.int64([count, blocks, blockSize])]);
  const forBlocks = (name: string): string =>
    draft.add('Expand', [draft.add('Reshape', [name, draft.int64([-1, 1])]), draft.int64([count, blocks])]);
  const inputs = [x, bytes, forBlocks(scale), forBlocks(unsigned(zeroPoint))];
  const attributes = blockAttributes(size, count, int8Activations, blockSize);
  draft.add('MatMulNBits', inputs, { attributes, domain: contribDomain, outputs });
}
