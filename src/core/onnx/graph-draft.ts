import { getOrCreate } from '../get-or-create.ts';
import type { OnnxAttribute, OnnxGraph, OnnxModel, OnnxNode, OnnxTensor, OnnxValue } from './model.ts';
import { pruneGraph } from './prune-graph.ts';
import { int64Tensor } from './tensor-values.ts';
import { integerAttribute, nodeOf } from './value.ts';

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
  readonly #graph: OnnxGraph;
  readonly #names: Set<string>;
  readonly #removed = new Set<OnnxNode>();
  readonly #replaced = new Map<OnnxNode, OnnxNode>();
  readonly #redirected = new Map<string, string>();
  readonly #constants = new Map<string, string>();
  readonly #added: OnnxNode[] = [];
  readonly #initializers: OnnxTensor[] = [];
  #inputs: readonly OnnxValue[];
  #outputs: readonly OnnxValue[];

  constructor(graph: OnnxGraph) {
    this.#graph = graph;
    this.#inputs = graph.inputs;
    this.#outputs = graph.outputs;
    this.#names = new Set([
      ...graph.nodes.flatMap(({ outputs }) => outputs),
      ...[...graph.initializers, ...graph.inputs].map(({ name }) => name),
    ]);
  }

  /** A name that no value has. */
  name(stem: string): string {
    let name = `${prefix}${stem}`;
    for (let count = 2; this.#names.has(name); count++) name = `${prefix}${stem}.${count}`;
    this.#names.add(name);
    return name;
  }

  /** A constant of int64 numbers, of one dimension if `dims` is left out; equal ones share a name. */
  int64(values: readonly number[], dims = [values.length]): string {
    const key = `${values.join('_')}x${dims.join('_')}`;
    return getOrCreate(this.#constants, key, () => {
      const name = this.name(`int64.${key}`);
      this.#initializers.push(int64Tensor(name, values, dims));
      return name;
    });
  }

  /** Adds a node. */
  add(
    operator: string,
    inputs: readonly string[],
    {
      attributes = [],
      domain = '',
      outputs = [this.name(operator)],
    }: {
      attributes?: readonly OnnxAttribute[];
      domain?: string;
      outputs?: readonly string[] | undefined;
    } = {},
  ): string {
    this.#added.push(nodeOf(operator, inputs, outputs, { attributes, domain }));
    return outputs[0]!;
  }

  /** Adds a node that gives a value another type. */
  cast(input: string, elementType: number, outputs?: readonly string[]): string {
    return this.add('Cast', [input], { attributes: [integerAttribute('to', elementType)], outputs });
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
    this.#inputs = [...this.#inputs, input];
  }

  /** Adds an output, or describes one anew. */
  setOutput(output: OnnxValue): void {
    const others = this.#outputs.some(({ name }) => name === output.name);
    this.#outputs = others
      ? this.#outputs.map((old) => (old.name === output.name ? output : old))
      : [...this.#outputs, output];
  }

  /** The changed graph, without what became useless. */
  finish(): OnnxGraph {
    const redirect = (name: string) => this.#redirected.get(name) ?? name;
    const redirected = (node: OnnxNode): OnnxNode => {
      if (!node.inputs.some((name) => this.#redirected.has(name))) return node;
      return { ...node, inputs: node.inputs.map(redirect) };
    };
    const kept = this.#graph.nodes
      .filter((node) => !this.#removed.has(node))
      .map((node) => redirected(this.#replaced.get(node) ?? node));
    return pruneGraph({
      ...this.#graph,
      nodes: [...kept, ...this.#added],
      initializers: [...this.#graph.initializers, ...this.#initializers],
      inputs: this.#inputs,
      outputs: this.#outputs,
    });
  }
}
