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
export class GraphDraft {
  /** Names of all values that there are. */
  readonly names: Set<string>;
  readonly #graph: OnnxGraph;
  readonly #removed = new Set<OnnxNode>();
  readonly #replaced = new Map<OnnxNode, OnnxNode>();
  readonly #redirected = new Map<string, string>();
  readonly #constants = new Map<string, string>();
  readonly #addedNodes: OnnxNode[] = [];
  readonly #addedConstants: OnnxTensor[] = [];
  readonly #addedInputs: OnnxValue[] = [];
  readonly #setOutputs = new Map<string, OnnxValue>();

  /** @param names of all values that there are, for a graph within others */
  constructor(graph: OnnxGraph, names = new Set(namesIn(graph))) {
    this.#graph = graph;
    this.names = names;
  }

  /** A name that no value has. */
  name(stem: string): string {
    let free = `${prefix}${stem}`;
    for (let count = 2; this.names.has(free); count++) free = `${prefix}${stem}.${count}`;
    this.names.add(free);
    return free;
  }

  add(
    operator: string,
    inputs: readonly string[],
    {
      outputs = [this.name(operator)],
      ...parts
    }: NodeParts & { readonly outputs?: readonly string[] | undefined } = {},
  ): string {
    this.#addedNodes.push(nodeOf(operator, inputs, outputs, parts));
    return outputs[0]!;
  }

  remove(node: OnnxNode): void {
    this.#removed.add(node);
  }

  replace(node: OnnxNode, replacement: OnnxNode): void {
    this.#replaced.set(node, replacement);
  }

  /** Lets all nodes of the original graph that take one value take another. */
  redirect(from: string, to: string): void {
    this.#redirected.set(from, to);
  }

  addInput(input: OnnxValue): void {
    this.#addedInputs.push(input);
  }

  /** Adds an output, or describes one anew. */
  setOutput(output: OnnxValue): void {
    this.#setOutputs.set(output.name, output);
  }

  /** A constant of int64 numbers, of one dimension if `dims` is left out; equal ones share a name. */
  int64(values: readonly number[], dims = [values.length]): string {
    const key = `${values.join('_')}x${dims.join('_')}`;
    return getOrCreate(this.#constants, key, () => {
      const constant = this.name(`int64.${key}`);
      this.#addedConstants.push(int64Tensor(constant, values, dims));
      return constant;
    });
  }

  /** A constant of one float32 number. */
  float32(value: number): string {
    const constant = this.name('float32');
    const bytes = new Uint8Array(Float32Array.of(value).buffer);
    this.#addedConstants.push(inlineTensor(constant, elementTypes.float32, [], bytes));
    return constant;
  }

  /** Adds a node that gives a value another type. */
  cast(input: string, elementType: number, outputs?: readonly string[]): string {
    return this.add('Cast', [input], { attributes: [integerAttribute('to', elementType)], outputs });
  }

  /** The changed graph, without what became useless. */
  finish(): OnnxGraph {
    const graph = this.#graph;
    const redirect = (value: string) => this.#redirected.get(value) ?? value;
    const moved = (node: OnnxNode): OnnxNode => {
      const isMoved = node.inputs.some((input) => this.#redirected.has(input));
      return isMoved ? { ...node, inputs: node.inputs.map(redirect) } : node;
    };
    const kept = graph.nodes
      .filter((node) => !this.#removed.has(node))
      .map((node) => moved(this.#replaced.get(node) ?? node));
    const before = graph.outputs.map((output) => this.#setOutputs.get(output.name) ?? output);
    return pruneGraph({
      ...graph,
      nodes: [...kept, ...this.#addedNodes],
      initializers: [...graph.initializers, ...this.#addedConstants],
      inputs: [...graph.inputs, ...this.#addedInputs],
      outputs: [...new Set([...before, ...this.#setOutputs.values()])],
    });
  }
}

/** Names of values, also of those in the graphs of attributes. */
function namesIn({ nodes, initializers, inputs }: OnnxGraph): readonly string[] {
  return [
    ...nodes.flatMap((node) => [...node.outputs, ...innerGraphs(node).flatMap(namesIn)]),
    ...[...initializers, ...inputs].map((value) => value.name),
  ];
}
