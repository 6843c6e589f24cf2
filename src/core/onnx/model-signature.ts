import { elementTypeName, type ElementTypeName } from './element-types.ts';
import type { OnnxGraph, OnnxModel, OnnxValue, OpsetImport } from './model.ts';
import { innerGraphs } from './value.ts';

export interface ValueSignature {
  readonly name: string;
  readonly type: ElementTypeName;
  /** A number for a fixed dimension, otherwise its symbolic name, or `''` without a name. */
  readonly dims: readonly (number | string)[];
}

/** A model's metadata, without its weights. */
export interface ModelSignature {
  readonly inputs: readonly ValueSignature[];
  readonly outputs: readonly ValueSignature[];
  readonly metadata: ReadonlyMap<string, string>;
  readonly opsets: readonly OpsetImport[];
  readonly producerName: string;
  readonly producerVersion: string;
  /** Number of nodes per operator, nested graphs included; operators of non-standard domains as `domain:operator`. */
  readonly operators: ReadonlyMap<string, number>;
}

/** Reads what a session would report about a model, and more, without a session. */
export function modelSignature({ graph, ...model }: OnnxModel): ModelSignature {
  const defaults = new Set(graph.initializers.map(({ name }) => name));
  const { metadata, opsets, producerName, producerVersion } = model;
  return {
    // Files of the first versions list constants among the inputs.
    inputs: graph.inputs.filter(({ name }) => !defaults.has(name)).map(toSignature),
    outputs: graph.outputs.map(toSignature),
    metadata,
    opsets,
    producerName,
    producerVersion,
    operators: countOperators(graph, new Map()),
  };
}

function toSignature({ name, elementType, dims }: OnnxValue): ValueSignature {
  const type = elementTypeName(elementType);
  if (type === undefined)
    throw new RangeError(`${name}: expected a tensor of a known type, got ${elementType}`);
  return { name, type, dims: dims ?? [] };
}

function countOperators(graph: OnnxGraph, counts: Map<string, number>): Map<string, number> {
  for (const node of graph.nodes) {
    const { operator, domain } = node;
    const name = domain === '' ? operator : `${domain}:${operator}`;
    counts.set(name, (counts.get(name) ?? 0) + 1);
    for (const inner of innerGraphs(node)) countOperators(inner, counts);
  }
  return counts;
}
