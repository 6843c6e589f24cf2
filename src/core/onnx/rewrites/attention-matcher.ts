import { elementTypes } from '../element-types.ts';
import { follow, GraphIndex } from '../graph-index.ts';
import type { OnnxGraph, OnnxNode } from '../model.ts';
import { integerOf, integersOf } from '../value.ts';

/** Number of heads, and the size of each. */
export interface AttentionHeads {
  readonly heads: number;
  readonly size: number;
}

/** An operand of attention before it is split into heads, or its cache: an input, `[batch, heads, length, size]`. */
interface Operand extends AttentionHeads {
  /** `[batch, length, heads × size]`, or the cache if nothing is appended. */
  readonly source: string;
  /** Dimensions of its split into heads. */
  readonly target?: string | undefined;
  /** Factor after the split. */
  readonly scale: number;
  readonly isComputed: boolean;
  /** Appends it to a cache. */
  readonly append?: OnnxNode;
}

/** Operators that keep the first two dimensions of their non-constant operand. */
const elementwise = new Set('Add Mul Div Cast MatMul MatMulInteger DynamicQuantizeLinear'.split(' '));

export interface MatcherOptions {
  /** Default: the last two constants of the target of each split. */
  readonly shape?: AttentionHeads;
  /** Whether one token is read after its caches; it may see everything, so that a mask has no effect. */
  readonly isStep?: boolean;
  /** Whether scores may have a mask. */
  readonly keepsMask?: boolean;
}

export interface MatchedAttention {
  readonly query: Operand;
  readonly key: Operand;
  readonly value: Operand;
  /** Scores after their factors, before the mask. */
  readonly scaled: string;
  /** Values as the probabilities weight them, `[batch, heads, length, size]`. */
  readonly weighted: string;
  /** The reshape that joins the heads. */
  readonly joined: OnnxNode;
  readonly scale: number;
  /** Whether the graph computes factors from a shape, in float32. */
  readonly isComputed: boolean;
}

/** Finds attention as exporters write it. */
export class AttentionMatcher {
  readonly index: GraphIndex;
  readonly #graph: OnnxGraph;
  readonly #options: MatcherOptions;

  constructor(graph: OnnxGraph, options: MatcherOptions) {
    this.#graph = graph;
    this.#options = options;
    this.index = new GraphIndex(graph);
  }

  /** The attention around a softmax. */
  match(softmax: OnnxNode): MatchedAttention | undefined {
    if (softmax.operator !== 'Softmax') return undefined;
    const isLastAxis = [-1, 3].includes(integerOf(softmax, 'axis') ?? -1);
    const isOutput = this.#graph.outputs.some(({ name }) => name === softmax.outputs[0]);
    if (!isLastAxis || isOutput) return undefined;
    const probabilities = this.#withoutGuard(softmax.outputs[0]!);
    const scaled = this.#withoutMask(softmax.inputs[0]!);
    const scores = this.#withoutFactors(scaled);
    const [left, right] = this.index.producer(scores.source, 'MatMul')?.inputs ?? [];
    const product = this.index.soleConsumer(probabilities, 'MatMul');
    const turned = this.index.soleConsumer(product?.outputs[0], 'Transpose');
    const joined = this.index.soleConsumer(turned?.outputs[0], 'Reshape');
    if (!joined || product!.inputs[0] !== probabilities || permOf(turned!) !== '0,2,1,3') return undefined;
    const query = this.#matchOperand(left, '0,2,1,3');
    const key = this.#matchOperand(right, '0,2,3,1') ?? this.#matchTurnedCache(right);
    const value = this.#matchOperand(product!.inputs[1], '0,2,1,3') ?? this.#matchCache(product!.inputs[1]);
    if (!query || !key || value?.scale !== 1 || !key.append !== !value.append) return undefined;
    return {
      query,
      key,
      value,
      scaled,
      weighted: product!.inputs[1]!,
      joined,
      scale: scores.factor * query.scale * key.scale,
      isComputed: [scores, query, key].some(({ isComputed }) => isComputed),
    };
  }

  /** Skips a guard that replaces NaN probabilities by 0. */
  #withoutGuard(probabilities: string): string {
    const chosen = this.index.consumers(probabilities).find((node) => node.inputs[2] === probabilities);
    const guard = chosen?.operator === 'Where' ? this.index.producer(chosen.inputs[0], 'IsNaN') : undefined;
    return guard?.inputs[0] === probabilities ? chosen!.outputs[0]! : probabilities;
  }

  #withoutMask(scores: string): string {
    const { isStep, keepsMask } = this.#options;
    const operands = ((isStep || keepsMask) && this.index.producer(scores, 'Add')?.inputs) || [];
    const isProduct = (name: string) => this.index.producer(this.#withoutFactors(name).source, 'MatMul');
    return operands.find(isProduct) ?? scores;
  }

  /** Walks through the factors, the transposition and the split into heads. */
  #matchOperand(name: string | undefined, perm: string): Operand | undefined {
    const after = this.#withoutFactors(name);
    const turned = this.index.producer(after.source, 'Transpose');
    if (!turned || permOf(turned) !== perm) return undefined;
    const split = this.index.producer(turned.inputs[0], 'Reshape');
    const [source, target] = split?.inputs ?? [];
    const heads = this.#headsOf(target);
    if (source === undefined || !heads || !this.#isHiddenState(source)) return undefined;
    return { ...heads, source, target, scale: after.factor, isComputed: after.isComputed };
  }

  #matchTurnedCache(name: string | undefined): Operand | undefined {
    const { source, factor } = this.#withoutFactors(name);
    const turned = this.index.producer(source, 'Transpose');
    const cache = turned && permOf(turned) === '0,1,3,2' ? this.#matchCache(turned.inputs[0]) : undefined;
    return cache && { ...cache, scale: cache.scale * factor };
  }

  /** A cache that is an input, or the node that appends to one. */
  #matchCache(name: string | undefined): Operand | undefined {
    if (!this.#options.isStep) return undefined;
    const append = this.index.producer(name, 'Concat');
    const [past, added] = append?.inputs ?? [name];
    if (!this.#graph.inputs.some((input) => input.name === past && input.dims?.length === 4))
      return undefined;
    if (!append) return { ...this.#options.shape!, source: past!, scale: 1, isComputed: false };
    const operand = append.inputs.length === 2 && this.#matchOperand(added, '0,2,1,3');
    return operand && operand.scale === 1 ? { ...operand, append } : undefined;
  }

  /** The expected heads if they occur in a reshape's target, or else its last two constants. */
  #headsOf(target: string | undefined): AttentionHeads | undefined {
    const parts = this.#partsOf(target);
    const { shape } = this.#options;
    if (shape) return parts.some((part) => part === shape.heads || part === shape.size) ? shape : undefined;
    const { length } = this.index.producer(target, 'Concat')?.inputs ?? parts;
    const [heads = 0, size = 0] = parts.slice(-2);
    return length === 4 && heads > 0 && size > 0 ? { heads, size } : undefined;
  }

  /** The constants among the dimensions of a reshape's target. */
  #partsOf(target: string | undefined): readonly number[] {
    const parts = this.index.producer(target, 'Concat')?.inputs ?? [target];
    return parts.flatMap((part) => this.index.values(part) ?? []);
  }

  #withoutFactors(name: string | undefined) {
    let [source, factor, isComputed] = [name, 1, false];
    for (;;) {
      const [first, second] = this.index.producer(source, 'Mul')?.inputs ?? [];
      const [left, right] = [first, second].map((operand) => this.#evaluate(operand));
      const own = right ?? left;
      if (own === undefined) return { source, factor, isComputed };
      factor *= own;
      isComputed ||= this.#isComputed(right === undefined ? first! : second!);
      source = right === undefined ? second : first;
    }
  }

  /** A number that a graph computes from constants and the head size, as exporters write the scale of scores. */
  #evaluate(name: string | undefined): number | undefined {
    const constant = this.index.scalar(name);
    const { operator, inputs } = this.index.producer(name) ?? {};
    if (constant !== undefined || !inputs) return constant;
    if (operator === 'Slice' || operator === 'Gather') {
      const shape = this.index.producer(inputs[0], 'Shape');
      return shape && [-1, 3].includes(this.index.scalar(inputs[1])!) ? this.#sizeOf(shape) : undefined;
    }
    if (!['Cast', 'Sqrt', 'Div', 'Pow'].includes(operator!)) return undefined;
    const [first = NaN, second = 1] = inputs.map((input) => this.#evaluate(input));
    const value = operator === 'Div' ? first / second : first ** (operator === 'Sqrt' ? 0.5 : second);
    return Number.isNaN(value) ? undefined : value;
  }

  #sizeOf({ inputs: [measured] }: OnnxNode): number | undefined {
    const split = this.index.producer(this.index.producer(measured, 'Transpose')?.inputs[0], 'Reshape');
    return this.#options.shape?.size ?? this.#headsOf(split?.inputs[1])?.size;
  }

  /** Whether the graph computes a factor from a shape, in float32. */
  #isComputed(factor: string): boolean {
    return (
      follow<boolean>(factor, (at) => {
        const node = this.index.producer(at);
        if (!node || node.operator === 'Cast')
          return node !== undefined && integerOf(node, 'to') === elementTypes.float32;
        return this.index.variable(node);
      }) ?? false
    );
  }

  /** Whether a value comes from a normalized hidden state or from audio, position by position: it has three dimensions. */
  #isHiddenState(name: string): boolean | undefined {
    return follow<boolean>(name, (at) => {
      if (this.#graph.inputs.some((input) => input.name === at && input.dims?.length === 3)) return true;
      const node = this.index.producer(at);
      if (node?.operator === 'LayerNormalization') return true;
      return node !== undefined && elementwise.has(node.operator) && this.index.variable(node);
    });
  }
}

function permOf(transpose: OnnxNode): string | undefined {
  return integersOf(transpose, 'perm')?.join();
}
