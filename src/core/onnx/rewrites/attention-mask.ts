import { integerAttribute, nodeOf, tensorValue } from '../value.ts';
import { elementTypes } from '../element-types.ts';
import { GraphIndex } from '../graph-index.ts';
import type { OnnxModel, OnnxNode, OnnxValue } from '../model.ts';
import { pruneGraph } from '../prune-graph.ts';
import { matchAttention } from './attention-parts.ts';

/** Inputs of the graph of the masks in place of the shapes of values that it doesn't compute. */
export const maskInputs = {
  /** Shape of `past_key_values.*`, int64 `[4]`. */
  pastShape: 'slashv1.past_shape',
  /** Shape of the hidden state, int64 `[3]`. */
  hiddenShape: 'slashv1.hidden_shape',
} as const;

/** Outputs of the graph of the masks begin so; the name of the mask in the decoder follows. They are float32. */
export const maskPrefix = 'slashv1.mask.';

/** Operators of which masks are made. */
const maskOperators: ReadonlySet<string> = new Set(
  `Add And Cast Concat Constant ConstantOfShape CumSum Div Equal Expand Flatten Gather GatherND Greater GreaterOrEqual
   Identity IsNaN Less LessOrEqual Max Min Mod Mul Neg Not Or Pad Range ReduceMax ReduceMin ReduceSum Reshape ScatterND
   Shape Slice Squeeze Sub Tile Transpose Trilu Unsqueeze Where Xor`.split(/\s+/),
);
const maskSources: ReadonlySet<string> = new Set(['input_ids', 'attention_mask', 'position_ids']);

/** The mask after a node that only cuts it to the number of keys. */
export function peelMask(index: GraphIndex, name: string): string {
  const slice = index.producer(name, 'Slice');
  if (!slice || !cutsToLength(index, slice)) return name;
  return slice.inputs[0]!;
}

/** A `Slice` of the last axis from 0 to a computed length: masks are never longer where they are read here. */
function cutsToLength(index: GraphIndex, slice: OnnxNode): boolean {
  const axis = index.scalar(slice.inputs[3]);
  return (
    index.scalar(slice.inputs[1]) === 0 && (axis === 3 || axis === -1) && !index.constant(slice.inputs[2])
  );
}

/**
 * Takes the masks of a decoder's attention out of it, as a model that has nothing but them as outputs and no weights: run with
 * chosen lengths it shows what a position sees.
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
  const nodes: OnnxNode[] = [];
  const seen = new Set<string>();
  const sources = new Map<string, OnnxValue>();
  const open = [...masks];
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    if (seen.has(name) || name === '') continue;
    seen.add(name);
    const node = index.producer(name);
    if (!node) {
      const input = graph.inputs.find((one) => one.name === name);
      if (input && !maskSources.has(name)) return undefined;
      if (input) sources.set(name, input);
      continue;
    }
    const replaced = replaceNode(node);
    if (!maskOperators.has(replaced.operator)) return undefined;
    nodes.push(replaced);
    open.push(...replaced.inputs);
  }
  const dims = ['batch', 'heads', 'sequence', 'length'];
  const outputs: OnnxValue[] = [];
  for (const name of masks) {
    const output = `${maskPrefix}${name}`;
    const attributes = [integerAttribute('to', elementTypes.float32)];
    nodes.push(nodeOf('Cast', [name], [output], { attributes }));
    outputs.push(tensorValue(output, elementTypes.float32, dims));
  }
  const inputs = [...sources.values()];
  const initializers = graph.initializers.filter(({ data }) => data.place === 'inline');
  return { ...model, graph: pruneGraph({ ...graph, nodes, inputs, outputs, initializers }) };

  function replaceNode(node: OnnxNode): OnnxNode {
    const [first] = node.inputs;
    if (node.operator === 'Slice' && cutsToLength(index, node))
      return { ...node, operator: 'Identity', inputs: [first!], attributes: [] };
    if (node.operator !== 'Shape' || isLight(first!)) return node;
    const isPast = index.peel(first!).startsWith('past_key_values.');
    const name = isPast ? maskInputs.pastShape : maskInputs.hiddenShape;
    sources.set(name, tensorValue(name, elementTypes.int64, [isPast ? 4 : 3]));
    return { ...node, operator: 'Identity', inputs: [name], attributes: [] };
  }

  /** Whether a value can be computed without weights. */
  function isLight(name: string): boolean {
    const visited = new Set<string>();
    const rest = [name];
    for (let at = rest.pop(); at !== undefined; at = rest.pop()) {
      if (at === '' || visited.has(at)) continue;
      visited.add(at);
      const node = index.producer(at);
      const constant = index.constant(at);
      if (constant) {
        if (constant.data.place !== 'inline') return false;
      } else if (!node) {
        if (!maskSources.has(at)) return false;
      } else {
        const table = node.operator === 'Gather' ? index.constant(node.inputs[0]) : undefined;
        const isEmbedding = table && table.elementType !== elementTypes.int64;
        if (!maskOperators.has(node.operator) || isEmbedding) return false;
        // The shape of a value that is not computed is an input.
        if (node.operator !== 'Shape') rest.push(...node.inputs);
      }
    }
    return true;
  }
}
