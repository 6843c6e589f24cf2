import { integerOf } from './attributes.ts';
import { GraphIndex } from './graph-index.ts';
import type { OnnxGraph, OnnxValue } from './model.ts';
import { sizeAfter } from './projection-size.ts';
import { tensorValue } from './value.ts';

/**
 * Puts numbers for the heads and their size into the shapes of `past_key_values.*` and `present.*` where the graph has
 * names there: builders of graphs with `GroupQueryAttention` leave them open, but the sizes of the weights determine them.
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
