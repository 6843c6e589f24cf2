import { tensorOf } from './value.ts';
import type { OnnxGraph } from './model.ts';

/** Converts `Constant` nodes with a tensor to initializers: these may be in separate files, and no step runs them. */
export function liftConstants(graph: OnnxGraph): OnnxGraph {
  const lifted = graph.nodes.flatMap((node) => {
    const value = node.operator === 'Constant' && node.domain === '' ? tensorOf(node, 'value') : undefined;
    return value ? [{ node, tensor: { ...value, name: node.outputs[0]! } }] : [];
  });
  const nodes = new Set(lifted.map(({ node }) => node));
  return {
    ...graph,
    nodes: graph.nodes.filter((node) => !nodes.has(node)),
    initializers: [...graph.initializers, ...lifted.map(({ tensor }) => tensor)],
  };
}
