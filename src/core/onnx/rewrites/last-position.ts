import { integerAttribute, integerOf, tensorValue } from '../value.ts';
import { elementTypes } from '../element-types.ts';
import { GraphDraft } from '../graph-draft.ts';
import { GraphIndex } from '../graph-index.ts';
import type { OnnxGraph, OnnxNode } from '../model.ts';
import { unchanged, type Rewritten } from './rewrite-nodes.ts';

/** Input `[batch, positions]`, int64: the positions of each row whose logits are needed; −1 is the last one. */
export const lastPositions = 'last_positions';

/** Operators of two inputs that work position by position if one input is constant. */
const withConstant: ReadonlySet<string> = new Set(['Mul', 'Div', 'Add', 'Sub']);
const alone: ReadonlySet<string> = new Set(['Cast', 'Identity', 'Tanh', 'Neg']);

/**
 * Selects positions of each row before the product with the vocabulary, so that `logits` is
 * `[batch, positions, vocabulary]` for any number of tokens. The positions are an input, `last_positions`: usually the
 * last one of each row. Rows with padding on the right can be read together with longer ones.
 */
export function gatherLastPosition(graph: OnnxGraph): Rewritten {
  const index = new GraphIndex(graph);
  const logits = graph.outputs.find(({ name }) => name === 'logits');
  if (!logits?.dims || logits.elementType === undefined)
    return unchanged('no output logits of a known shape');
  if (graph.inputs.some(({ name }) => name === lastPositions)) return unchanged('done already');
  const chain = findHead(index);
  if (typeof chain === 'string') return unchanged(chain);
  const { head, reshape } = chain;
  const draft = new GraphDraft(graph);
  draft.addInput(tensorValue(lastPositions, elementTypes.int64, ['batch_size', 'positions']));
  const hidden = beforeSlice(index, chain.hidden);
  const positions = draft.add('Unsqueeze', [lastPositions, draft.int64([2])]);
  const gathered = draft.add('GatherND', [hidden, positions], {
    attributes: [integerAttribute('batch_dims', 1)],
  });
  const [, , vocabularySize] = logits.dims;
  let rows = gathered;
  if (reshape) {
    if (typeof vocabularySize !== 'number') return unchanged('the size of the vocabulary is open');
    rows = draft.add('Flatten', [gathered], { attributes: [integerAttribute('axis', 2)] });
    const sizes = [draft.add('Shape', [lastPositions]), draft.int64([vocabularySize])];
    const shape = draft.add('Concat', sizes, { attributes: [integerAttribute('axis', 0)] });
    draft.replace(reshape, { ...reshape, inputs: [reshape.inputs[0]!, shape] });
  }
  draft.replace(head, { ...head, inputs: head.inputs.with(0, rows) });
  const dims = ['batch_size', 'positions', vocabularySize ?? 'vocabulary_size'];
  draft.setOutput(tensorValue('logits', logits.elementType, dims));
  return { graph: draft.finish() };
}

interface Head {
  readonly head: OnnxNode;
  /** Its first input, `[batch, sequence, hidden]` */
  readonly hidden: string;
  /** If the product is two-dimensional: the node that makes the logits three-dimensional. */
  readonly reshape?: OnnxNode;
}

/** Walks back from the logits to the product with the vocabulary. */
function findHead(index: GraphIndex): Head | string {
  let name = 'logits';
  let reshape: OnnxNode | undefined;
  for (let steps = 0; steps < 32; steps++) {
    const node = index.producer(name);
    if (!node) return `${name} comes from no node`;
    const first = node.inputs[0]!;
    const second = node.inputs[1];
    if (index.consumers(name).length > (steps === 0 ? 0 : 1)) return `${name} has other uses than the logits`;
    if (alone.has(node.operator)) name = first;
    else if (withConstant.has(node.operator) && isPerPosition(index, second)) name = first;
    else if (withConstant.has(node.operator) && isPerPosition(index, first)) name = second!;
    else if (node.operator === 'Reshape' && !reshape) {
      reshape = node;
      name = first;
    } else if (node.operator === 'Gemm') return flatHead(index, node, reshape);
    else if (node.operator === 'MatMul' || node.operator === 'MatMulNBits') {
      if (reshape) return flatHead(index, node, reshape);
      return { head: node, hidden: first };
    } else return `the logits come from ${node.operator}`;
  }
  return 'the nodes after the product with the vocabulary are too many';
}

/** Whether a constant is the same for every position: a scalar, or one value per vocabulary entry. */
function isPerPosition(index: GraphIndex, name: string | undefined): boolean {
  const constant = index.constant(name);
  return constant !== undefined && constant.dims.slice(0, -1).every((dim) => dim === 1);
}

/** The hidden state before a product over the rows of all positions, `[batch · sequence, hidden]`. */
function flatHead(index: GraphIndex, head: OnnxNode, reshape: OnnxNode | undefined): Head | string {
  const flatten = index.producer(head.inputs[0], 'Reshape');
  if (!reshape || !flatten) return `a ${head.operator} without Reshape around it`;
  if (integerOf(head, 'transA')) return 'a Gemm of a transposed hidden state';
  return { head, hidden: flatten.inputs[0]!, reshape };
}

/** The hidden state of all positions, if the graph selects some of them by `num_logits_to_keep`. */
function beforeSlice(index: GraphIndex, hidden: string): string {
  const slice = index.producer(hidden, 'Slice');
  const axes = slice && index.values(slice.inputs[3]);
  return slice && axes?.length === 1 && axes[0] === 1 ? slice.inputs[0]! : hidden;
}
