import { contribDomain } from '../graph-draft.ts';
import type { OnnxAttribute } from '../model.ts';
import { integerAttribute } from '../value.ts';
import { int8Activations } from './accuracy-level.ts';
import type { ReplacementDraft } from './replacement-draft.ts';

/** So many activations and weights of a row share a scale. */
export const blockSize = 32;

/** Operators take their axes as it is written here from this version on. */
export const leastOpset = 18;

/** Attributes of a `MatMulNBits` of rows of `size` numbers. */
export function blockAttributes(size: number, count: number, accuracyLevel: number): OnnxAttribute[] {
  const settings = { K: size, N: count, bits: 8, block_size: blockSize, accuracy_level: accuracyLevel };
  return Object.entries(settings).map(([name, value]) => integerAttribute(name, value));
}

/** Adds a product with activations of 8 bits. @param inputs activations, weights, scales, and zero points other than 128 */
export function addBlockProduct(
  draft: ReplacementDraft,
  inputs: readonly string[],
  { size, count }: { readonly size: number; readonly count: number },
): string {
  const attributes = blockAttributes(size, count, int8Activations);
  return draft.add('products', 'MatMulNBits', inputs, attributes, { domain: contribDomain });
}

/** Adds the unit of each block of the last axis: 127 of them are its largest number. */
export function addUnits(draft: ReplacementDraft, blocks: string): string {
  const axis = draft.int64('axis', [-1]);
  const highest = draft.add('highest', 'ReduceMax', [blocks, axis]);
  const lowest = draft.add('depth', 'Neg', [draft.add('lowest', 'ReduceMin', [blocks, axis])]);
  const size = draft.add('size', 'Max', [highest, lowest, draft.float32('least', 1e-30)]);
  return draft.add('unit', 'Div', [size, draft.float32('steps', 127)]);
}
