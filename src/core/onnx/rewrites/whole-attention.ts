import { floatAttribute, integerAttribute, integerOf, integersOf } from '../value.ts';
import { contribDomain, createGraphDraft } from '../graph-draft.ts';
import { follow, GraphIndex } from '../graph-index.ts';
import type { OnnxGraph, OnnxNode } from '../model.ts';

/** Heads of an attention, and the size of each. */
export interface AttentionHeads {
  readonly heads: number;
  readonly size: number;
}

/** An operand of attention, before it is parted into heads, or a cache of it: an input, `[batch, heads, length, size]`. */
interface Operand {
  /** `[batch, length, heads × size]`, or the cache where nothing is added to it. */
  readonly source: string;
  /** Factor after the parting. */
  readonly scale: number;
  /** Appends it to a cache. */
  readonly append?: OnnxNode;
}

/** Operators that keep the first two dimensions of their operand that is no constant. */
const elementwise = new Set('Add Mul Div Cast MatMul MatMulInteger DynamicQuantizeLinear'.split(' '));

/**
 * Attention of a whole sequence, or of one token to caches, becomes `MultiHeadAttention`: it keeps a tile of the scores, not all
 * of them, and is one node of a step. One token may see all, so the mask of a step says nothing. @returns nothing where there is none
 */
export function fuseWholeAttention(
  graph: OnnxGraph,
  { isStep = false, heads, size }: AttentionHeads & { readonly isStep?: boolean },
): OnnxGraph | undefined {
  const index = new GraphIndex(graph);
  const draft = createGraphDraft(graph);
  const isOutput = (name: string): boolean => graph.outputs.some((output) => output.name === name);
  let isChanged = false;
  for (const softmax of graph.nodes) {
    const isLastAxis = [-1, 3].includes(integerOf(softmax, 'axis') ?? -1);
    if (softmax.operator !== 'Softmax' || !isLastAxis || isOutput(softmax.outputs[0]!)) continue;
    const probabilities = withoutGuard(softmax.outputs[0]!);
    const masked = withoutMask(softmax.inputs[0]!);
    const scores = withoutFactors(masked);
    const [left, right] = index.producer(scores.source, 'MatMul')?.inputs ?? [];
    const product = index.soleConsumer(probabilities, 'MatMul');
    const turned = index.soleConsumer(product?.outputs[0], 'Transpose');
    const joined = index.soleConsumer(turned?.outputs[0], 'Reshape');
    if (!joined || product!.inputs[0] !== probabilities || permOf(turned!) !== '0,2,1,3') continue;
    const query = matchOperand(left, '0,2,1,3');
    const key = matchOperand(right, '0,2,3,1') ?? (isStep ? matchTurnedCache(right) : undefined);
    const value =
      matchOperand(product!.inputs[1], '0,2,1,3') ?? (isStep ? matchCache(product!.inputs[1]) : undefined);
    if (!query || !key || !value || !key.append !== !value.append) continue;
    const scale = scores.factor * query.scale * key.scale * value.scale;
    const appends = key.append && value.append ? [key.append, value.append] : [];
    for (const node of [joined, ...appends]) draft.remove(node);
    const inputs = [query.source, key.source, value.source];
    draft.add(
      'MultiHeadAttention',
      appends.length > 0 ? [...inputs, '', '', '', ...appends.map((node) => node.inputs[0]!)] : inputs,
      {
        domain: contribDomain,
        attributes: [integerAttribute('num_heads', heads), floatAttribute('scale', scale)],
        outputs: [...joined.outputs, ...appends.flatMap((node) => node.outputs)],
      },
    );
    isChanged = true;
  }
  return isChanged ? draft.finish() : undefined;

  /** Past a choice of 0 where a probability is no number. */
  function withoutGuard(probabilities: string): string {
    const chosen = index.consumers(probabilities).find((node) => node.inputs[2] === probabilities);
    const guard = chosen?.operator === 'Where' ? index.producer(chosen.inputs[0], 'IsNaN') : undefined;
    return guard?.inputs[0] === probabilities ? chosen!.outputs[0]! : probabilities;
  }

  function withoutMask(scores: string): string {
    const operands = (isStep && index.producer(scores, 'Add')?.inputs) || [];
    const isProduct = (name: string) => index.producer(withoutFactors(name).source, 'MatMul');
    return operands.find(isProduct) ?? scores;
  }

  /** Through the factors, the transposition and the parting into heads. */
  function matchOperand(name: string | undefined, perm: string): Operand | undefined {
    const after = withoutFactors(name);
    const turned = index.producer(after.source, 'Transpose');
    if (!turned || permOf(turned) !== perm) return undefined;
    const parted = index.producer(turned.inputs[0], 'Reshape');
    const [source, target] = parted?.inputs ?? [];
    if (
      source === undefined ||
      !isHiddenState(source) ||
      !partsOf(target).some((part) => part === heads || part === size)
    )
      return undefined;
    return { source, scale: after.factor };
  }

  function matchTurnedCache(name: string | undefined): Operand | undefined {
    const { source, factor } = withoutFactors(name);
    const turned = index.producer(source, 'Transpose');
    const cache = turned && permOf(turned) === '0,1,3,2' ? matchCache(turned.inputs[0]) : undefined;
    return cache && { ...cache, scale: cache.scale * factor };
  }

  /** A cache that is an input, or what is appended to such a one. */
  function matchCache(name: string | undefined): Operand | undefined {
    const append = index.producer(name, 'Concat');
    const [past, added] = append?.inputs ?? [name];
    if (!graph.inputs.some((input) => input.name === past && input.dims?.length === 4)) return undefined;
    if (!append) return { source: past!, scale: 1 };
    const operand = append.inputs.length === 2 && matchOperand(added, '0,2,1,3');
    return operand && operand.scale === 1 ? { ...operand, append } : undefined;
  }

  /** The constants among the dimensions of a reshape's target. */
  function partsOf(target: string | undefined): readonly number[] {
    const parts = index.producer(target, 'Concat')?.inputs ?? [target];
    return parts.flatMap((part) => index.values(part) ?? []);
  }

  function withoutFactors(name: string | undefined) {
    let [source, factor] = [name, 1];
    for (;;) {
      const [first, second] = index.producer(source, 'Mul')?.inputs ?? [];
      const [left, right] = [first, second].map((operand) => evaluate(operand));
      const own = right ?? left;
      if (own === undefined) return { source, factor };
      factor *= own;
      source = right === undefined ? second : first;
    }
  }

  /** A number that a graph computes from constants and the size of a head, as exporters write the scale of scores. */
  function evaluate(name: string | undefined): number | undefined {
    const constant = index.scalar(name);
    const { operator, inputs } = index.producer(name) ?? {};
    if (constant !== undefined || !inputs) return constant;
    const isSize = operator === 'Slice' || (operator === 'Gather' && index.scalar(inputs[1]) === 3);
    if (isSize) return index.producer(inputs[0], 'Shape') && size;
    if (!['Cast', 'Sqrt', 'Div', 'Pow'].includes(operator!)) return undefined;
    const [first = NaN, second = 1] = inputs.map((input) => evaluate(input));
    const value = operator === 'Div' ? first / second : first ** (operator === 'Sqrt' ? 0.5 : second);
    return Number.isNaN(value) ? undefined : value;
  }

  /** Whether a value is made of a normalized hidden state, or of audio, one position after the other: it has three dimensions. */
  function isHiddenState(name: string): boolean | undefined {
    return follow<boolean>(name, (at) => {
      if (graph.inputs.some((input) => input.name === at && input.dims?.length === 3)) return true;
      const node = index.producer(at);
      if (node?.operator === 'LayerNormalization') return true;
      return node !== undefined && elementwise.has(node.operator) && index.variable(node);
    });
  }
}

function permOf(transpose: OnnxNode): string | undefined {
  return integersOf(transpose, 'perm')?.join();
}
