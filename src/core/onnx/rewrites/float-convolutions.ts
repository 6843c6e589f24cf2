import { elementTypes } from '../element-types.ts';
import type { GraphIndex } from '../graph-index.ts';
import type { OnnxGraph, OnnxNode } from '../model.ts';
import { rewriteNodes } from './rewrite-nodes.ts';

/** A convolution of rounded activations, with the nodes that scale its sums. */
interface RoundedConvolution {
  readonly node: OnnxNode;
  /** The activations before they are rounded. */
  readonly input: string;
  readonly weightScale: string;
  /** The scale of the sums. */
  readonly scale: string;
  /** In the scale of the sums. */
  readonly bias: string | undefined;
}

/**
 * Replaces convolutions in 8 bits, as `quantize_dynamic` writes them, by float convolutions with the same weights, which the runtime
 * converts when it loads the graph. Activations are no longer rounded. @returns `undefined` without such convolutions
 */
export function toFloatConvolutions(graph: OnnxGraph): OnnxGraph | undefined {
  return rewriteNodes(graph, (scaled, draft, index) => {
    const found = scaled.operator === 'Mul' ? matchConvolution(scaled, index) : undefined;
    if (!found) return false;
    const { node, input, weightScale, scale, bias } = found;
    const [, weights, , zero] = node.inputs as [string, string, string, string | undefined];
    const wide = draft.cast(weights, elementTypes.float32);
    const centered = zero ? draft.add('Sub', [wide, draft.cast(zero, elementTypes.float32)]) : wide;
    const inputs = [input, draft.add('Mul', [centered, weightScale])];
    const { attributes } = node;
    if (bias === undefined) draft.add('Conv', inputs, { attributes, outputs: scaled.outputs });
    else {
      const shift = draft.add('Mul', [draft.cast(bias, elementTypes.float32), scale]);
      draft.add('Add', [draft.add('Conv', inputs, { attributes }), shift], { outputs: scaled.outputs });
    }
    return true;
  });
}

/** `Mul(Cast(ConvInteger(x …) + bias), scale of x · scale of the weights)` */
function matchConvolution({ inputs }: OnnxNode, index: GraphIndex): RoundedConvolution | undefined {
  const cast = inputs.map((name) => index.producer(name, 'Cast')).find((one) => one !== undefined);
  if (!cast) return undefined;
  const scale = inputs.find((name) => name !== cast.outputs[0])!;
  const sum = index.producer(cast.inputs[0], 'Add');
  const sums = sum ? sum.inputs : cast.inputs.slice(0, 1);
  const node = sums.map((name) => index.producer(name, 'ConvInteger')).find((one) => one !== undefined);
  const rounded = index.producer(node?.inputs[0], 'DynamicQuantizeLinear');
  const factors = index.producer(scale, 'Mul')?.inputs ?? [];
  const weightScale = factors.find((name) => name !== rounded?.outputs[1]);
  const isWhole =
    node !== undefined &&
    index.constant(node.inputs[1]) !== undefined &&
    rounded?.outputs[2] === node.inputs[2] &&
    factors.includes(rounded?.outputs[1] ?? '') &&
    index.scalar(weightScale) !== undefined;
  if (!isWhole) return undefined;
  const bias = sums.find((name) => name !== node.outputs[0]);
  return { node, input: rounded!.inputs[0]!, weightScale: weightScale!, scale, bias };
}
