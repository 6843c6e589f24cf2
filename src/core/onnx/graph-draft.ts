import { elementTypes } from './element-types.ts';
import { getOrCreate } from '../get-or-create.ts';
import type { OnnxGraph, OnnxModel, OnnxNode, OnnxTensor, OnnxValue } from './model.ts';
import { pruneGraph } from './prune-graph.ts';
import { inlineTensor, int64Tensor } from './tensor-values.ts';
import { innerGraphs, integerAttribute, nodeOf, type NodeParts } from './value.ts';

/** Domain of the operators that onnxruntime adds to ONNX. */
export const contribDomain = 'com.microsoft';

/** Imports of a model with that domain among them. */
export function withContribDomain(opsets: OnnxModel['opsets']): OnnxModel['opsets'] {
  const hasContrib = opsets.some(({ domain }) => domain === contribDomain);
  return hasContrib ? opsets : [...opsets, { domain: contribDomain, version: 1 }];
}

/** Version of ONNX's own operators that a model imports; 0 for none. */
export function operatorsVersion(opsets: OnnxModel['opsets']): number {
  return opsets.find(({ domain }) => domain === '' || domain === 'ai.onnx')?.version ?? 0;
}

/** Names that are added to graphs start so. */
const prefix = 'slashv1.';

/** A graph that is being changed; the graph that it came from stays as it is. */
export type GraphDraft = ReturnType<typeof createGraphDraft>;

/** @param names of all values that there are, for a graph within others */
export function createGraphDraft(graph: OnnxGraph, names = new Set(namesIn(graph))) {
  const removed = new Set<OnnxNode>();
  const replaced = new Map<OnnxNode, OnnxNode>();
  const redirected = new Map<string, string>();
  const constants = new Map<string, string>();
  const addedNodes: OnnxNode[] = [];
  const addedConstants: OnnxTensor[] = [];
  const addedInputs: OnnxValue[] = [];
  const setOutputs = new Map<string, OnnxValue>();

  /** A name that no value has. */
  function name(stem: string): string {
    let free = `${prefix}${stem}`;
    for (let count = 2; names.has(free); count++) free = `${prefix}${stem}.${count}`;
    names.add(free);
    return free;
  }

  /** Adds a node. */
  function add(
    operator: string,
    inputs: readonly string[],
    {
      outputs = [name(operator)],
      ...parts
    }: NodeParts & { readonly outputs?: readonly string[] | undefined } = {},
  ): string {
    addedNodes.push(nodeOf(operator, inputs, outputs, parts));
    return outputs[0]!;
  }

  return {
    names,
    name,
    add,
    remove: (node: OnnxNode) => removed.add(node),
    replace: (node: OnnxNode, replacement: OnnxNode) => replaced.set(node, replacement),
    /** Lets all nodes of the original graph that take one value take another. */
    redirect: (from: string, to: string) => redirected.set(from, to),
    addInput: (input: OnnxValue) => addedInputs.push(input),
    /** Adds an output, or describes one anew. */
    setOutput: (output: OnnxValue) => setOutputs.set(output.name, output),

    /** A constant of int64 numbers, of one dimension if `dims` is left out; equal ones share a name. */
    int64(values: readonly number[], dims = [values.length]): string {
      const key = `${values.join('_')}x${dims.join('_')}`;
      return getOrCreate(constants, key, () => {
        const constant = name(`int64.${key}`);
        addedConstants.push(int64Tensor(constant, values, dims));
        return constant;
      });
    },

    /** A constant of one float32 number. */
    float32(value: number): string {
      const constant = name('float32');
      const bytes = new Uint8Array(Float32Array.of(value).buffer);
      addedConstants.push(inlineTensor(constant, elementTypes.float32, [], bytes));
      return constant;
    },
    /** Adds a node that gives a value another type. */
    cast(input: string, elementType: number, outputs?: readonly string[]): string {
      return add('Cast', [input], { attributes: [integerAttribute('to', elementType)], outputs });
    },

    /** The changed graph, without what became useless. */
    finish(): OnnxGraph {
      const redirect = (value: string) => redirected.get(value) ?? value;
      const moved = (node: OnnxNode): OnnxNode => {
        const isMoved = node.inputs.some((input) => redirected.has(input));
        return isMoved ? { ...node, inputs: node.inputs.map(redirect) } : node;
      };
      const kept = graph.nodes
        .filter((node) => !removed.has(node))
        .map((node) => moved(replaced.get(node) ?? node));
      const before = graph.outputs.map((output) => setOutputs.get(output.name) ?? output);
      return pruneGraph({
        ...graph,
        nodes: [...kept, ...addedNodes],
        initializers: [...graph.initializers, ...addedConstants],
        inputs: [...graph.inputs, ...addedInputs],
        outputs: [...new Set([...before, ...setOutputs.values()])],
      });
    },
  };
}

/** Names of values, also of those in the graphs of attributes. */
function namesIn({ nodes, initializers, inputs }: OnnxGraph): readonly string[] {
  return [
    ...nodes.flatMap((node) => [...node.outputs, ...innerGraphs(node).flatMap(namesIn)]),
    ...[...initializers, ...inputs].map((value) => value.name),
  ];
}
