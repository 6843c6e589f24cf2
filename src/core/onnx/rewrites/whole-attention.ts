import { floatAttribute, integerAttribute, integerOf, integersOf } from '../value.ts';
import { contribDomain, GraphDraft } from '../graph-draft.ts';
import { follow, GraphIndex } from '../graph-index.ts';
import type { OnnxGraph, OnnxNode } from '../model.ts';

/** Number of heads, and the size of each. */
export interface AttentionHeads {
  readonly heads: number;
  readonly size: number;
}

/** An operand of attention before it is split into heads, or its cache: an input, `[batch, heads, length, size]`. */
interface Operand {
  /** `[batch, length, heads × size]`, or the cache if nothing is appended. */
  readonly source: string;
  /** Factor after the split. */
  readonly scale: number;
  /** Appends it to a cache. */
  readonly append?: OnnxNode;
}

/** Operators that keep the first two dimensions of their non-constant operand. */
const elementwise = new Set('Add Mul Div Cast MatMul MatMulInteger DynamicQuantizeLinear'.split(' '));

interface WholeAttention {
  /** The reshape that joins the heads. */
  readonly joined: OnnxNode;
  /** The nodes that append keys and values to their caches. */
  readonly appends: readonly OnnxNode[];
  readonly scale: number;
  readonly inputs: readonly string[];
}

/**
 * Fuses attention of a whole sequence, or of one token to caches, into `MultiHeadAttention`: it keeps a tile of the
 * scores instead of all, in a single node. A single token may see everything, so a step's mask has no effect. @returns
 * `undefined` without a match
 */
export function fuseWholeAttention(
  graph: OnnxGraph,
  heads: AttentionHeads & { readonly isStep?: boolean },
): OnnxGraph | undefined {
  const matcher = new AttentionMatcher(graph, heads);
  const draft = new GraphDraft(graph);
  let isChanged = false;
  for (const softmax of graph.nodes) {
    const found = matcher.match(softmax);
    if (!found) continue;
    const { joined, appends, scale, inputs } = found;
    for (const node of [joined, ...appends]) draft.remove(node);
    draft.add(
      'MultiHeadAttention',
      appends.length > 0 ? [...inputs, '', '', '', ...appends.map((node) => node.inputs[0]!)] : inputs,
      {
        domain: contribDomain,
        attributes: [integerAttribute('num_heads', heads.heads), floatAttribute('scale', scale)],
        outputs: [...joined.outputs, ...appends.flatMap((node) => node.outputs)],
      },
    );
    isChanged = true;
  }
  return isChanged ? draft.finish() : undefined;
}

class AttentionMatcher {
  readonly #graph: OnnxGraph;
  readonly #isStep: boolean;
  readonly #heads: number;
  readonly #size: number;
  readonly #index: GraphIndex;

  constructor(
    graph: OnnxGraph,
    { isStep = false, heads, size }: AttentionHeads & { readonly isStep?: boolean },
  ) {
    this.#graph = graph;
    this.#isStep = isStep;
    this.#heads = heads;
    this.#size = size;
    this.#index = new GraphIndex(graph);
  }

  /** The attention around a softmax. */
  match(softmax: OnnxNode): WholeAttention | undefined {
    const isLastAxis = [-1, 3].includes(integerOf(softmax, 'axis') ?? -1);
    const isOutput = this.#graph.outputs.some(({ name }) => name === softmax.outputs[0]);
    if (softmax.operator !== 'Softmax' || !isLastAxis || isOutput) return undefined;
    const probabilities = this.#withoutGuard(softmax.outputs[0]!);
    const masked = this.#withoutMask(softmax.inputs[0]!);
    const scores = this.#withoutFactors(masked);
    const [left, right] = this.#index.producer(scores.source, 'MatMul')?.inputs ?? [];
    const product = this.#index.soleConsumer(probabilities, 'MatMul');
    const turned = this.#index.soleConsumer(product?.outputs[0], 'Transpose');
    const joined = this.#index.soleConsumer(turned?.outputs[0], 'Reshape');
    if (!joined || product!.inputs[0] !== probabilities || permOf(turned!) !== '0,2,1,3') return undefined;
    const query = this.#matchOperand(left, '0,2,1,3');
    const key = this.#matchOperand(right, '0,2,3,1') ?? this.#matchTurnedCache(right);
    const value = this.#matchOperand(product!.inputs[1], '0,2,1,3') ?? this.#matchCache(product!.inputs[1]);
    if (!query || !key || !value || !key.append !== !value.append) return undefined;
    const scale = scores.factor * query.scale * key.scale * value.scale;
    const appends = key.append && value.append ? [key.append, value.append] : [];
    return { joined, appends, scale, inputs: [query.source, key.source, value.source] };
  }

  /** Skips a guard that replaces NaN probabilities by 0. */
  #withoutGuard(probabilities: string): string {
    const chosen = this.#index.consumers(probabilities).find((node) => node.inputs[2] === probabilities);
    const guard = chosen?.operator === 'Where' ? this.#index.producer(chosen.inputs[0], 'IsNaN') : undefined;
    return guard?.inputs[0] === probabilities ? chosen!.outputs[0]! : probabilities;
  }

  #withoutMask(scores: string): string {
    const operands = (this.#isStep && this.#index.producer(scores, 'Add')?.inputs) || [];
    const isProduct = (name: string) => this.#index.producer(this.#withoutFactors(name).source, 'MatMul');
    return operands.find(isProduct) ?? scores;
  }

  /** Walks through the factors, the transposition and the split into heads. */
  #matchOperand(name: string | undefined, perm: string): Operand | undefined {
    const after = this.#withoutFactors(name);
    const turned = this.#index.producer(after.source, 'Transpose');
    if (!turned || permOf(turned) !== perm) return undefined;
    const parted = this.#index.producer(turned.inputs[0], 'Reshape');
    const [source, target] = parted?.inputs ?? [];
    if (
      source === undefined ||
      !this.#isHiddenState(source) ||
      !this.#partsOf(target).some((part) => part === this.#heads || part === this.#size)
    )
      return undefined;
    return { source, scale: after.factor };
  }

  #matchTurnedCache(name: string | undefined): Operand | undefined {
    const { source, factor } = this.#withoutFactors(name);
    const turned = this.#index.producer(source, 'Transpose');
    const cache = turned && permOf(turned) === '0,1,3,2' ? this.#matchCache(turned.inputs[0]) : undefined;
    return cache && { ...cache, scale: cache.scale * factor };
  }

  /** A cache that is an input, or the node that appends to one. */
  #matchCache(name: string | undefined): Operand | undefined {
    if (!this.#isStep) return undefined;
    const append = this.#index.producer(name, 'Concat');
    const [past, added] = append?.inputs ?? [name];
    if (!this.#graph.inputs.some((input) => input.name === past && input.dims?.length === 4))
      return undefined;
    if (!append) return { source: past!, scale: 1 };
    const operand = append.inputs.length === 2 && this.#matchOperand(added, '0,2,1,3');
    return operand && operand.scale === 1 ? { ...operand, append } : undefined;
  }

  /** The constants among the dimensions of a reshape's target. */
  #partsOf(target: string | undefined): readonly number[] {
    const parts = this.#index.producer(target, 'Concat')?.inputs ?? [target];
    return parts.flatMap((part) => this.#index.values(part) ?? []);
  }

  #withoutFactors(name: string | undefined) {
    let [source, factor] = [name, 1];
    for (;;) {
      const [first, second] = this.#index.producer(source, 'Mul')?.inputs ?? [];
      const [left, right] = [first, second].map((operand) => this.#evaluate(operand));
      const own = right ?? left;
      if (own === undefined) return { source, factor };
      factor *= own;
      source = right === undefined ? second : first;
    }
  }

  /** A number that a graph computes from constants and the head size, as exporters write the scale of scores. */
  #evaluate(name: string | undefined): number | undefined {
    const constant = this.#index.scalar(name);
    const { operator, inputs } = this.#index.producer(name) ?? {};
    if (constant !== undefined || !inputs) return constant;
    const isSize = operator === 'Slice' || (operator === 'Gather' && this.#index.scalar(inputs[1]) === 3);
    if (isSize) return this.#index.producer(inputs[0], 'Shape') && this.#size;
    if (!['Cast', 'Sqrt', 'Div', 'Pow'].includes(operator!)) return undefined;
    const [first = NaN, second = 1] = inputs.map((input) => this.#evaluate(input));
    const value = operator === 'Div' ? first / second : first ** (operator === 'Sqrt' ? 0.5 : second);
    return Number.isNaN(value) ? undefined : value;
  }

  /** Whether a value comes from a normalized hidden state or from audio, position by position: it has three dimensions. */
  #isHiddenState(name: string): boolean | undefined {
    return follow<boolean>(name, (at) => {
      if (this.#graph.inputs.some((input) => input.name === at && input.dims?.length === 3)) return true;
      const node = this.#index.producer(at);
      if (node?.operator === 'LayerNormalization') return true;
      return node !== undefined && elementwise.has(node.operator) && this.#index.variable(node);
    });
  }
}

function permOf(transpose: OnnxNode): string | undefined {
  return integersOf(transpose, 'perm')?.join();
}
