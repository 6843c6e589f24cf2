import { tensorValue } from '../value.ts';
import { elementTypes } from '../element-types.ts';
import { GraphDraft } from '../graph-draft.ts';
import type { OnnxGraph } from '../model.ts';
import { unchanged, type Rewritten } from './rewrite-nodes.ts';

/** Inputs that replace the attention mask. */
export const rowLengthInputs = {
  /** Tokens of each row, the new ones included, int64 `[batch]`. */
  lengths: 'row_lengths',
  /** Slots of the mask, int64 scalar. */
  width: 'mask_width',
} as const;

/**
 * Computes `attention_mask` in the graph from row lengths: per step, 8 bytes per row go to the device instead of 8
 * bytes per cache slot. Only for graphs with rows that begin with their ones.
 */
export function makeMask(graph: OnnxGraph): Rewritten {
  const mask = graph.inputs.find(({ name }) => name === 'attention_mask');
  if (mask?.elementType === undefined) return unchanged('no input attention_mask');
  const draft = new GraphDraft(graph);
  draft.addInput(tensorValue(rowLengthInputs.lengths, elementTypes.int64, ['batch_size']));
  draft.addInput(tensorValue(rowLengthInputs.width, elementTypes.int64, []));
  const slots = draft.add('Range', [draft.int64([0], []), rowLengthInputs.width, draft.int64([1], [])]);
  const lengths = draft.add('Unsqueeze', [rowLengthInputs.lengths, draft.int64([1])]);
  draft.cast(draft.add('Less', [slots, lengths]), mask.elementType, ['attention_mask']);
  const made = draft.finish();
  return { graph: { ...made, inputs: made.inputs.filter(({ name }) => name !== 'attention_mask') } };
}
