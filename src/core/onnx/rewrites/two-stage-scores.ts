import { elementTypes } from '../element-types.ts';
import { contribDomain, operatorsVersion, type GraphDraft } from '../graph-draft.ts';
import type { OnnxAttribute, OnnxGraph, OnnxModel, OnnxTensor } from '../model.ts';
import { integerAttribute, integersOf } from '../value.ts';
import { int8Activations } from './accuracy-level.ts';
import type { GraphIndex } from '../graph-index.ts';
import { rewriteNodes } from './rewrite-nodes.ts';

/** From this version on, the operators have the form used here. */
const minOpset = 18;
/** Number of tokens with exact scores. */
const exactScores = 256;
/** Smaller tables aren't worth it: reading them is as fast as rounding. */
const minTokens = 8192;

/** One row per token, in float32 or in bytes with one scale. */
interface Table extends Pick<OnnxTensor, 'name' | 'dims'> {
  /** Names of the scale and the zero point of bytes. */
  readonly quantization?: readonly [scale: string, zeroPoint: string];
}

/**
 * Scores all tokens in 8 bits, and the likeliest ones again in full precision: the table of tokens is most of the
 * memory that a step of a small decoder reads. The runtime rounds a float32 table at load.
 *
 * @returns `undefined` unless the output is a product with a large transposed table
 */
export function scoreInTwoStages(
  { graph, opsets }: Pick<OnnxModel, 'graph' | 'opsets'>,
  output: string,
): OnnxGraph | undefined {
  if (operatorsVersion(opsets) < minOpset) return undefined;
  return rewriteNodes(graph, ({ operator, inputs, outputs }, draft, index) => {
    const isScores = operator === 'MatMul' && outputs[0] === output;
    const table = isScores ? readTable(inputs[1]!, index) : undefined;
    if (table) addTwoStages(draft, inputs[0]!, table, output);
    return table !== undefined;
  });
}

function readTable(turned: string, index: GraphIndex): Table | undefined {
  const dequantize = index.producer(turned, 'DequantizeLinear');
  const transpose = index.producer(dequantize ? dequantize.inputs[0] : turned, 'Transpose');
  const table = index.constant(transpose?.inputs[0]);
  if (!table || (integersOf(transpose!, 'perm') ?? [1, 0]).join() !== '1,0') return undefined;
  const { name, dims, elementType } = table;
  const [count = 0, size = 0] = dims;
  if (dims.length !== 2 || count < minTokens || !blockSizeOf(size)) return undefined;
  if (!dequantize) return elementType === elementTypes.float32 ? { name, dims } : undefined;
  const [, scale, zeroPoint] = dequantize.inputs as [string, string, string];
  const isOne = [scale, zeroPoint].every((each) => index.constant(each)?.dims.every((dim) => dim === 1));
  if (elementType !== elementTypes.uint8 || !isOne) return undefined;
  return { name, dims, quantization: [scale, zeroPoint] };
}

/** Number of a row's activations and weights that share a scale: the larger, the faster. */
function blockSizeOf(size: number): number | undefined {
  return [256, 128, 64, 32].find((each) => size % each === 0);
}

/** Attributes of a `MatMulNBits` with rows of `size` numbers. */
export function blockAttributes(
  size: number,
  count: number,
  accuracyLevel: number,
  blockSize: number,
): OnnxAttribute[] {
  const settings = { K: size, N: count, bits: 8, block_size: blockSize, accuracy_level: accuracyLevel };
  return Object.entries(settings).map(([name, value]) => integerAttribute(name, value));
}

function addTwoStages(
  draft: GraphDraft,
  x: string,
  { name: table, dims, quantization }: Table,
  output: string,
): void {
  const [count, size] = dims as [number, number];
  const blockSize = blockSizeOf(size)!;
  const blocks = size / blockSize;
  const grid = draft.int64([count, blocks]);
  const [numbers, ...scales] = quantization
    ? [table, ...quantization.map((each) => draft.add('Expand', [each, grid]))]
    : roundByBlocks(draft, table, { shape: [count * blocks, blockSize], grid });
  const bytes = draft.add('Reshape', [numbers!, draft.int64([count, blocks, blockSize])]);
  const attributes = blockAttributes(size, count, int8Activations, blockSize);
  const scores = draft.add('MatMulNBits', [x, bytes, ...scales], { attributes, domain: contribDomain });

  const last = draft.int64([-1]);
  const tokens = draft.name('tokens');
  draft.add('TopK', [scores, draft.int64([exactScores])], {
    attributes: [integerAttribute('sorted', 0)],
    outputs: [draft.name('best'), tokens],
  });
  const found = draft.add('Gather', [table, tokens]);
  const rows = quantization ? draft.add('DequantizeLinear', [found, ...quantization]) : found;
  const column = draft.add('Unsqueeze', [x, last]);
  const exact = draft.add('Squeeze', [draft.add('MatMul', [rows, column]), last]);
  draft.add('ScatterElements', [scores, tokens, exact], {
    attributes: [integerAttribute('axis', -1)],
    outputs: [output],
  });
}

/** @returns the names of bytes around 128, and of their blocks' scales */
function roundByBlocks(
  draft: GraphDraft,
  table: string,
  { shape, grid }: { readonly shape: readonly [blocks: number, blockSize: number]; readonly grid: string },
): string[] {
  const cut = draft.add('Reshape', [table, draft.int64(shape)]);
  const axis = draft.int64([-1]);
  const highest = draft.add('ReduceMax', [cut, axis]);
  const depth = draft.add('Neg', [draft.add('ReduceMin', [cut, axis])]);
  const most = draft.add('Max', [highest, depth, draft.float32(1e-30)]);
  const unit = draft.add('Div', [most, draft.float32(127)]);
  const units = draft.add('Reshape', [unit, axis]);
  const half = draft.cast(draft.float32(128), elementTypes.uint8);
  const halves = draft.add('Expand', [half, draft.int64([shape[0]])]);
  const attributes = [integerAttribute('axis', 0)];
  const bytes = draft.add('QuantizeLinear', [cut, units, halves], { attributes });
  return [bytes, draft.add('Reshape', [unit, grid])];
}
