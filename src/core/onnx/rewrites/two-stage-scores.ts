import { elementTypes } from '../element-types.ts';
import type { OnnxGraph, OnnxModel, OnnxNode, OnnxTensor } from '../model.ts';
import { integerAttribute, integersOf } from '../value.ts';
import { addBlockProduct, blockSize, leastOpset, addUnits } from './block-rounding.ts';
import { operatorsVersion } from '../graph-draft.ts';
import { ReplacementDraft } from './replacement-draft.ts';
import { rewriteNodes, type Replacement, type Scope } from './rewrite-nodes.ts';

/** Tokens whose scores are exact. */
const exactScores = 256;
/** A smaller table is read as fast as it is rounded. */
const leastTokens = 8192;

/**
 * Scores all tokens in 8 bits, and the likeliest ones anew in float32: the table of tokens is most of what a step of a small decoder reads. The
 * runtime rounds the table at load.
 *
 * @returns nothing where the output is no product with a large transposed table of float32
 */
export function scoreInTwoStages(
  { graph, opsets }: Pick<OnnxModel, 'graph' | 'opsets'>,
  output: string,
): OnnxGraph | undefined {
  if (operatorsVersion(opsets) < leastOpset) return undefined;
  return rewriteNodes(graph, (node, scope) => {
    const table = node.outputs[0] === output ? readTable(node, scope) : undefined;
    return table && twoStages(node.inputs[0]!, table, output);
  });
}

function readTable(node: OnnxNode, scope: Scope): OnnxTensor | undefined {
  const transpose = node.operator === 'MatMul' ? scope.producer(node.inputs[1], 'Transpose') : undefined;
  const table = scope.constant(transpose?.inputs[0]);
  if (!table || (integersOf(transpose!, 'perm') ?? [1, 0]).join() !== '1,0') return undefined;
  const [count = 0, size = 0] = table.dims;
  const fits = table.dims.length === 2 && count >= leastTokens && size % blockSize === 0;
  return fits && table.elementType === elementTypes.float32 ? table : undefined;
}

function twoStages(x: string, { name: table, dims }: OnnxTensor, output: string): Replacement {
  const [count, size] = dims as [number, number];
  const blocks = size / blockSize;
  const draft = new ReplacementDraft(output);
  const cut = draft.add('x', 'Reshape', [table, draft.int64('cut', [count * blocks, blockSize])]);
  const unit = addUnits(draft, cut);
  const flat = draft.add('units', 'Reshape', [unit, draft.int64('flat', [-1])]);
  const zero = draft.cast('zero', draft.float32('half', 128), elementTypes.uint8);
  const zeros = draft.add('zeros', 'Expand', [zero, draft.int64('rows', [count * blocks])]);
  const quantized = draft.add(
    'quantized',
    'QuantizeLinear',
    [cut, flat, zeros],
    [integerAttribute('axis', 0)],
  );
  const bytes = draft.add('bytes', 'Reshape', [quantized, draft.int64('shape', [count, blocks, blockSize])]);
  const scales = draft.add('scales', 'Reshape', [unit, draft.int64('grid', [count, blocks])]);
  const scores = addBlockProduct(draft, [x, bytes, scales], { size, count });

  const last = draft.int64('last', [-1]);
  draft.add('best', 'TopK', [scores, draft.int64('exact', [exactScores])], [integerAttribute('sorted', 0)], {
    others: ['tokens'],
  });
  const tokens = `${output}.tokens`;
  const rows = draft.add('likeliest', 'Gather', [table, tokens]);
  const column = draft.add('column', 'Unsqueeze', [x, last]);
  const exact = draft.add('rescored', 'Squeeze', [draft.add('again', 'MatMul', [rows, column]), last]);
  draft.finish('ScatterElements', [scores, tokens, exact], [integerAttribute('axis', -1)]);
  return draft;
}
