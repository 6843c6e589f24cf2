import { floatAttribute, integerAttribute } from '../value.ts';
import { contribDomain, GraphDraft } from '../graph-draft.ts';
import type { OnnxGraph } from '../model.ts';
import { AttentionMatcher, type AttentionHeads } from './attention-matcher.ts';

/**
 * Fuses attention of a whole sequence, or of one token to caches, into `MultiHeadAttention`: it keeps a tile of the
 * scores instead of all, in a single node. A single token may see everything, so a step's mask has no effect. @returns
 * `undefined` without a match
 */
export function fuseWholeAttention(
  graph: OnnxGraph,
  { heads, size, isStep = false }: AttentionHeads & { readonly isStep?: boolean },
): OnnxGraph | undefined {
  const matcher = new AttentionMatcher(graph, { shape: { heads, size }, isStep });
  const draft = new GraphDraft(graph);
  let isChanged = false;
  for (const softmax of graph.nodes) {
    const found = matcher.match(softmax);
    if (!found) continue;
    const { query, key, value, joined, scale } = found;
    const appends = key.append && value.append ? [key.append, value.append] : [];
    const inputs = [query.source, key.source, value.source];
    for (const node of [joined, ...appends]) draft.remove(node);
    draft.add(
      'MultiHeadAttention',
      appends.length > 0 ? [...inputs, '', '', '', ...appends.map((node) => node.inputs[0]!)] : inputs,
      {
        domain: contribDomain,
        attributes: [integerAttribute('num_heads', heads), floatAttribute('scale', scale)],
        outputs: [...joined.outputs, ...appends.flatMap((node) => node.outputs)],
      },
    );
    isChanged = true;
  }
  return isChanged ? draft.finish() : undefined;
}
