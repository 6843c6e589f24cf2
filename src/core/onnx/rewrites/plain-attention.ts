import { contribDomain } from '../graph-draft.ts';
import { elementTypes } from '../element-types.ts';
import type { OnnxGraph, OnnxNode, OnnxTensor } from '../model.ts';
import { inlineTensor } from '../tensor-values.ts';
import { integerOf } from '../value.ts';
import { unchanged, type Rewritten } from './rewrite-nodes.ts';

/** Input indexes of `past_key` and `head_sink`. */
const [pastKey, headSink] = [3, 11];

// Source: https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md#com.microsoft.GroupQueryAttention
/**
 * Adds sinks of minus infinity to each `GroupQueryAttention`. They don't change the sum, but make the CPU provider use
 * its plain kernel (products and a softmax) instead of its fused one.
 *
 * @param threads nodes with fewer heads are unchanged: only the fused kernel keeps all threads busy then
 */
export function addEmptySinks(graph: OnnxGraph, threads: number): Rewritten {
  const types = new Map(graph.inputs.map(({ name, elementType }) => [name, elementType]));
  const sinks = new Map<number, OnnxTensor>();
  const nodes = graph.nodes.map((node): OnnxNode => {
    const { operator, domain, inputs } = node;
    const heads = integerOf(node, 'num_heads') ?? 0;
    const isFused = operator === 'GroupQueryAttention' && domain === contribDomain && !inputs[headSink];
    if (!isFused || heads < threads || integerOf(node, 'smooth_softmax')) return node;
    if (types.get(inputs[pastKey] ?? '') !== elementTypes.float32) return node;
    const bytes = new Uint8Array(new Float32Array(heads).fill(-Infinity).buffer);
    const sink = inlineTensor(`slashv1.empty-sinks.${heads}`, elementTypes.float32, [heads], bytes);
    sinks.set(heads, sink);
    const others = Array.from({ length: headSink }, (_, place) => inputs[place] ?? '');
    return { ...node, inputs: [...others, sink.name, ...inputs.slice(headSink + 1)] };
  });
  if (sinks.size === 0) return unchanged('no GroupQueryAttention with a fused kernel');
  return { graph: { ...graph, nodes, initializers: [...graph.initializers, ...sinks.values()] } };
}
