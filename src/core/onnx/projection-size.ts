import { integerOf } from './attributes.ts';
import type { GraphIndex } from './graph-index.ts';
import type { OnnxNode } from './model.ts';

const mostSteps = 12;
/** Products of elements are gates. */
const between: ReadonlySet<string> = new Set(['Reshape', 'Cast', 'Identity', 'DynamicQuantizeLinear', 'Mul']);

/** Size of the last dimension of a value, inferred from the weights that multiply it. */
export function sizeAfter(index: GraphIndex, name: string): number | undefined {
  let at = name;
  for (let steps = 0; steps < mostSteps; steps++) {
    const node = index.consumers(at).find(({ operator }) => operator !== 'Shape');
    const size = node && node.inputs[0] === at ? innerSize(index, node) : undefined;
    if (size !== undefined) return size;
    if (!node || !between.has(node.operator)) return undefined;
    at = node.outputs[0]!;
  }
  return undefined;
}

/** The size of the last dimension of a value, known from the product with weights that it comes from. */
export function sizeBefore(index: GraphIndex, name: string): number | undefined {
  let at = index.peel(name);
  for (let steps = 0; steps < mostSteps; steps++) {
    const node = index.producer(at);
    if (!node) return undefined;
    if (node.operator === 'MatMul') return index.constant(node.inputs[1])?.dims.at(-1);
    if (node.operator === 'MatMulNBits') return integerOf(node, 'N');
    at = index.peel(index.constant(node.inputs[0]) ? node.inputs[1]! : node.inputs[0]!);
  }
  return undefined;
}

/** The number of elements over which a product sums. */
function innerSize(index: GraphIndex, node: OnnxNode): number | undefined {
  if (node.operator === 'MatMulNBits') return integerOf(node, 'K');
  const weight = index.constant(node.inputs[1])?.dims;
  if (weight?.length !== 2) return undefined;
  if (node.operator === 'MatMul' || node.operator === 'MatMulInteger') return weight[0];
  return node.operator === 'Gemm' ? weight[integerOf(node, 'transB') ? 1 : 0] : undefined;
}
