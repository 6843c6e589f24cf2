import { integerAttribute, nodeOf, tensorValue } from '../value.ts';
import { elementTypes } from '../element-types.ts';
import { GraphIndex } from '../graph-index.ts';
import type { OnnxGraph, OnnxModel, OnnxNode } from '../model.ts';
import { pruneGraph } from '../prune-graph.ts';
import { matchAttention } from './attention-parts.ts';

/** Inputs of the mask graph, which replace the shapes of values that it doesn't compute. */
export const maskInputs = {
  /** Shape of `past_key_values.*`, int64 `[4]`. */
  pastShape: 'slashv1.past_shape',
  /** Shape of the hidden state, int64 `[3]`. */
  hiddenShape: 'slashv1.hidden_shape',
} as const;

/** Prefix of the mask graph's outputs; the name of the decoder's mask follows. The outputs are float32. */
export const maskPrefix = 'slashv1.mask.';

/** Operators that may compute masks. */
const maskOperators: ReadonlySet<string> = new Set(
  `Add And Cast Concat Constant ConstantOfShape CumSum Div Equal Expand Flatten Gather GatherND Greater GreaterOrEqual
   Identity IsNaN Less LessOrEqual Max Min Mod Mul Neg Not Or Pad Range ReduceMax ReduceMin ReduceSum Reshape ScatterND
   Shape Slice Squeeze Sub Tile Transpose Trilu Unsqueeze Where Xor`.split(/\s+/),
);
const maskSources: ReadonlySet<string> = new Set(['input_ids', 'attention_mask', 'position_ids']);

/** The mask before a node that only cuts it to the number of keys. */
export function peelMask(index: GraphIndex, name: string): string {
  const slice = index.producer(name, 'Slice');
  return slice && cutsToLength(index, slice) ? slice.inputs[0]! : name;
}

/** Whether a `Slice` cuts the last axis from 0 to a computed length: it has no effect here, since masks are never longer. */
function cutsToLength(index: GraphIndex, slice: OnnxNode): boolean {
  const axis = index.scalar(slice.inputs[3]);
  return (
    index.scalar(slice.inputs[1]) === 0 && (axis === 3 || axis === -1) && !index.constant(slice.inputs[2])
  );
}

/**
 * Extracts the attention masks of a decoder into a model without weights, whose outputs are the masks: run with
 * selected lengths, it shows what a position sees.
 */
export function maskModel(model: OnnxModel): OnnxModel | undefined {
  const { graph } = model;
  const index = new GraphIndex(graph);
  const masks = new Set<string>();
  for (const softmax of graph.nodes.filter(({ operator }) => operator === 'Softmax')) {
    const attention = matchAttention(index, softmax);
    if (typeof attention === 'string') continue;
    if (!attention.mask) return undefined;
    masks.add(peelMask(index, attention.mask.name));
  }
  if (masks.size === 0) return undefined;
  const light = lightValues(graph, index);
  const shapes = [
    tensorValue(maskInputs.pastShape, elementTypes.int64, [4]),
    tensorValue(maskInputs.hiddenShape, elementTypes.int64, [3]),
  ];
  const attributes = [integerAttribute('to', elementTypes.float32)];
  const casts = [...masks].map((name) => nodeOf('Cast', [name], [`${maskPrefix}${name}`], { attributes }));
  const dims = ['batch', 'heads', 'sequence', 'length'];
  const pruned = pruneGraph({
    ...graph,
    nodes: [...graph.nodes.map(replaceNode), ...casts],
    outputs: casts.map(({ outputs: [name] }) => tensorValue(name!, elementTypes.float32, dims)),
    initializers: graph.initializers.filter(({ data }) => data.place === 'inline'),
  });
  const taken = new Set(pruned.nodes.flatMap((node) => node.inputs));
  const sources = graph.inputs.filter(({ name }) => taken.has(name));
  const isMaskOnly =
    pruned.nodes.every(({ operator }) => maskOperators.has(operator)) &&
    sources.every(({ name }) => maskSources.has(name));
  if (!isMaskOnly) return undefined;
  const inputs = [...sources, ...shapes.filter(({ name }) => taken.has(name))];
  return { ...model, graph: { ...pruned, inputs } };

  function replaceNode(node: OnnxNode): OnnxNode {
    const [first] = node.inputs;
    if (node.operator === 'Slice' && cutsToLength(index, node))
      return { ...node, operator: 'Identity', inputs: [first!], attributes: [] };
    if (node.operator !== 'Shape' || light.has(first!)) return node;
    const isPast = index.peel(first!).startsWith('past_key_values.');
    const name = isPast ? maskInputs.pastShape : maskInputs.hiddenShape;
    return { ...node, operator: 'Identity', inputs: [name], attributes: [] };
  }
}

/** The values that can be computed without weights; the shapes of all remaining values become inputs. */
function lightValues({ nodes, initializers }: OnnxGraph, index: GraphIndex): ReadonlySet<string> {
  const placeOf = (name: string) => index.constant(name)?.data.place;
  const names = initializers.map(({ name }) => name).filter((name) => placeOf(name) === 'inline');
  const light = new Set(['', ...maskSources, ...names]);
  for (const { operator, inputs, outputs } of nodes) {
    const table = operator === 'Gather' ? index.constant(inputs[0]) : undefined;
    const isEmbedding = table && table.elementType !== elementTypes.int64;
    const isMade = operator === 'Shape' || inputs.every((name) => light.has(name));
    if (!maskOperators.has(operator) || isEmbedding || !isMade) continue;
    for (const name of outputs) if ((placeOf(name) ?? 'inline') === 'inline') light.add(name);
  }
  return light;
}
