import { GraphDraft } from '../graph-draft.ts';
import type { OnnxGraph } from '../model.ts';
import { integersAttribute } from '../value.ts';
import { AttentionMatcher } from './attention-matcher.ts';
import { isMadeFrom, leadingDimsOf } from './attention-parts.ts';

/**
 * Makes the scale and the shapes of attention constant where a graph computes them from the sizes of its inputs, as PyTorch
 * exports `scaled_dot_product_attention`: 16 nodes fewer per layer, and the runtime fuses the scale into the product.
 */
export function fixAttentionShapes(graph: OnnxGraph): OnnxGraph | undefined {
  const matcher = new AttentionMatcher(graph, { keepsMask: true });
  const { index } = matcher;
  const draft = new GraphDraft(graph);
  let isChanged = false;
  for (const softmax of graph.nodes) {
    const found = matcher.match(softmax);
    if (!found?.isComputed) continue;
    const { query, key, value, scaled, weighted, joined, scale } = found;
    const areKept = [query, key, value].every(({ source, target }) => {
      const origin = leadingDimsOf(index, target);
      return origin !== undefined && isMadeFrom(index, source, origin);
    });
    const dims = index.producer(joined.inputs[1], 'Concat')?.inputs ?? [];
    const isJoined = dims.length === 3 && index.scalar(dims[2]) === value.heads * value.size;
    const isSame = leadingDimsOf(index, joined.inputs[1]) === leadingDimsOf(index, query.target);
    if (!areKept || !isJoined || !isSame) continue;
    const split = ({ source, heads, size }: typeof query, perm: readonly number[], outputs?: string[]) => {
      const parts = draft.add('Reshape', [source, draft.int64([0, -1, heads, size])]);
      return draft.add('Transpose', [parts], { attributes: [integersAttribute('perm', perm)], outputs });
    };
    for (const name of [scaled, weighted]) draft.remove(index.producer(name)!);
    split(value, [0, 2, 1, 3], [weighted]);
    const scores = draft.add('MatMul', [split(query, [0, 2, 1, 3]), split(key, [0, 2, 3, 1])]);
    draft.add('Mul', [scores, draft.float32(scale)], { outputs: [scaled] });
    const target = draft.int64([0, -1, value.heads * value.size]);
    draft.replace(joined, { ...joined, inputs: [joined.inputs[0]!, target] });
    isChanged = true;
  }
  return isChanged ? draft.finish() : undefined;
}
