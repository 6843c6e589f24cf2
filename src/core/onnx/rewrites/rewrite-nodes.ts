import { elementTypes } from '../element-types.ts';
import { GraphIndex } from '../graph-index.ts';
import type { OnnxAttribute, OnnxGraph, OnnxNode, OnnxTensor } from '../model.ts';
import { pruneGraph } from '../prune-graph.ts';
import { inlineTensor, int64Tensor } from '../tensor-values.ts';
import { integerAttribute, nodeOf } from '../value.ts';

/** Nodes and constants in place of a node. */
export interface Replacement {
  readonly nodes: readonly OnnxNode[];
  readonly initializers: readonly OnnxTensor[];
}

/** Nodes in place of another one; names begin with that of the value which it made. */
export class ReplacementDraft implements Replacement {
  readonly nodes: OnnxNode[] = [];
  readonly initializers: OnnxTensor[] = [];
  readonly #output: string;

  constructor(output: string) {
    this.#output = output;
  }

  int64(stem: string, values: readonly number[]): string {
    return this.#constant(int64Tensor(`${this.#output}.${stem}`, values));
  }

  float32(stem: string, value: number): string {
    const bytes = new Uint8Array(Float32Array.of(value).buffer);
    return this.#constant(inlineTensor(`${this.#output}.${stem}`, elementTypes.float32, [], bytes));
  }

  /** Adds a node. @returns the name of its first output */
  add(
    stem: string,
    operator: string,
    inputs: readonly string[],
    attributes: readonly OnnxAttribute[] = [],
    { domain = '', others = [] }: { domain?: string; others?: readonly string[] } = {},
  ): string {
    const outputs = [stem, ...others].map((name) => `${this.#output}.${name}`);
    this.nodes.push(nodeOf(operator, inputs, outputs, { attributes, domain }));
    return outputs[0]!;
  }

  /** Adds a node that gives a value another type. */
  cast(stem: string, input: string, elementType: number): string {
    return this.add(stem, 'Cast', [input], [integerAttribute('to', elementType)]);
  }

  /** Adds the node that makes the value itself. */
  finish(operator: string, inputs: readonly string[], attributes: readonly OnnxAttribute[] = []): void {
    this.nodes.push(nodeOf(operator, inputs, [this.#output], { attributes }));
  }

  #constant(tensor: OnnxTensor): string {
    this.initializers.push(tensor);
    return tensor.name;
  }
}

/** Replaces nodes, in the branches of a graph too. @returns nothing where none is replaced */
export function rewriteNodes(
  graph: OnnxGraph,
  replace: (node: OnnxNode, scope: GraphIndex) => Replacement | undefined,
  outer?: GraphIndex,
): OnnxGraph | undefined {
  const scope = new GraphIndex(graph, outer);
  const initializers = [...graph.initializers];
  let isChanged = false;
  const nodes = graph.nodes.flatMap((node): readonly OnnxNode[] => {
    const replacement = replace(node, scope);
    if (replacement) {
      isChanged = true;
      initializers.push(...replacement.initializers);
      return replacement.nodes;
    }
    const attributes = node.attributes.map((attribute): OnnxAttribute => {
      const { value } = attribute;
      const inner = value.type === 'graph' ? rewriteNodes(value.value, replace, scope) : undefined;
      return inner ? { ...attribute, value: { type: 'graph', value: inner } } : attribute;
    });
    if (attributes.every((attribute, index) => attribute === node.attributes[index])) return [node];
    isChanged = true;
    return [{ ...node, attributes }];
  });
  return isChanged ? pruneGraph({ ...graph, nodes, initializers }) : undefined;
}

/**
 * Scores the last positions alone: the product with the table of all tokens is most of what reading a prompt costs a small decoder, and its
 * result is tens of megabytes. @returns nothing where the output is no product
 */
export function keepLastPositions(graph: OnnxGraph, output: string, count: number): OnnxGraph | undefined {
  return rewriteNodes(graph, (node) => {
    if (node.operator !== 'MatMul' || node.outputs[0] !== output) return undefined;
    const draft = new ReplacementDraft(output);
    const constants = Object.entries({ start: -count, end: Number.MAX_SAFE_INTEGER, axis: 1 });
    const bounds = constants.map(([name, value]) => draft.int64(`lastPositions.${name}`, [value]));
    const last = draft.add('lastPositions', 'Slice', [node.inputs[0]!, ...bounds]);
    draft.finish('MatMul', [last, node.inputs[1]!]);
    return draft;
  });
}
