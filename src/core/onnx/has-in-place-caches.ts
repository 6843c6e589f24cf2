import { isPastKeyOrValue, isPastState, presentName } from './cache-names.ts';
import { GraphIndex } from './graph-index.ts';
import type { OnnxGraph } from './model.ts';
import { capturedNames } from './prune-graph.ts';

/** Input index of past keys and values of `GroupQueryAttention`, and output index of all keys and values. */
const places = new Map([
  [3, 1],
  [4, 2],
]);
/** Operators that count the ones or the slots of a mask. */
const counting: ReadonlySet<string> = new Set(
  'Add Cast Identity ReduceSum Reshape Squeeze Sub Unsqueeze'.split(' '),
);

/**
 * Whether each `past_key_values.*` is only consumed by a `GroupQueryAttention` that also produces the `present.*`: only
 * then may both be one tensor with spare capacity. Graphs with states of a fixed size must use their mask only for
 * attention: otherwise they blank out tokens by it, and expect the new ones in its last slots.
 */
export function hasInPlaceCaches(graph: OnnxGraph): boolean {
  const { inputs, nodes } = graph;
  const pasts = new Set(inputs.filter(isPastKeyOrValue).map(({ name }) => name));
  const found = new Set<string>();
  for (const node of nodes) {
    const { operator, inputs: operands, outputs: results } = node;
    if (capturedNames(node).some((name) => pasts.has(name))) return false;
    for (const [position, name] of operands.entries()) {
      if (!pasts.has(name)) continue;
      const result = operator === 'GroupQueryAttention' ? places.get(position) : undefined;
      if (result === undefined || found.has(name)) return false;
      if (results[result] !== presentName(name)) return false;
      found.add(name);
    }
  }
  if (pasts.size === 0 || found.size !== pasts.size) return false;
  return !inputs.some(isPastState) || takesMaskForAttention(graph);
}

function takesMaskForAttention(graph: OnnxGraph): boolean {
  const index = new GraphIndex(graph);
  const captured = new Set(graph.nodes.flatMap(capturedNames));
  const open = ['attention_mask'];
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    if (captured.has(name)) return false;
    for (const { operator, outputs } of index.consumers(name)) {
      if (operator === 'GroupQueryAttention' || operator === 'Shape') continue;
      if (!counting.has(operator)) return false;
      open.push(...outputs);
    }
  }
  return true;
}
