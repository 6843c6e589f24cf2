import type { GraphIndex } from '../graph-index.ts';
import type { OnnxNode } from '../model.ts';

const mostSteps = 8;

/**
 * Whether a `Reshape` keeps the first two dimensions and only parts the last one: its target takes them from the shape
 * of the hidden state from which the reshaped value is made by products with weights and sums with biases.
 */
export function sameLeadingDims(index: GraphIndex, reshape: OnnxNode): boolean {
  const parts = index.producer(reshape.inputs[1], 'Concat')?.inputs;
  if (parts?.length !== 4) return false;
  const sources = [0, 1].map((axis) => shapeSource(index, parts[axis]!, axis));
  const [source] = sources;
  return source !== undefined && sources[1] === source && isMadeFrom(index, reshape.inputs[0]!, source);
}

/** `Unsqueeze(Gather(Shape(x), axis))` → `x` */
function shapeSource(index: GraphIndex, name: string, axis: number): string | undefined {
  const unsqueeze = index.producer(name, 'Unsqueeze');
  const gather = index.producer(unsqueeze?.inputs[0], 'Gather');
  const shape = index.producer(gather?.inputs[0], 'Shape');
  return shape && index.scalar(gather?.inputs[1]) === axis ? shape.inputs[0] : undefined;
}

function isMadeFrom(index: GraphIndex, name: string, source: string): boolean {
  let at = name;
  for (let steps = 0; steps < mostSteps; steps++) {
    if (at === source) return true;
    const node = index.producer(at);
    if (node?.operator === 'MatMulNBits' || node?.operator === 'Cast') at = node.inputs[0]!;
    else if (node?.operator === 'MatMul' && index.constant(node.inputs[1])?.dims.length === 2)
      at = node.inputs[0]!;
    else if (node?.operator === 'Slice' && [2, -1].includes(index.scalar(node.inputs[3]) ?? 0))
      at = node.inputs[0]!;
    else if (node?.operator === 'Add' && index.constant(node.inputs[1])?.dims.length === 1)
      at = node.inputs[0]!;
    else if (node?.operator === 'Add' && index.constant(node.inputs[0])?.dims.length === 1)
      at = node.inputs[1]!;
    else return false;
  }
  return false;
}
