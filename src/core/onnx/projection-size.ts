import { integerOf, tensorValue } from './value.ts';
import { follow, GraphIndex } from './graph-index.ts';
import type { OnnxNode, OnnxGraph, OnnxValue } from './model.ts';

/**
 * Replaces symbolic head counts and head sizes in the shapes of `past_key_values.*` and `present.*` by numbers:
 * builders of graphs with `GroupQueryAttention` leave them open, but the sizes of the weights determine them.
 */
export function resolveCacheSizes(graph: OnnxGraph): OnnxGraph {
  const index = new GraphIndex(graph);
  const sizes = new Map<string, readonly [heads: number, headSize: number]>();
  for (const node of graph.nodes) {
    if (node.operator !== 'GroupQueryAttention') continue;
    const heads = integerOf(node, 'num_heads');
    const keyValueHeads = integerOf(node, 'kv_num_heads');
    const size = sizeAfter(index, node.outputs[0]!);
    if (!heads || !keyValueHeads || size === undefined || size % heads !== 0) continue;
    for (const name of [...node.inputs.slice(3, 5), ...node.outputs.slice(1, 3)])
      sizes.set(name, [keyValueHeads, size / heads]);
  }
  const resolve = (value: OnnxValue): OnnxValue => {
    const size = sizes.get(value.name);
    const { name, dims, elementType } = value;
    if (!size || dims?.length !== 4 || elementType === undefined) return value;
    if (typeof dims[1] === 'number' && typeof dims[3] === 'number') return value;
    return tensorValue(name, elementType, [dims[0]!, size[0], dims[2]!, size[1]]);
  };
  return { ...graph, inputs: graph.inputs.map(resolve), outputs: graph.outputs.map(resolve) };
}

/** Element-wise products are gates. */
const between: ReadonlySet<string> = new Set(['Reshape', 'Cast', 'Identity', 'DynamicQuantizeLinear', 'Mul']);

/** Size of a value's last dimension, inferred from the weights that multiply it. */
export function sizeAfter(index: GraphIndex, name: string): number | undefined {
  return follow<number | undefined>(name, (at) => {
    const node = index.consumers(at).find(({ operator }) => operator !== 'Shape');
    const size = node && node.inputs[0] === at ? innerSize(index, node) : undefined;
    return size ?? (node && between.has(node.operator) ? node.outputs[0]! : undefined);
  });
}

/** Size of a value's last dimension, inferred from the weights of the product that makes it. */
export function sizeBefore(index: GraphIndex, name: string): number | undefined {
  return follow<number | undefined>(index.peel(name), (at) => {
    const node = index.producer(at);
    if (node?.operator === 'MatMul') return index.constant(node.inputs[1])?.dims.at(-1);
    if (node?.operator === 'MatMulNBits') return integerOf(node, 'N');
    return node && index.peel(index.variable(node));
  });
}

/** The size of a product's inner dimension. */
function innerSize(index: GraphIndex, node: OnnxNode): number | undefined {
  if (node.operator === 'MatMulNBits') return integerOf(node, 'K');
  const weight = index.constant(node.inputs[1])?.dims;
  if (weight?.length !== 2) return undefined;
  if (node.operator === 'MatMul' || node.operator === 'MatMulInteger') return weight[0];
  return node.operator === 'Gemm' ? weight[integerOf(node, 'transB') ? 1 : 0] : undefined;
}
