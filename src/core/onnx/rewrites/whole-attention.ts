import { floatAttribute, integerAttribute, integerOf, integersOf } from '../value.ts';
import { contribDomain, GraphDraft } from '../graph-draft.ts';
import { follow, GraphIndex } from '../graph-index.ts';
import type { OnnxGraph, OnnxNode } from '../model.ts';

/** Heads of an attention, and the size of each. */
export interface AttentionHeads {
  readonly heads: number;
  readonly size: number;
}

/** An operand of attention, before it is parted into heads. */
interface Operand {
  /** `[batch, length, heads × size]` */
  readonly source: string;
  /** Factor after the parting. */
  readonly scale: number;
}

/** Operators that keep the first two dimensions of their operand that is no constant. */
const elementwise = new Set('Add Mul Div Cast MatMul MatMulInteger DynamicQuantizeLinear'.split(' '));

/**
 * Attention of a whole sequence, without masks and caches, becomes `MultiHeadAttention`: it keeps a tile of the scores, not all
 * of them. @returns nothing where there is none
 */
export function fuseWholeAttention(graph: OnnxGraph, parting: AttentionHeads): OnnxGraph | undefined {
  const { heads, size } = parting;
  const index = new GraphIndex(graph);
  const draft = new GraphDraft(graph);
  const isOutput = (name: string): boolean => graph.outputs.some((output) => output.name === name);
  let isChanged = false;
  for (const softmax of graph.nodes) {
    const [probabilities] = softmax.outputs as [string];
    const isLastAxis = [-1, 3].includes(integerOf(softmax, 'axis') ?? -1);
    if (softmax.operator !== 'Softmax' || !isLastAxis || isOutput(probabilities)) continue;
    const scores = withoutFactors(index, softmax.inputs[0]!, size);
    const [left, right] = index.producer(scores.source, 'MatMul')?.inputs ?? [];
    const product = index.soleConsumer(probabilities, 'MatMul');
    const turned = index.soleConsumer(product?.outputs[0], 'Transpose');
    const joined = index.soleConsumer(turned?.outputs[0], 'Reshape');
    if (!joined || product!.inputs[0] !== probabilities || permOf(turned!) !== '0,2,1,3') continue;
    const query = matchOperand(index, left, '0,2,1,3', parting);
    const key = matchOperand(index, right, '0,2,3,1', parting);
    const value = matchOperand(index, product!.inputs[1], '0,2,1,3', parting);
    if (!query || !key || !value) continue;
    const scale = scores.factor * query.scale * key.scale * value.scale;
    draft.remove(joined);
    draft.add('MultiHeadAttention', [query.source, key.source, value.source], {
      domain: contribDomain,
      attributes: [integerAttribute('num_heads', heads), floatAttribute('scale', scale)],
      outputs: joined.outputs,
    });
    isChanged = true;
  }
  return isChanged ? draft.finish() : undefined;
}

/** Through the factors, the transposition and the parting into heads. */
function matchOperand(
  index: GraphIndex,
  name: string | undefined,
  perm: string,
  { heads, size }: AttentionHeads,
): Operand | undefined {
  const after = withoutFactors(index, name, size);
  const turned = index.producer(after.source, 'Transpose');
  if (!turned || permOf(turned) !== perm) return undefined;
  const parted = index.producer(turned.inputs[0], 'Reshape');
  const [source, target] = parted?.inputs ?? [];
  if (
    source === undefined ||
    !isHiddenState(index, source) ||
    !partsOf(index, target).some((part) => part === heads || part === size)
  )
    return undefined;
  return { source, scale: after.factor };
}

/** The constants among the dimensions of a reshape's target. */
function partsOf(index: GraphIndex, target: string | undefined): readonly number[] {
  const parts = index.producer(target, 'Concat')?.inputs ?? [target];
  return parts.flatMap((part) => index.values(part) ?? []);
}

function withoutFactors(index: GraphIndex, name: string | undefined, size: number) {
  let [source, factor] = [name, 1];
  for (;;) {
    const [first, second] = index.producer(source, 'Mul')?.inputs ?? [];
    const [left, right] = [first, second].map((operand) => evaluate(index, operand, size));
    const own = right ?? left;
    if (own === undefined) return { source, factor };
    factor *= own;
    source = right === undefined ? second : first;
  }
}

/** A number that a graph computes from constants and the size of a head, as exporters write the scale of scores. */
function evaluate(index: GraphIndex, name: string | undefined, size: number): number | undefined {
  const constant = index.scalar(name);
  const { operator, inputs } = index.producer(name) ?? {};
  if (constant !== undefined || !inputs) return constant;
  if (operator === 'Slice') return index.producer(inputs[0], 'Shape') && size;
  if (operator !== 'Cast' && operator !== 'Sqrt' && operator !== 'Div') return undefined;
  const [first = NaN, second = 1] = inputs.map((input) => evaluate(index, input, size));
  const value = operator === 'Sqrt' ? Math.sqrt(first) : first / second;
  return Number.isNaN(value) ? undefined : value;
}

function permOf(transpose: OnnxNode): string | undefined {
  return integersOf(transpose, 'perm')?.join();
}

/** Whether a value is made of a normalized hidden state, one position after the other: it has three dimensions. */
function isHiddenState(index: GraphIndex, name: string): boolean | undefined {
  return follow<boolean>(name, (at) => {
    const node = index.producer(at);
    if (node?.operator === 'LayerNormalization') return true;
    return node !== undefined && elementwise.has(node.operator) && index.variable(node);
  });
}
