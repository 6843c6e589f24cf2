import type { OnnxGraph, OnnxNode } from './model.ts';
import { innerGraphs } from './value.ts';

/**
 * Drops the nodes and constants on which no output depends, and sorts the nodes: each comes after those whose results it takes.
 * Inputs stay.
 */
export function pruneGraph(graph: OnnxGraph): OnnxGraph {
  const producers = new Map<string, OnnxNode>();
  for (const node of graph.nodes) for (const name of node.outputs) producers.set(name, node);
  producers.delete('');
  const used = new Set<string>();
  const nodes: OnnxNode[] = [];
  const states = new Map<OnnxNode, 'open' | 'done'>();
  /** Names to visit, and below those that a node takes the node itself. */
  const stack: (string | OnnxNode)[] = graph.outputs.map(({ name }) => name).toReversed();
  for (let top = stack.pop(); top !== undefined; top = stack.pop()) {
    if (typeof top !== 'string') {
      states.set(top, 'done');
      nodes.push(top);
      continue;
    }
    used.add(top);
    const node = producers.get(top);
    const state = node && states.get(node);
    if (state === 'open') throw new RangeError(`graph: the node of ${top} depends on itself`);
    if (!node || state === 'done') continue;
    states.set(node, 'open');
    stack.push(node, ...dependencies(node).toReversed());
  }
  const initializers = graph.initializers.filter(({ name }) => used.has(name));
  return { ...graph, nodes, initializers, values: [] };
}

/** Names that a node takes, in the graphs of its attributes too. */
function dependencies(node: OnnxNode): readonly string[] {
  return [...node.inputs, ...capturedNames(node)];
}

/** Names that the graphs of a node's attributes take from the graph around them. */
export function capturedNames(node: OnnxNode): readonly string[] {
  return innerGraphs(node).flatMap(captured);
}

function captured({ nodes, initializers, inputs, outputs }: OnnxGraph): readonly string[] {
  const own = new Set([
    ...nodes.flatMap((node) => node.outputs),
    ...[...initializers, ...inputs].map(({ name }) => name),
  ]);
  const taken = [...nodes.flatMap(dependencies), ...outputs.map(({ name }) => name)];
  return taken.filter((name) => !own.has(name));
}
