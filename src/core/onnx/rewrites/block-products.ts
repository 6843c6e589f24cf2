import { integerAttribute, integersAttribute, integersOf, nodeOf } from '../value.ts';
import { elementTypes } from '../element-types.ts';
import { contribDomain } from '../graph-draft.ts';
import type { OnnxAttribute, OnnxGraph, OnnxModel, OnnxNode, OnnxTensor } from '../model.ts';
import { int64Tensor } from '../tensor-values.ts';
import { int8Activations } from './accuracy-level.ts';
import { rewriteNodes, type Replacement, type Scope } from './rewrite-nodes.ts';

/** So many activations and weights of a row share a scale. */
export const blockSize = 32;

/** A product with weights of 8 bits that become floats before it. */
interface Product {
  readonly x: string;
  readonly weights: OnnxTensor;
  readonly isTransposed: boolean;
  readonly scale: string;
  readonly zeroPoint: string;
}

/** Operators take their axes as the rewrite writes them from this version on. */
const leastOpset = 18;

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
  const { version = 0 } = opsets.find(({ domain }) => domain === '') ?? {};
  if (version < leastOpset) return undefined;
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

/** Attributes of a `MatMulNBits` of rows of `size` numbers. */
export function blockAttributes(size: number, count: number, accuracyLevel: number): OnnxAttribute[] {
  const settings = { K: size, N: count, bits: 8, block_size: blockSize, accuracy_level: accuracyLevel };
  return Object.entries(settings).map(([name, value]) => integerAttribute(name, value));
}

/** @param y the product's name, from which those of what it needs are made */
function blockProduct({ x, weights, isTransposed, scale, zeroPoint }: Product, y: string): Replacement {
  const [rows, columns] = weights.dims as [number, number];
  const [size, count] = isTransposed ? [columns, rows] : [rows, columns];
  const blocks = size / blockSize;
  const initializers: OnnxTensor[] = [];
  const int64 = (what: string, values: readonly number[]): string => {
    initializers.push(int64Tensor(`${y}.${what}`, values));
    return `${y}.${what}`;
  };
  const float32 = (what: string, value: number): string => {
    const data = { place: 'inline', bytes: new Uint8Array(Float32Array.of(value).buffer) } as const;
    const name = `${y}.${what}`;
    initializers.push({ name, elementType: elementTypes.float32, dims: [], data, unknown: [] });
    return name;
  };
  const nodes: OnnxNode[] = [];
  const add = (
    operator: string,
    inputs: readonly string[],
    output: string,
    options?: Parameters<typeof nodeOf>[3],
  ): string => {
    nodes.push(nodeOf(operator, inputs, [output], options));
    return output;
  };
  const turn = { attributes: [integersAttribute('perm', [1, 0])] };
  const turned = isTransposed ? weights.name : add('Transpose', [weights.name], `${y}.turned`, turn);
  const byBlocks = add('Reshape', [turned, int64('shape', [count, blocks, blockSize])], `${y}.blocks`);
  const grid = int64('grid', [count, blocks]);
  const scales = add('Expand', [scale, grid], `${y}.scales`);
  const zeroPoints = add('Expand', [zeroPoint, grid], `${y}.zeros`);

  // Activations as the kernel rounds them, and the rest that it would lose, as two rows: together they are exact to 1e-4.
  const cut = add('Reshape', [x, int64('cut', [0, 0, blocks, blockSize])], `${y}.x`);
  const sizes = add('Abs', [cut], `${y}.sizes`);
  const largest = add('ReduceMax', [sizes, int64('axis', [-1])], `${y}.largest`);
  const unit = add(
    'Div',
    [add('Max', [largest, float32('least', 1e-30)], `${y}.some`), float32('steps', 127)],
    `${y}.unit`,
  );
  const rounded = add(
    'Mul',
    [add('Round', [add('Div', [cut, unit], `${y}.in`)], `${y}.whole`), unit],
    `${y}.rounded`,
  );
  const rest = add('Sub', [cut, rounded], `${y}.rest`);
  const first = int64('first', [0]);
  const both = [rounded, rest].map((name) => add('Unsqueeze', [name, first], `${name}.row`));
  const rows2 = add('Concat', both, `${y}.both`, { attributes: [integerAttribute('axis', 0)] });
  const joined = add('Reshape', [rows2, int64('joined', [2, 0, 0, size])], `${y}.activations`);
  const products = add('MatMulNBits', [joined, byBlocks, scales, zeroPoints], `${y}.products`, {
    attributes: blockAttributes(size, count, int8Activations),
    domain: contribDomain,
  });
  add('ReduceSum', [products, first], y, { attributes: [integerAttribute('keepdims', 0)] });
  return { nodes, initializers };
}
