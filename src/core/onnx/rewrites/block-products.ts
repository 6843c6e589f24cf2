import { integerAttribute, integersAttribute, integersOf } from '../attributes.ts';
import { elementTypes } from '../element-types.ts';
import { contribDomain } from '../graph-draft.ts';
import { GraphIndex } from '../graph-index.ts';
import type { OnnxAttribute, OnnxGraph, OnnxNode, OnnxTensor } from '../model.ts';
import { pruneGraph } from '../prune-graph.ts';
import { int64Tensor } from '../tensor-values.ts';
import { int8Activations } from './accuracy-level.ts';

/** Activations and weights of so many columns share a scale. */
const blockSize = 64;

/** A product with weights of 8 bits. */
interface Product {
  readonly x: string;
  readonly weights: OnnxTensor;
  readonly isTransposed: boolean;
  readonly scale: string;
  readonly zeroPoint: string | undefined;
}

/** A graph, and those around it. */
class Scope {
  readonly #own: GraphIndex;
  readonly #outer: Scope | undefined;

  constructor(graph: OnnxGraph, outer?: Scope) {
    this.#own = new GraphIndex(graph);
    this.#outer = outer;
  }

  producer(name: string | undefined, operator: string): OnnxNode | undefined {
    return this.#own.producer(name, operator) ?? this.#outer?.producer(name, operator);
  }

  constant(name: string | undefined): OnnxTensor | undefined {
    return this.#own.constant(name) ?? this.#outer?.constant(name);
  }
}

/**
 * Computes products with weights of 8 bits by `MatMulNBits`, in the branches of a graph too. Dynamic quantization has one scale for all
 * activations of a tensor, and leaves the table of tokens to be made floats at every run, where it is the last product as well.
 * Weights stay where they are; the runtime lays them out anew at load.
 *
 * @returns nothing where there are no such products
 */
export function computeByBlocks(graph: OnnxGraph): OnnxGraph | undefined {
  const rewritten = rewrite(graph, undefined);
  return rewritten && pruneGraph(rewritten);
}

function rewrite(graph: OnnxGraph, outer: Scope | undefined): OnnxGraph | undefined {
  const scope = new Scope(graph, outer);
  const initializers = [...graph.initializers];
  let isChanged = false;
  const nodes = graph.nodes.flatMap((node): readonly OnnxNode[] => {
    const product = readProduct(node, scope);
    if (product) {
      isChanged = true;
      const made = blockProduct(product, node.outputs[0]!);
      initializers.push(...made.initializers);
      return made.nodes;
    }
    const attributes = node.attributes.map((attribute): OnnxAttribute => {
      const { value } = attribute;
      const inner = value.type === 'graph' ? rewrite(value.value, scope) : undefined;
      return inner ? { ...attribute, value: { type: 'graph', value: pruneGraph(inner) } } : attribute;
    });
    if (attributes.every((attribute, index) => attribute === node.attributes[index])) return [node];
    isChanged = true;
    return [{ ...node, attributes }];
  });
  return isChanged ? { ...graph, nodes, initializers } : undefined;
}

function readProduct(node: OnnxNode, scope: Scope): Product | undefined {
  const product =
    node.operator === 'MatMul' ? readFloatProduct(node, scope) : readIntegerProduct(node, scope);
  const [rows = 0, columns = 0] = product?.weights.dims ?? [];
  return (product?.isTransposed ? columns : rows) % blockSize === 0 ? product : undefined;
}

/** Activations are quantized, and the product, of whole numbers, is scaled: by a `Mul`. */
function readIntegerProduct(node: OnnxNode, scope: Scope): Product | undefined {
  if (node.operator !== 'Mul') return undefined;
  for (const [whole, factor] of [node.inputs, node.inputs.toReversed()]) {
    const product = scope.producer(scope.producer(whole, 'Cast')?.inputs[0], 'MatMulInteger');
    const scales = scope.producer(factor, 'Mul')?.inputs ?? [];
    if (!product) continue;
    const [activations, name, , zeroPoint] = product.inputs;
    const quantize = scope.producer(activations, 'DynamicQuantizeLinear');
    const scale = scales.find((input) => input !== quantize?.outputs[1]);
    const weights = readWeights(name, scope);
    if (!quantize || !scale || scales.length !== 2 || !scales.includes(quantize.outputs[1]!) || !weights)
      continue;
    if (!isConstant(scale, scope) || !isConstant(zeroPoint, scope)) continue;
    return { x: quantize.inputs[0]!, weights, isTransposed: false, scale, zeroPoint };
  }
  return undefined;
}

/** Weights become floats before the product. */
function readFloatProduct({ inputs: [x, name] }: OnnxNode, scope: Scope): Product | undefined {
  const dequantize = scope.producer(name, 'DequantizeLinear');
  if (!dequantize) return undefined;
  const [quantized, scale, zeroPoint] = dequantize.inputs;
  const transpose = scope.producer(quantized, 'Transpose');
  if (transpose && (integersOf(transpose, 'perm') ?? [1, 0]).join() !== '1,0') return undefined;
  const weights = readWeights(transpose ? transpose.inputs[0] : quantized, scope);
  const scaleDims = scope.constant(scale)?.dims;
  if (!weights || !scaleDims || scaleDims.some((dim) => dim !== 1) || !isConstant(zeroPoint, scope))
    return undefined;
  return { x: x!, weights, isTransposed: transpose !== undefined, scale: scale!, zeroPoint };
}

function readWeights(name: string | undefined, scope: Scope): OnnxTensor | undefined {
  const weights = scope.constant(name);
  const isByte = weights?.elementType === elementTypes.uint8 || weights?.elementType === elementTypes.int8;
  return isByte && weights.dims.length === 2 ? weights : undefined;
}

function isConstant(name: string | undefined, scope: Scope): boolean {
  return name === undefined || name === '' || scope.constant(name) !== undefined;
}

/** @param y the product's name, from which those of what it needs are made */
function blockProduct({ x, weights, isTransposed, scale, zeroPoint }: Product, y: string) {
  const [rows, columns] = weights.dims as [number, number];
  const [size, count] = isTransposed ? [columns, rows] : [rows, columns];
  const nodes: OnnxNode[] = [];
  const initializers: OnnxTensor[] = [];
  const add = (
    operator: string,
    inputs: readonly string[],
    output: string,
    attributes: readonly OnnxAttribute[] = [],
    domain = '',
  ): string => {
    nodes.push({ name: '', operator, domain, inputs, outputs: [output], attributes, unknown: [] });
    return output;
  };
  const constant = (tensor: OnnxTensor): string => {
    initializers.push(tensor);
    return tensor.name;
  };
  const isSigned = weights.elementType === elementTypes.int8;
  /** Bytes without a sign, which the operator wants. */
  const unsigned = (name: string): string => {
    if (!isSigned) return name;
    const wide = add('Cast', [name], `${y}.${name}.wide`, [integerAttribute('to', elementTypes.int64)]);
    const offset = constant(int64Tensor(`${y}.${name}.offset`, [128], []));
    const moved = add('Add', [wide, offset], `${y}.${name}.moved`);
    return add('Cast', [moved], `${y}.${name}.unsigned`, [integerAttribute('to', elementTypes.uint8)]);
  };
  const turned = isTransposed
    ? weights.name
    : add('Transpose', [weights.name], `${y}.turned`, [integersAttribute('perm', [1, 0])]);
  const blocks = size / blockSize;
  const shape = constant(int64Tensor(`${y}.shape`, [count, blocks, blockSize]));
  const grid = constant(int64Tensor(`${y}.grid`, [count, blocks]));
  const column = constant(int64Tensor(`${y}.column`, [-1, 1]));
  const spread = (name: string, what: string): string =>
    add('Expand', [add('Reshape', [name, column], `${y}.${what}.column`), grid], `${y}.${what}`);
  const byBlocks = add('Reshape', [unsigned(turned), shape], `${y}.blocks`);
  const zero =
    zeroPoint === undefined || zeroPoint === ''
      ? constant({
          name: `${y}.zero`,
          elementType: elementTypes.uint8,
          dims: [1],
          data: { place: 'inline', bytes: Uint8Array.of(isSigned ? 128 : 0) },
          unknown: [],
        })
      : unsigned(zeroPoint);
  add(
    'MatMulNBits',
    [x, byBlocks, spread(scale, 'scales'), spread(zero, 'zeros')],
    y,
    [
      integerAttribute('K', size),
      integerAttribute('N', count),
      integerAttribute('bits', 8),
      integerAttribute('block_size', blockSize),
      integerAttribute('accuracy_level', int8Activations),
    ],
    contribDomain,
  );
  return { nodes, initializers };
}
