import { integerOf, integersOf } from '../value.ts';
import { follow, type GraphIndex } from '../graph-index.ts';
import type { OnnxNode } from '../model.ts';

/** Attention of one layer as exporters write it: scores, mask, softmax, product with the values. */
export interface Attention {
  /** Past, new and all keys and values, `[batch, heads, length, size]`. */
  readonly key: CacheConcat;
  readonly value: CacheConcat;
  /** `[batch, heads, sequence, size]` */
  readonly query: string;
  /** Factor of the scores. */
  readonly scale: number;
  /** Soft cap of the scores; 0 without one. */
  readonly softcap: number;
  readonly mask: Mask | undefined;
  /** `[batch, sequence, heads, size]` */
  readonly output: string;
}

/** The node that appends new keys or values to the past ones. */
export interface CacheConcat {
  readonly node: OnnxNode;
  readonly past: string;
  readonly added: string;
  readonly present: string;
}

export interface Mask {
  readonly name: string;
  /** Added to the scores, or a boolean mask that selects them. */
  readonly kind: 'added' | 'chosen';
}

const cacheShape: ReadonlySet<string> = new Set(['Unsqueeze', 'Expand', 'Reshape', 'Cast', 'Identity']);
const scoreOperators: ReadonlySet<string> = new Set(['MatMul', 'Mul', 'Div', 'Tanh']);
const maxSteps = 24;

/** Matches the attention around a `Softmax`, or returns the reason for a mismatch. */
export function matchAttention(index: GraphIndex, softmax: OnnxNode): Attention | string {
  const axis = integerOf(softmax, 'axis') ?? -1;
  if (axis !== -1 && axis !== 3) return `a Softmax over axis ${axis}`;
  const scores = matchScores(index, softmax.inputs[0]!);
  if (typeof scores === 'string') return scores;
  const result = matchResult(index, softmax.outputs[0]!);
  if (typeof result === 'string') return result;
  return { ...scores, ...result };
}

function matchScores(index: GraphIndex, input: string): Omit<Attention, 'value' | 'output'> | string {
  let at = index.peel(input);
  let scale = 1;
  let softcap = 0;
  let mask: Mask | undefined;
  for (let steps = 0; steps < maxSteps; steps++) {
    const node = index.producer(at);
    const [first, second] = [node?.inputs[0] ?? '', node?.inputs[1] ?? ''];
    switch (node?.operator) {
      case 'Mul':
      case 'Div': {
        const factor = index.scalar(second) ?? (node.operator === 'Mul' ? index.scalar(first) : undefined);
        if (factor === undefined) return 'scores with a factor that is no constant';
        const inner = index.scalar(second) === undefined ? second : first;
        const tanh = index.producer(index.peel(inner), 'Tanh');
        if (tanh && scale !== 1) return 'a soft cap that is scaled';
        const own = node.operator === 'Mul' ? factor : 1 / factor;
        // The division by the cap before the tangent is part of the attribute.
        if (tanh) softcap = own;
        scale *= own;
        at = index.peel(tanh ? tanh.inputs[0]! : inner);
        continue;
      }
      case 'Add': {
        if (mask) return 'scores with several masks';
        const added = leadsToScores(index, first) ? second : first;
        mask = { name: added, kind: 'added' };
        at = index.peel(added === second ? first : second);
        continue;
      }
      case 'Where': {
        if (mask) return 'scores with several masks';
        const hidden = index.scalar(node.inputs[2]);
        if (hidden === undefined || hidden > -1e4) return 'scores that are chosen in an unknown way';
        mask = { name: first, kind: 'chosen' };
        at = index.peel(second);
        continue;
      }
      case 'MatMul': {
        const query = matchScaled(index, first);
        const key = matchCache(index, second, { transposed: true });
        if (typeof key === 'string') return key;
        return { query: query.name, key: key.concat, scale: scale * query.scale * key.scale, softcap, mask };
      }
      default:
        return `scores from ${node?.operator ?? 'an input'}`;
    }
  }
  return 'scores after too many nodes';
}

/** Whether a value comes from a product, through scales and a soft cap. */
function leadsToScores(index: GraphIndex, name: string): boolean | undefined {
  return follow<boolean>(index.peel(name), (at) => {
    const node = index.producer(at);
    if (!node || !scoreOperators.has(node.operator)) return false;
    return node.operator === 'MatMul' || index.peel(index.variable(node));
  });
}

/** Strips constant factors from a value. */
function matchScaled(index: GraphIndex, name: string): { name: string; scale: number } {
  const node = index.producer(name, 'Mul');
  const factor = node && index.scalar(node.inputs[1]);
  if (factor === undefined) return { name, scale: 1 };
  return { name: node!.inputs[0]!, scale: factor };
}

/** Walks from an operand of a product to the node that produces its keys or values. */
function matchCache(
  index: GraphIndex,
  operand: string,
  { transposed }: { transposed: boolean },
): { concat: CacheConcat; scale: number } | string {
  let at = operand;
  let scale = 1;
  let isTransposed = false;
  for (let steps = 0; steps < maxSteps; steps++) {
    const node = index.producer(at);
    if (node?.operator === 'Concat') {
      const axis = integerOf(node, 'axis');
      if (node.inputs.length !== 2 || (axis !== 2 && axis !== -2))
        return 'keys or values that are joined unusually';
      if (isTransposed !== transposed) return 'keys or values that are turned unusually';
      const [past, added] = [node.inputs[0]!, node.inputs[1]!];
      return { concat: { node, past, added, present: node.outputs[0]! }, scale };
    }
    if (node?.operator === 'Transpose') {
      const perm = integersOf(node, 'perm')?.join();
      const turnsLast = perm === '0,1,3,2' || perm === '0,1,2,4,3';
      if (!turnsLast || isTransposed) return `keys or values that are turned by ${perm}`;
      isTransposed = true;
    } else if (node?.operator === 'Mul') {
      const factor = index.scalar(node.inputs[1]);
      if (factor === undefined) return 'keys with a factor that is no constant';
      scale *= factor;
    } else if (!node || !cacheShape.has(node.operator)) {
      return `keys or values from ${node?.operator ?? 'an input'}`;
    }
    at = node.inputs[0]!;
  }
  return 'keys or values after too many nodes';
}

/** Walks from the probabilities to the product with the values, back in the layout with positions before heads. */
function matchResult(index: GraphIndex, probabilities: string): Pick<Attention, 'value' | 'output'> | string {
  let at = probabilities;
  for (let steps = 0; steps < maxSteps; steps++) {
    const uses = index.consumers(at).filter(({ operator }) => operator !== 'Shape' && operator !== 'IsNaN');
    const node = uses[0];
    if (uses.length !== 1 || !node) return `probabilities with ${uses.length} uses`;
    if (node.operator === 'MatMul') {
      if (node.inputs[0] !== at) return 'values before probabilities';
      const value = matchCache(index, node.inputs[1]!, { transposed: false });
      if (typeof value === 'string') return value;
      const output = matchTransposed(index, node.outputs[0]!);
      return output === undefined ? 'a result that is not turned' : { value: value.concat, output };
    }
    const isGuard = node.operator === 'Where' && node.inputs[2] === at;
    if (node.operator !== 'Cast' && node.operator !== 'Identity' && !isGuard)
      return `probabilities in ${node.operator}`;
    at = node.outputs[0]!;
  }
  return 'probabilities after too many nodes';
}

function matchTransposed(index: GraphIndex, product: string): string | undefined {
  const transpose = follow<OnnxNode | undefined>(product, (at) => {
    const node = index.soleConsumer(at);
    return node?.operator === 'Cast' || node?.operator === 'Identity' ? node.outputs[0]! : node;
  });
  const isTurned = transpose?.operator === 'Transpose' && integersOf(transpose, 'perm')?.join() === '0,2,1,3';
  return isTurned ? transpose.outputs[0] : undefined;
}

/**
 * Whether a `Reshape` keeps the first two dimensions and only splits the last one: its target takes them from the shape
 * of the hidden state from which products with weights and sums with biases compute the reshaped value.
 */
export function sameLeadingDims(index: GraphIndex, reshape: OnnxNode): boolean {
  const parts = index.producer(reshape.inputs[1], 'Concat')?.inputs;
  if (parts?.length !== 4) return false;
  const sources = [0, 1].map((axis) => shapeSource(index, parts[axis]!, axis));
  const [source] = sources;
  return (
    source !== undefined && sources[1] === source && isMadeFrom(index, reshape.inputs[0]!, source) === true
  );
}

/** The value whose shape gives a `Reshape` its first dimension, and its second, unless that is what is left. */
export function leadingDimsOf(index: GraphIndex, target: string | undefined): string | undefined {
  const [batch = '', length = ''] = index.producer(target, 'Concat')?.inputs ?? [];
  const source = shapeSource(index, batch, 0);
  return index.scalar(length) === -1 || shapeSource(index, length, 1) === source ? source : undefined;
}

/** `Unsqueeze(Gather(Shape(x), axis))` → `x` */
function shapeSource(index: GraphIndex, name: string, axis: number): string | undefined {
  const unsqueeze = index.producer(name, 'Unsqueeze');
  const gather = index.producer(unsqueeze?.inputs[0], 'Gather');
  const shape = index.producer(gather?.inputs[0], 'Shape');
  return shape && index.scalar(gather?.inputs[1]) === axis ? shape.inputs[0] : undefined;
}

/** Whether products with weights and sums with biases compute a value from another. */
export function isMadeFrom(index: GraphIndex, name: string, source: string): boolean | undefined {
  return follow<boolean>(name, (at) => {
    const node = index.producer(at);
    return at === source || (node !== undefined && keepsPositions(index, node) && index.variable(node));
  });
}

function keepsPositions(index: GraphIndex, { operator, inputs }: OnnxNode): boolean {
  const ranks = inputs.map((input) => index.constant(input)?.dims.length);
  if (operator === 'MatMul') return ranks[1] === 2;
  if (operator === 'Add') return ranks.includes(1);
  if (operator === 'Slice') return [2, -1].includes(index.scalar(inputs[3]) ?? 0);
  return operator === 'MatMulNBits' || operator === 'Cast';
}
