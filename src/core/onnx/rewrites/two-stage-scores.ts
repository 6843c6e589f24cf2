import { elementTypes } from '../element-types.ts';
import { contribDomain, operatorsVersion } from '../graph-draft.ts';
import type { OnnxAttribute, OnnxGraph, OnnxModel, OnnxTensor } from '../model.ts';
import { integerAttribute, integersOf } from '../value.ts';
import { int8Activations } from './accuracy-level.ts';
import type { GraphIndex } from '../graph-index.ts';
import { ReplacementDraft, rewriteNodes, type Replacement } from './rewrite-nodes.ts';

/** So many activations and weights of a row share a scale. */
export const blockSize = 32;
/** Operators are written as they are from this version on. */
const leastOpset = 18;
/** Tokens whose scores are exact. */
const exactScores = 256;
/** A smaller table is read as fast as it is rounded. */
const leastTokens = 8192;

/** One row for each token, in float32 or in bytes of one scale. */
interface Table extends Pick<OnnxTensor, 'name' | 'dims'> {
  /** Names of the scale and the zero point of bytes. */
  readonly quantization?: readonly [scale: string, zeroPoint: string];
}

/**
 * Scores all tokens in 8 bits, and the likeliest ones once more with activations and weights as they are: the table of tokens is most of
 * what a step of a small decoder reads. The runtime rounds a table of float32 at load.
 *
 * @returns nothing where the output is no product with a large transposed table
 */
export function scoreInTwoStages(
  { graph, opsets }: Pick<OnnxModel, 'graph' | 'opsets'>,
  output: string,
): OnnxGraph | undefined {
  if (operatorsVersion(opsets) < leastOpset) return undefined;
  return rewriteNodes(graph, (node, scope) => {
    const isScores = node.operator === 'MatMul' && node.outputs[0] === output;
    const table = isScores ? readTable(node.inputs[1]!, scope) : undefined;
    return table && twoStages(node.inputs[0]!, table, output);
  });
}

function readTable(turned: string, scope: GraphIndex): Table | undefined {
  const dequantize = scope.producer(turned, 'DequantizeLinear');
  const transpose = scope.producer(dequantize ? dequantize.inputs[0] : turned, 'Transpose');
  const table = scope.constant(transpose?.inputs[0]);
  if (!table || (integersOf(transpose!, 'perm') ?? [1, 0]).join() !== '1,0') return undefined;
  const { name, dims, elementType } = table;
  const [count = 0, size = 0] = dims;
  if (dims.length !== 2 || count < leastTokens || size % blockSize !== 0) return undefined;
  if (!dequantize) return elementType === elementTypes.float32 ? { name, dims } : undefined;
  const [, scale, zeroPoint] = dequantize.inputs as [string, string, string];
  const isOne = [scale, zeroPoint].every((each) => scope.constant(each)?.dims.every((dim) => dim === 1));
  if (elementType !== elementTypes.uint8 || !isOne) return undefined;
  return { name, dims, quantization: [scale, zeroPoint] };
}

/** Attributes of a `MatMulNBits` of rows of `size` numbers. */
export function blockAttributes(size: number, count: number, accuracyLevel: number): OnnxAttribute[] {
  const settings = { K: size, N: count, bits: 8, block_size: blockSize, accuracy_level: accuracyLevel };
  return Object.entries(settings).map(([name, value]) => integerAttribute(name, value));
}

function twoStages(x: string, { name: table, dims, quantization }: Table, output: string): Replacement {
  const [count, size] = dims as [number, number];
  const blocks = size / blockSize;
  const draft = new ReplacementDraft(output);
  const grid = draft.int64('grid', [count, blocks]);
  const weights = quantization
    ? [table, ...quantization.map((each, index) => draft.add(`expanded${index}`, 'Expand', [each, grid]))]
    : roundByBlocks(draft, table, { blocks: count * blocks, grid });
  const shape = draft.int64('shape', [count, blocks, blockSize]);
  const bytes = draft.add('bytes', 'Reshape', [weights[0]!, shape]);
  const attributes = blockAttributes(size, count, int8Activations);
  const inputs = [x, bytes, ...weights.slice(1)];
  const scores = draft.add('scores', 'MatMulNBits', inputs, attributes, { domain: contribDomain });

  const last = draft.int64('last', [-1]);
  draft.add('best', 'TopK', [scores, draft.int64('exact', [exactScores])], [integerAttribute('sorted', 0)], {
    others: ['tokens'],
  });
  const tokens = `${output}.tokens`;
  const found = draft.add('found', 'Gather', [table, tokens]);
  const rows = quantization ? draft.add('rows', 'DequantizeLinear', [found, ...quantization]) : found;
  const column = draft.add('column', 'Unsqueeze', [x, last]);
  const exact = draft.add('rescored', 'Squeeze', [draft.add('again', 'MatMul', [rows, column]), last]);
  draft.finish('ScatterElements', [scores, tokens, exact], [integerAttribute('axis', -1)]);
  return draft;
}

/** @returns the names of bytes around 128, and of the scales of their blocks */
function roundByBlocks(
  draft: ReplacementDraft,
  table: string,
  { blocks, grid }: { readonly blocks: number; readonly grid: string },
): string[] {
  const cut = draft.add('cut', 'Reshape', [table, draft.int64('pieces', [blocks, blockSize])]);
  const axis = draft.int64('axis', [-1]);
  const highest = draft.add('highest', 'ReduceMax', [cut, axis]);
  const lowest = draft.add('depth', 'Neg', [draft.add('lowest', 'ReduceMin', [cut, axis])]);
  const most = draft.add('most', 'Max', [highest, lowest, draft.float32('least', 1e-30)]);
  const unit = draft.add('unit', 'Div', [most, draft.float32('steps', 127)]);
  const units = draft.add('units', 'Reshape', [unit, axis]);
  const half = draft.cast('half', draft.float32('number', 128), elementTypes.uint8);
  const halves = draft.add('halves', 'Expand', [half, draft.int64('all', [blocks])]);
  const bytes = draft.add('rounded', 'QuantizeLinear', [cut, units, halves], [integerAttribute('axis', 0)]);
  return [bytes, draft.add('scales', 'Reshape', [unit, grid])];
}
