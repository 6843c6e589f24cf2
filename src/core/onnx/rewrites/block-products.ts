import { integerAttribute, integersAttribute, integersOf } from '../value.ts';
import { elementTypes } from '../element-types.ts';
import type { OnnxGraph, OnnxModel, OnnxNode, OnnxTensor } from '../model.ts';
import { addBlockProduct, blockSize, leastOpset, addUnits } from './block-rounding.ts';
import { operatorsVersion } from '../graph-draft.ts';
import { ReplacementDraft } from './replacement-draft.ts';
import { rewriteNodes, type Replacement, type Scope } from './rewrite-nodes.ts';

/** A product with weights of 8 bits that become floats before it. */
interface Product {
  readonly x: string;
  readonly weights: OnnxTensor;
  readonly isTransposed: boolean;
  readonly scale: string;
  readonly zeroPoint: string;
}

/**
 * Computes products whose weights of 8 bits become floats at every run by `MatMulNBits`, in the branches of a graph too. Quantized decoders
 * have one where the table of tokens is the last product as well. The runtime lays the weights out anew at load.
 *
 * @returns nothing where there are no such products
 */
export function computeByBlocks({
  graph,
  opsets,
}: Pick<OnnxModel, 'graph' | 'opsets'>): OnnxGraph | undefined {
  if (operatorsVersion(opsets) < leastOpset) return undefined;
  return rewriteNodes(graph, (node, scope) => {
    const product = readProduct(node, scope);
    return product && blockProduct(product, node.outputs[0]!);
  });
}

function readProduct(node: OnnxNode, scope: Scope): Product | undefined {
  const [x, floats] = node.inputs;
  const dequantize = node.operator === 'MatMul' ? scope.producer(floats, 'DequantizeLinear') : undefined;
  const [quantized, scale, zeroPoint] = dequantize?.inputs ?? [];
  const transpose = scope.producer(quantized, 'Transpose');
  if (transpose && (integersOf(transpose, 'perm') ?? [1, 0]).join() !== '1,0') return undefined;
  const weights = scope.constant(transpose ? transpose.inputs[0] : quantized);
  if (weights?.elementType !== elementTypes.uint8 || weights.dims.length !== 2) return undefined;
  const size = weights.dims[transpose ? 1 : 0]!;
  const isWhole = [scale, zeroPoint].every((name) => scope.constant(name)?.dims.every((dim) => dim === 1));
  if (!isWhole || size % blockSize !== 0) return undefined;
  return { x: x!, weights, isTransposed: transpose !== undefined, scale: scale!, zeroPoint: zeroPoint! };
}

/** @param y the product's name, from which those of what it needs are made */
function blockProduct({ x, weights, isTransposed, scale, zeroPoint }: Product, y: string): Replacement {
  const [rows, columns] = weights.dims as [number, number];
  const [size, count] = isTransposed ? [columns, rows] : [rows, columns];
  const blocks = size / blockSize;
  const draft = new ReplacementDraft(y);
  const turn = [integersAttribute('perm', [1, 0])];
  const turned = isTransposed ? weights.name : draft.add('turned', 'Transpose', [weights.name], turn);
  const byBlocks = draft.add('blocks', 'Reshape', [turned, draft.int64('shape', [count, blocks, blockSize])]);
  const grid = draft.int64('grid', [count, blocks]);
  const scales = draft.add('scales', 'Expand', [scale, grid]);
  const zeroPoints = draft.add('zeros', 'Expand', [zeroPoint, grid]);

  // Activations as the kernel rounds them, and the rest that it would lose, as two rows: together they are exact to 1e-4.
  const cut = draft.add('x', 'Reshape', [x, draft.int64('cut', [0, 0, blocks, blockSize])]);
  const unit = addUnits(draft, cut);
  const whole = draft.add('whole', 'Round', [draft.add('in', 'Div', [cut, unit])]);
  const rounded = draft.add('rounded', 'Mul', [whole, unit]);
  const rest = draft.add('rest', 'Sub', [cut, rounded]);
  const first = draft.int64('first', [0]);
  const both = [rounded, rest].map((name, row) => draft.add(`row${row}`, 'Unsqueeze', [name, first]));
  const rows2 = draft.add('both', 'Concat', both, [integerAttribute('axis', 0)]);
  const joined = draft.add('activations', 'Reshape', [rows2, draft.int64('joined', [2, 0, 0, size])]);
  const products = addBlockProduct(draft, [joined, byBlocks, scales, zeroPoints], { size, count });
  draft.finish('ReduceSum', [products, first], [integerAttribute('keepdims', 0)]);
  return draft;
}
