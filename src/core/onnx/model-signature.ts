import { elementTypeName, type ElementTypeName } from './element-types.ts';
import type { OnnxGraph, OnnxModel, OnnxValue, OpsetImport } from './model.ts';
import { innerGraphs } from './value.ts';

/** An input or output of a model. */
export interface ValueSignature {
  readonly name: string;
  readonly type: ElementTypeName;
  /** A number where the model fixes the dimension, its symbolic name where it doesn't, `''` without a name. */
  readonly dims: readonly (number | string)[];
}

/** All that a model says of itself beside its weights. */
export interface ModelSignature {
  readonly inputs: readonly ValueSignature[];
  readonly outputs: readonly ValueSignature[];
  readonly metadata: ReadonlyMap<string, string>;
  readonly opsets: readonly OpsetImport[];
  readonly producerName: string;
  readonly producerVersion: string;
  /** Number of nodes of each operator, inner graphs included; operators of other domains as `domain:operator`. */
  readonly operators: ReadonlyMap<string, number>;
}

/** Reads what a session would say of a model, and more, without a session. */
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
