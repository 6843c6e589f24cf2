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

/**
 * The small inputs of a step beside its cache: tokens or embeddings, positions, the mask. They are written again while the
 * cache keeps its rows and its capacity, each row gets the same number of tokens and logits, and the mask is wide enough.
 */
export class StepTensors {
  /** Inputs that the graph has, by their names. */
  readonly feeds: TensorMap;
  /** Bytes of all inputs. */
  readonly inputBytes: number;
  /** Positions of the logits that the graph gives. */
  readonly positions: number;
  /** Memory of this process that the graph writes its logits to, where there is some. */
  logits: Float32Array | Uint16Array | undefined;
  readonly #size: StepSize;
  readonly #capacity: number;
  /** Slots of a row in the mask. */
  readonly #width: number;
  readonly #ids: Int32Array;
  readonly #mask: Int32Array;
  readonly #positionIds: Int32Array;
  readonly #last: Int32Array;
  readonly #lengths: Int32Array;
  readonly #embeddings: Float32Array;
  readonly #layerEmbeddings: Float32Array;
  readonly #layout: DecoderLayout;
  /** Slots of each row that the mask shows. */
  readonly #shown: Int32Array;

  constructor(
    layout: DecoderLayout,
    { rows, lengths, capacity }: Pick<SteppedCache, 'rows' | 'lengths' | 'capacity'>,
    size: StepSize,
  ) {
    const { inputs, layerDims = [0] } = layout;
    const { hiddenSize = 0, hasGridPositions } = layout.shape;
    const { count, wanted, atEnd = false } = size;
    const longest = Math.max(...lengths);
    // A mask as wide as the new tokens says that there are no others. It must not be wider than the model's positions.
    const wide = Math.min(Math.ceil((longest + count) / maskStep) * maskStep, capacity);
    this.#width = atEnd ? capacity + count : longest === 0 ? count : wide;
    this.#size = size;
    this.#capacity = capacity;
    this.#layout = layout;
    this.#shown = new Int32Array(rows);
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
    this.#ids = int64('input_ids', [rows, count]);
    this.#mask = int64('attention_mask', [rows, this.#width]);
    this.#positionIds = int64('position_ids', [...(hasGridPositions ? [3] : []), rows, count]);
    this.#embeddings = float32(embeddingsInput, [rows, count, hiddenSize]);
    this.#layerEmbeddings = float32(layerEmbeddingsInput, [rows, count, ...layerDims]);
    this.#last = int64('last_positions', [rows, wanted]);
    this.#lengths = int64(rowLengthInputs.lengths, [rows]);
    int64(rowLengthInputs.width, [], this.#width);
    // Where sequences begin at the first slot, rows end with padding: 0 keeps the logits of all positions.
    int64('num_logits_to_keep', [], atEnd ? wanted : 0);
    this.positions = inputs.has('last_positions') ? wanted : count;
    this.feeds = feeds;
    this.inputBytes = Object.values(feeds).reduce((sum, { data }) => sum + data.byteLength, 0);
  }

  /** Whether a step of that size can write them again. */
  fits({ lengths, capacity }: SteppedCache, { count, wanted }: StepSize): boolean {
    const { atEnd, count: ownCount, wanted: ownWanted } = this.#size;
    if (ownCount !== count || ownWanted !== wanted) return false;
    return atEnd ? this.#capacity === capacity : Math.max(...lengths) + count <= this.#width;
  }

  /** @param counts tokens of each row, the rest is padding */
  fill(
    lengths: Int32Array,
    tokens: Int32Array,
    counts?: readonly number[],
    { embeddings, layerEmbeddings, positions }: StepInputs = {},
  ): void {
    const { count, wanted } = this.#size;
    if (this.#ids.length > 0) this.#assertTokens(tokens);
    if (embeddings) this.#embeddings.set(embeddings);
    if (layerEmbeddings) this.#layerEmbeddings.set(layerEmbeddings);
    if (positions) for (const [at, position] of positions.entries()) this.#positionIds[2 * at] = position;
    for (let row = 0; row < lengths.length; row++) {
      const length = lengths[row]!;
      const own = counts?.[row] ?? count;
      for (let index = 0; index < count; index++) {
        const at = row * count + index;
        this.#ids[2 * at] = tokens[at]!;
        if (!this.#layout.shape.hasGridPositions) this.#positionIds[2 * at] = length + index;
      }
      this.#show(row, length + own);
      for (let index = 0; index < wanted; index++)
        this.#last[2 * (row * wanted + index)] = own - wanted + index;
      this.#lengths[2 * row] = length + own;
    }
  }

  /** Lets the mask show so many slots of a row, from the side at which its sequence stands. */
  #show(row: number, slots: number): void {
    const shown = this.#shown[row]!;
    const start = row * this.#width;
    for (let slot = Math.min(shown, slots); slot < Math.max(shown, slots); slot++) {
      const at = this.#size.atEnd ? start + this.#width - 1 - slot : start + slot;
      this.#mask[2 * at] = slot < slots ? 1 : 0;
    }
    this.#shown[row] = slots;
  }

  /** Runtimes refuse no token ids: a negative one counts from the end, and devices read whatever lies there. */
  #assertTokens(tokens: Int32Array): void {
    const most = this.#layout.shape.vocabularySize - 1;
    const index = tokens.findIndex((token) => token < 0 || token > most);
    if (index >= 0)
      throw new RangeError(`tokens[${index}]: expected an id from 0 to ${most}, got ${tokens[index]}`);
  }
}

/** Counts the tokens that a step has appended. */
export function lengthen(lengths: Int32Array, count: number, counts?: readonly number[]): void {
  for (let row = 0; row < lengths.length; row++) lengths[row]! += counts?.[row] ?? count;
}
