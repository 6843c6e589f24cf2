import { integerAttribute, integerOf } from '../value.ts';
import { contribDomain } from '../graph-draft.ts';
import type { OnnxGraph, OnnxNode } from '../model.ts';
import { unchanged, type Rewritten } from './rewrite-nodes.ts';

/** Activations are quantized to 8 bits for the product, as the fastest CPU kernels require. */
export const int8Activations = 4;

/**
 * Lets `MatMulNBits` compute with 8-bit activations unless the exporter has set its accuracy level. For the CPU only.
 * @see https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md#com.microsoft.MatMulNBits
 */
export function setAccuracyLevel(graph: OnnxGraph): Rewritten {
  let count = 0;
  const nodes = graph.nodes.map((node): OnnxNode => {
    if (accuracyLevelOf(node) !== 0) return node;
    count++;
    const others = node.attributes.filter(({ name }) => name !== 'accuracy_level');
    return { ...node, attributes: [...others, integerAttribute('accuracy_level', int8Activations)] };
  });
  if (count === 0) return unchanged('no MatMulNBits without an accuracy level');
  return { graph: { ...graph, nodes } };
}

/**
 * Whether products with 4-bit weights leave the precision of activations open, or round them to 8 bits; `undefined` for
 * neither, or without such products.
 */
export function activationsOf(graph: OnnxGraph): 'open' | 'int8' | undefined {
  const levels = new Set(graph.nodes.map(accuracyLevelOf));
  if (levels.has(int8Activations)) return 'int8';
  return levels.has(0) ? 'open' : undefined;
}

function accuracyLevelOf(node: OnnxNode): number | undefined {
  if (node.operator !== 'MatMulNBits' || node.domain !== contribDomain) return undefined;
  return integerOf(node, 'accuracy_level') ?? 0;
}
