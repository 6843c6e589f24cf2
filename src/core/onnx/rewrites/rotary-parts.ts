import { integerOf } from '../value.ts';
import { follow, type GraphIndex } from '../graph-index.ts';
import type { OnnxNode } from '../model.ts';

/** Rotary position embedding as exporters write it: `x · cos + rotate_half(x) · sin`. */
export interface Rotary {
  /** The rotated tensor, `[batch, heads, sequence, size]`. */
  readonly input: string;
  /** `[batch or 1, sequence, rotated]`, its second half equal to the first */
  readonly cos: string;
  readonly sin: string;
  /** Number of rotated leading elements of each head; default all. */
  readonly partial: number | undefined;
}

/** Matches the rotation that produces a value. */
export function matchRotary(index: GraphIndex, name: string): Rotary | undefined {
  const node = index.producer(index.peel(name));
  if (node?.operator === 'Add') {
    const full = matchSum(index, node);
    return full && { ...full, partial: undefined };
  }
  if (node?.operator !== 'Concat' || node.inputs.length !== 2 || !isLastAxis(integerOf(node, 'axis')))
    return undefined;
  const sum = index.producer(index.peel(node.inputs[0]!), 'Add');
  const rotated = sum && matchSum(index, sum);
  const head = rotated && index.producer(rotated.input, 'Slice');
  const tail = index.producer(index.peel(node.inputs[1]!), 'Slice');
  if (!rotated || !head || !tail || head.inputs[0] !== tail.inputs[0]) return undefined;
  if (!isSliceOfLastAxis(index, head) || !isSliceOfLastAxis(index, tail)) return undefined;
  if (index.scalar(head.inputs[1]) !== 0) return undefined;
  const partial = index.scalar(head.inputs[2]) ?? tableSize(index, rotated.cos);
  return partial === undefined ? undefined : { ...rotated, input: head.inputs[0]!, partial };
}

function matchSum(index: GraphIndex, add: OnnxNode): Omit<Rotary, 'partial'> | undefined {
  for (const [straight, turned] of [add.inputs, add.inputs.toReversed()]) {
    const cosine = index.producer(straight, 'Mul');
    const sine = index.producer(turned, 'Mul');
    if (!cosine || !sine) return undefined;
    for (const [rotated, sinName] of [sine.inputs, sine.inputs.toReversed()]) {
      const input = matchRotateHalf(index, rotated!);
      if (input === undefined || !cosine.inputs.includes(input)) continue;
      const cosName = cosine.inputs.find((name) => name !== input)!;
      const cos = matchTable(index, cosName, 'Cos');
      const sin = matchTable(index, sinName!, 'Sin');
      if (cos !== undefined && sin !== undefined) return { input, cos, sin };
    }
  }
  return undefined;
}

/** `concat(−x[half …], x[… half])` → `x` */
function matchRotateHalf(index: GraphIndex, name: string): string | undefined {
  const concat = index.producer(name, 'Concat');
  if (!concat || concat.inputs.length !== 2 || !isLastAxis(integerOf(concat, 'axis'))) return undefined;
  const negative = index.producer(concat.inputs[0], 'Neg');
  const upper = index.producer(negative?.inputs[0], 'Slice');
  const lower = index.producer(concat.inputs[1], 'Slice');
  if (!upper || !lower || upper.inputs[0] !== lower.inputs[0]) return undefined;
  if (!isSliceOfLastAxis(index, upper) || !isSliceOfLastAxis(index, lower)) return undefined;
  return index.scalar(lower.inputs[1]) === 0 ? upper.inputs[0] : undefined;
}

/** Cosines or sines without the axis for the heads, if both halves are the same. */
function matchTable(index: GraphIndex, name: string, operator: 'Cos' | 'Sin'): string | undefined {
  const unsqueeze = index.producer(index.peel(name), 'Unsqueeze');
  if (!unsqueeze || index.axes(unsqueeze)?.join() !== '1') return undefined;
  let at = index.peel(unsqueeze.inputs[0]!);
  const scaled = index.producer(at, 'Mul');
  if (scaled && index.scalar(scaled.inputs[1]) !== undefined) at = index.peel(scaled.inputs[0]!);
  const wave = index.producer(at, operator);
  const angles = wave && index.producer(index.peel(wave.inputs[0]!), 'Concat');
  const isDoubled = angles && angles.inputs.length === 2 && angles.inputs[0] === angles.inputs[1];
  return isDoubled ? unsqueeze.inputs[0] : undefined;
}

/** Number of cosines per position: two per inverse frequency. */
function tableSize(index: GraphIndex, cos: string): number | undefined {
  return follow<number | undefined>(cos, (at) => {
    const constant = index.constant(at);
    if (constant) return 2 * constant.dims.reduce((product, dim) => product * dim, 1);
    const { operator, inputs: [first, second] = [] } = index.producer(at) ?? {};
    // The product of inverse frequencies and positions: the positions come from an input.
    const isProduct = operator === 'MatMul' || operator === 'Mul';
    return isProduct && index.scalar(second) === undefined && !leadsToConstant(index, first!)
      ? second
      : first;
  });
}

function leadsToConstant(index: GraphIndex, name: string): boolean | undefined {
  return follow<boolean>(name, (at) => {
    return index.constant(at) !== undefined || (index.producer(at)?.inputs[0] ?? false);
  });
}

function isSliceOfLastAxis(index: GraphIndex, slice: OnnxNode): boolean {
  return isLastAxis(index.scalar(slice.inputs[3]));
}

function isLastAxis(axis: number | undefined): boolean {
  return axis === -1 || axis === 3;
}
