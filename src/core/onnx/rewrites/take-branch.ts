import type { OnnxGraph } from '../model.ts';
import { capturedNames, pruneGraph } from '../prune-graph.ts';
import { nodeOf } from '../value.ts';

/**
 * Inlines one branch of an `If`, which would copy its inputs and outputs, and compute nodes that only the opposite branch
 * needs. Outputs that are constant in the branch, and inputs that it doesn't use, are dropped.
 * @returns `undefined` if the graph has no `If` on this input
 */
export function takeBranch(graph: OnnxGraph, condition: string, isTrue: boolean): OnnxGraph | undefined {
  const fork = graph.nodes.find(({ operator, inputs }) => operator === 'If' && inputs[0] === condition);
  const name = isTrue ? 'then_branch' : 'else_branch';
  const branch = fork?.attributes.find((attribute) => attribute.name === name)?.value;
  if (branch?.type !== 'graph') return undefined;
  const { nodes, initializers, outputs } = branch.value;
  const results = new Map(fork!.outputs.map((output, index) => [output, outputs[index]!.name]));
  const all = [...graph.initializers, ...initializers];
  const constants = new Set(all.map((tensor) => tensor.name));
  const renamed = [...results].filter(([output, inside]) => output !== '' && output !== inside);
  const whole = pruneGraph({
    ...graph,
    nodes: [
      ...graph.nodes.filter((node) => node !== fork),
      ...nodes,
      ...renamed.map(([output, inside]) => nodeOf('Identity', [inside], [output])),
    ],
    initializers: all,
    outputs: graph.outputs.filter((output) => !constants.has(results.get(output.name) ?? '')),
  });
  const taken = new Set(whole.nodes.flatMap((node) => [...node.inputs, ...capturedNames(node)]));
  return { ...whole, inputs: whole.inputs.filter((input) => taken.has(input.name)) };
}
