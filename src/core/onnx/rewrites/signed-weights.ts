import { elementTypes } from '../element-types.ts';
import { operatorsVersion, type GraphDraft } from '../graph-draft.ts';
import type { OnnxGraph, OnnxModel } from '../model.ts';
import { rewriteNodes } from './rewrite-nodes.ts';

/** The first version with `BitwiseXor`. */
export const minOpset = 18;

/**
 * Subtracts 128 from the weights and zero points of integer products: CPUs multiply unsigned by signed bytes, and the runtime
 * widens anything else to 16 bits, which takes twice as long. It folds the shift of constants at load.
 * @returns `undefined` without unsigned weights
 */
export function signWeights({ graph, opsets }: Pick<OnnxModel, 'graph' | 'opsets'>): OnnxGraph | undefined {
  if (operatorsVersion(opsets) < minOpset) return undefined;
  return rewriteNodes(graph, ({ operator, inputs, outputs }, draft, index) => {
    if (operator !== 'MatMulInteger' || inputs.length < 4) return false;
    const [x, weights, zeroX, zeroWeights] = inputs as [string, string, string, string];
    const isUnsigned = [weights, zeroWeights].every(
      (name) => index.constant(name)?.elementType === elementTypes.uint8,
    );
    if (!isUnsigned) return false;
    const shift = (name: string): string => flipSigns(draft, name, elementTypes.int8);
    draft.add('MatMulInteger', [x, shift(weights), zeroX, shift(zeroWeights)], { outputs });
    return true;
  });
}

/** Adds 128 to signed bytes, or subtracts it from unsigned ones. */
export function flipSigns(draft: GraphDraft, name: string, elementType: number): string {
  const half = draft.cast(draft.float32(128), elementTypes.uint8);
  const bytes = draft.cast(name, elementTypes.uint8);
  return draft.cast(draft.add('BitwiseXor', [bytes, half]), elementType);
}
