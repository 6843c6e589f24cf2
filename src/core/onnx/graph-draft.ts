import { elementTypes } from './element-types.ts';
import { getOrCreate } from '../get-or-create.ts';
import type { OnnxGraph, OnnxModel, OnnxNode, OnnxTensor, OnnxValue } from './model.ts';
import { pruneGraph } from './prune-graph.ts';
import { inlineTensor, int64Tensor } from './tensor-values.ts';
import { innerGraphs, integerAttribute, nodeOf, type NodeParts, tensorOf } from './value.ts';

/** Domain of onnxruntime's additional operators. */
export const contribDomain = 'com.microsoft';

/** Adds that domain to a model's imports. */
export function withContribDomain(opsets: OnnxModel['opsets']): OnnxModel['opsets'] {
  const hasContrib = opsets.some(({ domain }) => domain === contribDomain);
  return hasContrib ? opsets : [...opsets, { domain: contribDomain, version: 1 }];
}

/** Imported version of the standard operators; 0 without an import. */
export function operatorsVersion(opsets: OnnxModel['opsets']): number {
  return opsets.find(({ domain }) => domain === '' || domain === 'ai.onnx')?.version ?? 0;
}

/** Prefix of the names that rewrites add. */
const prefix = 'slashv1.';

/** A modified copy of a graph; the original graph stays unchanged. */
export class GraphDraft {
  /** Names of all values. */
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

  /** @param names names of all values, for a graph nested in a different one */
  constructor(graph: OnnxGraph, names = new Set(namesIn(graph))) {
    this.#graph = graph;
    this.names = names;
  }

  /** An unused name. */
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

  /** Makes all consumers of one value in the original graph consume a different one. */
  redirect(from: string, to: string): void {
    this.#redirected.set(from, to);
  }

  addInput(input: OnnxValue): void {
    this.#addedInputs.push(input);
  }

  /** Adds or replaces an output. */
  setOutput(output: OnnxValue): void {
    this.#setOutputs.set(output.name, output);
  }

  /** An int64 constant, one-dimensional by default; equal constants share a name. */
  int64(values: readonly number[], dims = [values.length]): string {
    const key = `${values.join('_')}x${dims.join('_')}`;
    return getOrCreate(this.#constants, key, () => {
      const constant = this.name(`int64.${key}`);
      this.#addedConstants.push(int64Tensor(constant, values, dims));
      return constant;
    });
  }

  /** A scalar float32 constant. */
  float32(value: number): string {
    const bytes = new Uint8Array(Float32Array.of(value).buffer);
    return this.constant(inlineTensor('float32', elementTypes.float32, [], bytes));
  }

  /** Adds a constant under an unused name. */
  constant(tensor: OnnxTensor): string {
    const name = this.name(tensor.name);
    this.#addedConstants.push({ ...tensor, name });
    return name;
  }

  cast(input: string, elementType: number, outputs?: readonly string[]): string {
    return this.add('Cast', [input], { attributes: [integerAttribute('to', elementType)], outputs });
  }

  /** The modified graph, without dead nodes. */
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

/** Names of values, including the values in the graphs of attributes. */
function namesIn({ nodes, initializers, inputs }: OnnxGraph): readonly string[] {
  return [
    ...nodes.flatMap((node) => [...node.outputs, ...innerGraphs(node).flatMap(namesIn)]),
    ...[...initializers, ...inputs].map((value) => value.name),
  ];
}

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
