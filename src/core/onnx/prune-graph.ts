import type { OnnxGraph, OnnxNode } from './model.ts';
import { innerGraphs } from './value.ts';

/** Drops the nodes and constants that no output depends on, and sorts the nodes topologically. Inputs stay. */
export function pruneGraph(graph: OnnxGraph): OnnxGraph {
  const producers = new Map<string, OnnxNode>();
  for (const node of graph.nodes) for (const name of node.outputs) producers.set(name, node);
  producers.delete('');
  const used = new Set<string>();
  const nodes: OnnxNode[] = [];
  const states = new Map<OnnxNode, 'open' | 'done'>();
  /** Names to visit; a node itself is below the names of its inputs. */
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

/** A node's inputs, including inputs of the graphs in its attributes. */
function dependencies(node: OnnxNode): readonly string[] {
  return [...node.inputs, ...capturedNames(node)];
}

/** Names that the graphs in a node's attributes capture from the enclosing graph. */
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
