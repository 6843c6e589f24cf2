import { integerOf, tensorValue } from '../value.ts';
import { presentKeysAndValues } from '../cache-names.ts';
import { GraphDraft } from '../graph-draft.ts';
import { GraphIndex } from '../graph-index.ts';
import type { OnnxGraph } from '../model.ts';
import { unchanged, type Rewritten } from './rewrite-nodes.ts';

/** The output with only the new slots of a `present.*`, `[batch, heads, sequence, size]`. */
export const newSlotsOutput = (present: string): string => `slashv1.${present}.new`;

/**
 * Adds an output with the step's new keys or values for each `present.*`, for caches outside the runtime: fetching an
 * output copies it, and the whole cache is large.
 */
export function addNewSlots(graph: OnnxGraph): Rewritten {
  const index = new GraphIndex(graph);
  const draft = new GraphDraft(graph);
  const names = presentKeysAndValues(graph.inputs);
  const presents = graph.outputs.filter(({ name }) => names.has(name));
  if (presents.length === 0) return unchanged('no outputs present.*');
  for (const present of presents) {
    const [batch, heads, , headSize] = present.dims ?? [];
    const { name, elementType } = present;
    if (elementType === undefined || batch === undefined) return unchanged(`${name} of an unknown type`);
    const output = newSlotsOutput(name);
    const node = index.producer(name);
    const isAppended = node?.operator === 'Concat' && node.inputs.length === 2;
    if (!isAppended || ![2, -2].includes(integerOf(node, 'axis') ?? 0))
      return unchanged(`${name} comes from ${node?.operator ?? 'an input'}`);
    draft.add('Identity', [node.inputs[1]!], { outputs: [output] });
    draft.setOutput(
      tensorValue(output, elementType, [batch, heads ?? 'heads', 'sequence_length', headSize ?? 'size']),
    );
  }
  return { graph: draft.finish() };
}
