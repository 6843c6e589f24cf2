import { getOrCreate } from '../get-or-create.ts';
import { integersOf, tensorOf } from './value.ts';
import type { OnnxGraph, OnnxNode, OnnxTensor } from './model.ts';
import { scalarValue, tensorValues } from './tensor-values.ts';

/** Finds producers, consumers and constants of a graph's values. */
export class GraphIndex {
  readonly #producers = new Map<string, OnnxNode>();
  readonly #consumers = new Map<string, OnnxNode[]>();
  readonly #constants = new Map<string, OnnxTensor>();

  readonly #outer: GraphIndex | undefined;

  /** @param outer the enclosing graph's index */
  constructor(graph: OnnxGraph, outer?: GraphIndex) {
    this.#outer = outer;
    for (const tensor of graph.initializers) this.#constants.set(tensor.name, tensor);
    // An initializer of an input is only its default.
    for (const { name } of graph.inputs) this.#constants.delete(name);
    for (const node of graph.nodes) {
      for (const name of node.outputs) if (name !== '') this.#producers.set(name, node);
      for (const name of new Set(node.inputs)) {
        getOrCreate(this.#consumers, name, () => []).push(node);
      }
      const value = node.operator === 'Constant' ? tensorOf(node, 'value') : undefined;
      if (value) this.#constants.set(node.outputs[0]!, value);
    }
  }

  /** The node that produces a value; `undefined` for graph inputs and constants. */
  producer(name: string | undefined, operator?: string): OnnxNode | undefined {
    const node = name === undefined ? undefined : this.#producers.get(name);
    const isIt = node && (operator === undefined || node.operator === operator);
    return isIt ? node : this.#outer?.producer(name, operator);
  }

  consumers(name: string): readonly OnnxNode[] {
    return this.#consumers.get(name) ?? [];
  }

  /** The only node that consumes a value, apart from `Shape` nodes. */
  soleConsumer(name: string | undefined, operator?: string): OnnxNode | undefined {
    const all = name === undefined ? [] : this.consumers(name);
    const uses = all.filter((node) => node.operator !== 'Shape');
    const [node] = uses;
    return uses.length === 1 && (operator === undefined || node!.operator === operator) ? node : undefined;
  }

  constant(name: string | undefined): OnnxTensor | undefined {
    return name === undefined ? undefined : (this.#constants.get(name) ?? this.#outer?.constant(name));
  }

  /** The value of a one-element constant. */
  scalar(name: string | undefined): number | undefined {
    return scalarValue(this.constant(name));
  }

  /** The elements of a small constant. */
  values(name: string | undefined): readonly number[] | undefined {
    const tensor = this.constant(name);
    return tensor && tensorValues(tensor);
  }

  /** The source of a value, through nodes that only change its type or name. */
  peel(name: string): string {
    let at = name;
    for (const seen = new Set<string>(); !seen.has(at);) {
      seen.add(at);
      const node = this.#producers.get(at);
      if (node?.operator === 'Cast' || node?.operator === 'Identity') at = node.inputs[0]!;
    }
    return at;
  }

  /** The non-constant input of a node with a constant among its first two inputs. */
  variable(node: OnnxNode): string {
    return node.inputs[this.constant(node.inputs[0]) ? 1 : 0]!;
  }

  /** The axes of an `Unsqueeze`, `Squeeze` or `ReduceSum`: an input, or an attribute in older operator sets. */
  axes(node: OnnxNode): readonly number[] | undefined {
    return this.values(node.inputs[1]) ?? integersOf(node, 'axes');
  }
}

const maxSteps = 24;

/** Walks from value to value. @returns the first result of `next` that isn't a name; `undefined` after too many steps */
export function follow<Found>(name: string, next: (at: string) => string | Found): Found | undefined {
  let at: string | Found = name;
  for (let steps = 0; typeof at === 'string' && steps < maxSteps; steps++) at = next(at);
  return typeof at === 'string' ? undefined : at;
}
