import { elementTypes } from '../element-types.ts';
import { operatorsVersion } from '../graph-draft.ts';
import type { OnnxGraph, OnnxModel } from '../model.ts';
import { ReplacementDraft, rewriteNodes } from './rewrite-nodes.ts';

/** `BitwiseXor` is there from this version on. */
const leastOpset = 18;

/**
 * Gives products of whole numbers signed weights, the same less 128 as their zero points: processors multiply unsigned by signed
 * bytes, and the runtime widens others to 16 bits, which takes twice as long. It shifts constants at load.
 *
 * @returns nothing where no product has unsigned weights
 */
export function signWeights({ graph, opsets }: Pick<OnnxModel, 'graph' | 'opsets'>): OnnxGraph | undefined {
  if (operatorsVersion(opsets) < leastOpset) return undefined;
  return rewriteNodes(graph, (node, scope) => {
    if (node.operator !== 'MatMulInteger' || node.inputs.length < 4) return undefined;
    const [x, weights, zeroX, zeroWeights] = node.inputs as [string, string, string, string];
    const isUnsigned = [weights, zeroWeights].every(
      (name) => scope.constant(name)?.elementType === elementTypes.uint8,
    );
    if (!isUnsigned) return undefined;
    const draft = new ReplacementDraft(node.outputs[0]!);
    const half = draft.cast('half', draft.float32('number', 128), elementTypes.uint8);
    const shift = (name: string, stem: string): string =>
      draft.cast(stem, draft.add(`${stem}.bits`, 'BitwiseXor', [name, half]), elementTypes.int8);
    draft.finish('MatMulInteger', [x, shift(weights, 'weights'), zeroX, shift(zeroWeights, 'zero')]);
    return draft;
  });
}
