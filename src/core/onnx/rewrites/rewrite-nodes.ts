import { GraphDraft } from '../graph-draft.ts';
import { GraphIndex } from '../graph-index.ts';
import type { OnnxAttribute, OnnxGraph, OnnxNode } from '../model.ts';

/** The result of a rewrite: the new graph, or the reason why it is unchanged. */
export type Rewritten =
  | { readonly graph: OnnxGraph; readonly reason?: undefined }
  | { readonly graph?: undefined; readonly reason: string };

export function unchanged(reason: string): { readonly reason: string } {
  return { reason };
}

/** The enclosing graph. */
interface Outer {
  readonly index: GraphIndex;
  readonly names: GraphDraft['names'];
}

/**
 * Replaces nodes, also in the branches of a graph. @returns `undefined` if no node is replaced
 * @param replace adds nodes that produce a node's outputs, or returns `false`
 */
export function rewriteNodes(
  graph: OnnxGraph,
  replace: (node: OnnxNode, draft: GraphDraft, index: GraphIndex) => boolean,
  outer?: Outer,
): OnnxGraph | undefined {
  const index = new GraphIndex(graph, outer?.index);
  const draft = new GraphDraft(graph, outer?.names);
  let isChanged = false;
  for (const node of graph.nodes) {
    if (replace(node, draft, index)) {
      isChanged = true;
      draft.remove(node);
      continue;
    }
    const attributes = node.attributes.map((attribute): OnnxAttribute => {
      const { value } = attribute;
      const around = { index, names: draft.names };
      const inner = value.type === 'graph' ? rewriteNodes(value.value, replace, around) : undefined;
      return inner ? { ...attribute, value: { type: 'graph', value: inner } } : attribute;
    });
    if (attributes.every((attribute, at) => attribute === node.attributes[at])) continue;
    isChanged = true;
    draft.replace(node, { ...node, attributes });
  }
  return isChanged ? draft.finish() : undefined;
}

/**
 * Scores only the last positions: for a small decoder, the product with the whole vocabulary is most of the cost of a
 * prompt, and its result is tens of megabytes. @returns `undefined` if the output isn't a product
 */
export function keepLastPositions(graph: OnnxGraph, output: string, count: number): OnnxGraph | undefined {
  return rewriteNodes(graph, ({ operator, inputs, outputs }, draft) => {
    if (operator !== 'MatMul' || outputs[0] !== output) return false;
    const bounds = [-count, Number.MAX_SAFE_INTEGER, 1].map((bound) => draft.int64([bound]));
    const last = draft.add('Slice', [inputs[0]!, ...bounds]);
    draft.add('MatMul', [last, inputs[1]!], { outputs });
    return true;
  });
}
