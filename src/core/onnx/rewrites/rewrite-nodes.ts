import { GraphIndex } from '../graph-index.ts';
import type { OnnxAttribute, OnnxGraph, OnnxNode, OnnxTensor } from '../model.ts';
import { pruneGraph } from '../prune-graph.ts';
import { int64Tensor } from '../tensor-values.ts';
import { nodeOf } from '../value.ts';

/** A graph, and those around it. */
export class Scope {
  readonly #own: GraphIndex;
  readonly #outer: Scope | undefined;

  constructor(graph: OnnxGraph, outer?: Scope) {
    this.#own = new GraphIndex(graph);
    this.#outer = outer;
  }

  producer(name: string | undefined, operator: string): OnnxNode | undefined {
    return this.#own.producer(name, operator) ?? this.#outer?.producer(name, operator);
  }

  constant(name: string | undefined): OnnxTensor | undefined {
    return this.#own.constant(name) ?? this.#outer?.constant(name);
  }
}

/** Nodes and constants in place of a node. */
export interface Replacement {
  readonly nodes: readonly OnnxNode[];
  readonly initializers: readonly OnnxTensor[];
}

/** Replaces nodes, in the branches of a graph too. @returns nothing where none is replaced */
export function rewriteNodes(
  graph: OnnxGraph,
  replace: (node: OnnxNode, scope: Scope) => Replacement | undefined,
  outer?: Scope,
): OnnxGraph | undefined {
  const scope = new Scope(graph, outer);
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
    const constants = { start: -count, end: Number.MAX_SAFE_INTEGER, axis: 1 };
    const initializers = Object.entries(constants).map(([name, value]) =>
      int64Tensor(`${output}.lastPositions.${name}`, [value]),
    );
    const last = `${output}.lastPositions`;
    const inputs = [node.inputs[0]!, ...initializers.map(({ name }) => name)];
    return {
      nodes: [nodeOf('Slice', inputs, [last]), { ...node, inputs: [last, node.inputs[1]!] }],
      initializers,
    };
  });
}
