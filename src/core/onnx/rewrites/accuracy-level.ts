import { integerAttribute, integerOf } from '../attributes.ts';
import { contribDomain } from '../graph-draft.ts';
import type { OnnxGraph, OnnxNode } from '../model.ts';
import { unchanged, type Rewritten } from './rewrite.ts';

/** Activations are quantized to 8 bits for the product: the fastest kernels of processors want that. */
const int8Activations = 4;

/**
 * Lets `MatMulNBits` compute with activations of 8 bits where the exporter left that open. For the CPU only.
 *
 * @see https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md#com.microsoft.MatMulNBits
 */
export function setAccuracyLevel(graph: OnnxGraph): Rewritten {
  let count = 0;
  const nodes = graph.nodes.map((node): OnnxNode => {
    if (node.operator !== 'MatMulNBits' || node.domain !== contribDomain) return node;
    if ((integerOf(node, 'accuracy_level') ?? 0) !== 0) return node;
    count++;
    const others = node.attributes.filter(({ name }) => name !== 'accuracy_level');
    return { ...node, attributes: [...others, integerAttribute('accuracy_level', int8Activations)] };
  });
  if (count === 0) return unchanged('no MatMulNBits without an accuracy level');
  return { graph: { ...graph, nodes } };
}
