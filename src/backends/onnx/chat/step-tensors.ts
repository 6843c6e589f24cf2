import { embeddingsInput, layerEmbeddingsInput } from '../../../core/onnx/cache-names.ts';
import { rowLengthInputs } from '../../../core/onnx/rewrites/row-lengths.ts';
import type { Tensor, TensorMap } from '../../../contracts/graph.ts';
import { filled } from '../../../runtime/tensors.ts';
import type { DecoderCache, StepInputs } from '../../../contracts/decoder.ts';
import type { DecoderLayout } from './decoder-layout.ts';

/** Masks over sequences that begin at the first slot grow by so many slots. */
const maskStep = 64;

/** A cache that steps append to. */
export interface SteppedCache extends DecoderCache {
  /** Slots of each row. */
  readonly capacity: number;
  /** Tensors of the last step, for the next one where they fit it. */
  step: StepTensors | undefined;
}

export interface StepSize {
  /** Tokens of each row. */
  readonly count: number;
  /** Positions of each row whose logits are wanted: the last ones. */
  readonly wanted: number;
  /** Whether sequences end at the last slot, and new slots come after it; else they begin at the first one. */
  readonly atEnd?: boolean;
}

export type StepTensors = ReturnType<typeof createStepTensors>;

/**
 * Makes the small inputs of a step beside its cache: tokens or embeddings, positions, the mask. They are written again while the
 * cache keeps its rows and its capacity, each row gets the same number of tokens and logits, and the mask is wide enough.
 */
export function createStepTensors(
  { inputs, layerDims = [0], shape }: DecoderLayout,
  { rows, lengths: begun, capacity: ownCapacity }: Pick<SteppedCache, 'rows' | 'lengths' | 'capacity'>,
  { count, wanted, atEnd = false }: StepSize,
) {
  const { hiddenSize = 0, hasGridPositions, vocabularySize } = shape;
  const longest = Math.max(...begun);
  // A mask as wide as the new tokens says that there are no others. It must not be wider than the model's positions.
  const wide = Math.min(Math.ceil((longest + count) / maskStep) * maskStep, ownCapacity);
  /** Slots of a row in the mask. */
  const width = atEnd ? ownCapacity + count : longest === 0 ? count : wide;
  /** Slots of each row that the mask shows. */
  const shown = new Int32Array(rows);
  const feeds: Record<string, Tensor> = {};
  /** @returns the low words of little-endian numbers, so that none has to be made a BigInt */
  const int64 = (name: string, dims: readonly number[], value = 0): Int32Array => {
    if (!inputs.has(name)) return new Int32Array(0);
    feeds[name] = filled('int64', dims, value);
    return new Int32Array(feeds[name].data.buffer);
  };
  const float32 = (name: string, dims: readonly number[]): Float32Array => {
    if (!inputs.has(name)) return new Float32Array(0);
    feeds[name] = filled('float32', dims);
    return feeds[name].data as Float32Array;
  };
  const ids = int64('input_ids', [rows, count]);
  const mask = int64('attention_mask', [rows, width]);
  const positionIds = int64('position_ids', [...(hasGridPositions ? [3] : []), rows, count]);
  const ownEmbeddings = float32(embeddingsInput, [rows, count, hiddenSize]);
  const ownLayerEmbeddings = float32(layerEmbeddingsInput, [rows, count, ...layerDims]);
  const last = int64('last_positions', [rows, wanted]);
  const rowLengths = int64(rowLengthInputs.lengths, [rows]);
  int64(rowLengthInputs.width, [], width);
  // Where sequences begin at the first slot, rows end with padding: 0 keeps the logits of all positions.
  int64('num_logits_to_keep', [], atEnd ? wanted : 0);

  /** Lets the mask show so many slots of a row, from the side at which its sequence stands. */
  const show = (row: number, slots: number): void => {
    const before = shown[row]!;
    const start = row * width;
    for (let slot = Math.min(before, slots); slot < Math.max(before, slots); slot++) {
      const at = atEnd ? start + width - 1 - slot : start + slot;
      mask[2 * at] = slot < slots ? 1 : 0;
    }
    shown[row] = slots;
  };
  /** Runtimes refuse no token ids: a negative one counts from the end, and devices read whatever lies there. */
  const assertTokens = (tokens: Int32Array): void => {
    const index = tokens.findIndex((token) => token < 0 || token >= vocabularySize);
    if (index < 0) return;
    const reason = `expected an id from 0 to ${vocabularySize - 1}, got ${tokens[index]}`;
    throw new RangeError(`tokens[${index}]: ${reason}`);
  };

  return {
    /** Inputs that the graph has, by their names. */
    feeds: feeds as TensorMap,
    /** Bytes of all inputs. */
    inputBytes: Object.values(feeds).reduce((sum, { data }) => sum + data.byteLength, 0),
    /** Positions of the logits that the graph gives. */
    positions: inputs.has('last_positions') ? wanted : count,
    /** Memory of this process that the graph writes its logits to, where there is some. */
    logits: undefined as Float32Array | Uint16Array | undefined,
    /** Whether a step of that size can write them again. */
    fits({ lengths, capacity }: SteppedCache, next: StepSize): boolean {
      if (next.count !== count || next.wanted !== wanted) return false;
      return atEnd ? capacity === ownCapacity : Math.max(...lengths) + count <= width;
    },
    /** @param counts tokens of each row, the rest is padding */
    fill(
      lengths: Int32Array,
      tokens: Int32Array,
      counts?: readonly number[],
      { embeddings, layerEmbeddings, positions }: StepInputs = {},
    ): void {
      if (ids.length > 0) assertTokens(tokens);
      if (embeddings) ownEmbeddings.set(embeddings);
      if (layerEmbeddings) ownLayerEmbeddings.set(layerEmbeddings);
      if (positions) for (const [at, position] of positions.entries()) positionIds[2 * at] = position;
      for (let row = 0; row < lengths.length; row++) {
        const length = lengths[row]!;
        const own = counts?.[row] ?? count;
        for (let index = 0; index < count; index++) {
          const at = row * count + index;
          ids[2 * at] = tokens[at]!;
          if (!hasGridPositions) positionIds[2 * at] = length + index;
        }
        show(row, length + own);
        for (let index = 0; index < wanted; index++) last[2 * (row * wanted + index)] = own - wanted + index;
        rowLengths[2 * row] = length + own;
      }
    },
  };
}

/** Counts the tokens that a step has appended. */
export function lengthen(lengths: Int32Array, count: number, counts?: readonly number[]): void {
  for (let row = 0; row < lengths.length; row++) lengths[row]! += counts?.[row] ?? count;
}
