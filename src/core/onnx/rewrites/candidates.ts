import { integerAttribute, tensorValue } from '../value.ts';
import { elementTypes } from '../element-types.ts';
import { GraphDraft } from '../graph-draft.ts';
import type { OnnxGraph } from '../model.ts';
import { lastPositions } from './last-position.ts';
import { unchanged, type Rewritten } from './rewrite-nodes.ts';

/** Outputs with the part of a row of logits that most samplers need. */
export const candidateOutputs = {
  /** The largest logits, descending, float32 `[batch, count]`. */
  logits: 'candidates.logits',
  /** Their tokens, int32 `[batch, count]`. */
  tokens: 'candidates.tokens',
  /** Sum of `exp(logit − largest logit)` over the whole vocabulary, float32 `[batch, 1]`. */
  mass: 'candidates.mass',
} as const;

/**
 * Adds the largest logits of each row and the mass of all logits as outputs: a few kilobytes instead of hundreds. The
 * first candidate is the largest logit. `logits` remains available in the same run. If the graph has `last_positions`,
 * that input must select one position per row.
 */
export function addCandidates(graph: OnnxGraph, count: number): Rewritten {
  const logits = graph.outputs.find(({ name }) => name === 'logits');
  const [, positions, vocabularySize] = logits?.dims ?? [];
  const isOne = positions === 1 || graph.inputs.some(({ name }) => name === lastPositions);
  if (!isOne || typeof vocabularySize !== 'number') return unchanged('no logits of one position');
  if (graph.outputs.some(({ name }) => name === candidateOutputs.mass)) return unchanged('done already');
  const most = Math.min(count, vocabularySize);
  const draft = new GraphDraft(graph);
  const row = draft.add('Squeeze', ['logits', draft.int64([1])]);
  const single = draft.cast(row, elementTypes.float32);
  const tokens = draft.name('tokens');
  draft.add('TopK', [single, draft.int64([most])], {
    attributes: [integerAttribute('axis', -1)],
    outputs: [candidateOutputs.logits, tokens],
  });
  draft.cast(tokens, elementTypes.int32, [candidateOutputs.tokens]);
  const [zero, one] = [draft.int64([0]), draft.int64([1])];
  const largest = draft.add('Slice', [candidateOutputs.logits, zero, one, one]);
  const weights = draft.add('Exp', [draft.add('Sub', [single, largest])]);
  draft.add('ReduceSum', [weights, draft.int64([1])], { outputs: [candidateOutputs.mass] });
  draft.setOutput(tensorValue(candidateOutputs.logits, elementTypes.float32, ['batch_size', most]));
  draft.setOutput(tensorValue(candidateOutputs.tokens, elementTypes.int32, ['batch_size', most]));
  draft.setOutput(tensorValue(candidateOutputs.mass, elementTypes.float32, ['batch_size', 1]));
  return { graph: draft.finish() };
}
