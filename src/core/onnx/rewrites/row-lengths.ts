import { tensorValue } from '../value.ts';
import { elementTypes } from '../element-types.ts';
import { GraphDraft } from '../graph-draft.ts';
import type { OnnxGraph } from '../model.ts';
import { unchanged, type Rewritten } from './rewrite.ts';

/** Inputs from which a graph makes its attention mask. */
export const rowLengthInputs = {
  /** Tokens of each row, the new ones included, int64 `[batch]`. */
  lengths: 'row_lengths',
  /** Slots of the mask, int64 without dimensions. */
  width: 'mask_width',
} as const;

/**
 * Lets a graph make its `attention_mask` itself, of how long each row is: 8 bytes of a row go to the device at a step,
 * not 8 for each slot of its cache. Only for graphs whose rows begin with their ones.
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
