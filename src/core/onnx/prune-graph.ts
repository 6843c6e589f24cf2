import type { OnnxGraph, OnnxNode } from './model.ts';
import { innerGraphs } from './value.ts';

/**
 * Drops the nodes and constants on which no output depends, and sorts the nodes: each comes after those whose results it takes.
 * Inputs stay.
 */
export function pruneGraph(graph: OnnxGraph): OnnxGraph {
  const producers = new Map<string, OnnxNode>();
  for (const node of graph.nodes) for (const name of node.outputs) producers.set(name, node);
  const used = new Set<string>();
  const nodes: OnnxNode[] = [];
  const states = new Map<OnnxNode, 'open' | 'done'>();
  const stack: { readonly node: OnnxNode; readonly names: readonly string[]; next: number }[] = [];

  for (const { name } of graph.outputs) visit(name);
  return {
    ...graph,
    nodes,
    initializers: graph.initializers.filter(({ name }) => used.has(name)),
    values: [],
  };

  function visit(output: string): void {
    enter(output);
    while (stack.length > 0) {
      const top = stack.at(-1)!;
      if (top.next < top.names.length) {
        enter(top.names[top.next++]!);
        continue;
      }
      stack.pop();
      states.set(top.node, 'done');
      nodes.push(top.node);
    }
  }

  function enter(name: string): void {
    if (name === '') return;
    used.add(name);
    const node = producers.get(name);
    if (!node) return;
    const state = states.get(node);
    if (state === 'open') throw new RangeError(`graph: the node of ${name} depends on itself`);
    if (state === 'done') return;
    states.set(node, 'open');
    stack.push({ node, names: dependencies(node), next: 0 });
  }
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
