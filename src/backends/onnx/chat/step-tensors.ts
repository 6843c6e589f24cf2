import { embeddingsInput, layerEmbeddingsInput } from '../../../core/onnx/cache-names.ts';
import { rowLengthInputs } from '../../../core/onnx/rewrites/row-lengths.ts';
import type { Tensor, BindableSession, Binding } from '../../../contracts/graph.ts';
import { filled } from '../../../runtime/tensors.ts';
import type { DecoderCache, StepInputs } from '../../../contracts/decoder.ts';
import type { DecoderLayout } from './decoder-layout.ts';

/** Masks over sequences that begin at the first slot grow by this many slots. */
const maskStep = 64;

export interface SteppedCache extends DecoderCache {
  /** Slots of each row. */
  readonly capacity: number;
  /** Tensors of the last step, for reuse by a step of the same shape. */
  step: StepTensors | undefined;
}

export interface StepSize {
  /** Tokens per row. */
  readonly count: number;
  /** Number of last positions per row with logits. */
  readonly wanted: number;
  /** Whether sequences end at the last slot and new slots follow; else they begin at the first slot. */
  readonly atEnd?: boolean;
}

/**
 * Creates the small inputs of a step in addition to its cache: tokens or embeddings, positions, the mask. They are reused
 * while the cache keeps its rows and its capacity, the step its number of tokens and logits, and the mask is wide enough.
 */
export class StepTensors {
  /** This process's memory for the logits, if any. */
  logits: Float32Array | Uint16Array | undefined;
  /** Number of positions with logits. */
  readonly positions: number;
  /** Bytes of all inputs. */
  readonly inputBytes: number;
  /** The graph's inputs by name. */
  readonly feeds: Record<string, Tensor> = {};
  readonly #inputs: Set<string>;
  readonly #ownCapacity: number;
  readonly #count: number;
  readonly #wanted: number;
  readonly #atEnd: boolean;
  readonly #hasGridPositions: boolean;
  readonly #vocabularySize: number;
  /** Slots per row in the mask. */
  readonly #width: number;
  /** Visible slots of each row. */
  readonly #shown: Int32Array;
  readonly #ids: Int32Array;
  readonly #mask: Int32Array;
  readonly #positionIds: Int32Array;
  readonly #ownEmbeddings: Float32Array;
  readonly #ownLayerEmbeddings: Float32Array;
  readonly #last: Int32Array;
  readonly #rowLengths: Int32Array;

  constructor(
    { inputs, layerDims = [0], shape }: DecoderLayout,
    { rows, lengths: begun, capacity: ownCapacity }: Pick<SteppedCache, 'rows' | 'lengths' | 'capacity'>,
    { count, wanted, atEnd = false }: StepSize,
  ) {
    this.#inputs = inputs;
    this.#ownCapacity = ownCapacity;
    this.#count = count;
    this.#wanted = wanted;
    this.#atEnd = atEnd;
    const { hiddenSize = 0, hasGridPositions, vocabularySize } = shape;
    this.#hasGridPositions = hasGridPositions;
    this.#vocabularySize = vocabularySize;
    const longest = Math.max(...begun);
    // A mask as wide as the new tokens indicates an empty past. It must not be wider than the model's positions.
    const wide = Math.min(Math.ceil((longest + count) / maskStep) * maskStep, ownCapacity);
    this.#width = atEnd ? ownCapacity + count : longest === 0 ? count : wide;
    this.#shown = new Int32Array(rows);
    this.#ids = this.#int64('input_ids', [rows, count]);
    this.#mask = this.#int64('attention_mask', [rows, this.#width]);
    this.#positionIds = this.#int64('position_ids', [...(hasGridPositions ? [3] : []), rows, count]);
    this.#ownEmbeddings = this.#float32(embeddingsInput, [rows, count, hiddenSize]);
    this.#ownLayerEmbeddings = this.#float32(layerEmbeddingsInput, [rows, count, ...layerDims]);
    this.#last = this.#int64('last_positions', [rows, wanted]);
    this.#rowLengths = this.#int64(rowLengthInputs.lengths, [rows]);
    this.#int64(rowLengthInputs.width, [], this.#width);
    // If sequences begin at the first slot, rows end with padding: 0 keeps the logits of all positions.
    this.#int64('num_logits_to_keep', [], atEnd ? wanted : 0);
    this.inputBytes = 0;
    for (const { data } of Object.values(this.feeds)) this.inputBytes += data.byteLength;
    this.positions = inputs.has('last_positions') ? wanted : count;
  }

  /** Whether a step of this size can reuse them. */
  fits({ lengths, capacity }: SteppedCache, next: StepSize): boolean {
    if (next.count !== this.#count || next.wanted !== this.#wanted) return false;
    return this.#atEnd ? capacity === this.#ownCapacity : Math.max(...lengths) + this.#count <= this.#width;
  }

  /** @param counts tokens of each row, followed by padding */
  fill(
    lengths: Int32Array,
    tokens: Int32Array,
    counts?: readonly number[],
    { embeddings, layerEmbeddings, positions }: StepInputs = {},
  ): void {
    if (this.#ids.length > 0) this.#assertTokens(tokens);
    if (embeddings) this.#ownEmbeddings.set(embeddings);
    if (layerEmbeddings) this.#ownLayerEmbeddings.set(layerEmbeddings);
    if (positions) for (const [at, position] of positions.entries()) this.#positionIds[2 * at] = position;
    for (let row = 0; row < lengths.length; row++) {
      const length = lengths[row]!;
      const own = counts?.[row] ?? this.#count;
      for (let index = 0; index < this.#count; index++) {
        const at = row * this.#count + index;
        this.#ids[2 * at] = tokens[at]!;
        if (!this.#hasGridPositions) this.#positionIds[2 * at] = length + index;
      }
      this.#show(row, length + own);
      for (let index = 0; index < this.#wanted; index++)
        this.#last[2 * (row * this.#wanted + index)] = own - this.#wanted + index;
      this.#rowLengths[2 * row] = length + own;
    }
  }

  /** @returns the low words of little-endian numbers, which avoids BigInts */
  #int64(name: string, dims: readonly number[], value = 0): Int32Array {
    if (!this.#inputs.has(name)) return new Int32Array(0);
    this.feeds[name] = filled('int64', dims, value);
    return new Int32Array(this.feeds[name].data.buffer);
  }

  #float32(name: string, dims: readonly number[]): Float32Array {
    if (!this.#inputs.has(name)) return new Float32Array(0);
    this.feeds[name] = filled('float32', dims);
    return this.feeds[name].data as Float32Array;
  }

  /** Makes a number of slots of a row visible, from the side of its sequence. */
  #show(row: number, slots: number): void {
    const before = this.#shown[row]!;
    const start = row * this.#width;
    for (let slot = Math.min(before, slots); slot < Math.max(before, slots); slot++) {
      const at = this.#atEnd ? start + this.#width - 1 - slot : start + slot;
      this.#mask[2 * at] = slot < slots ? 1 : 0;
    }
    this.#shown[row] = slots;
  }

  /** Runtimes don't check token ids: a negative one counts from the end, and devices read out of bounds. */
  #assertTokens(tokens: Int32Array): void {
    let index = 0;
    while (index < tokens.length && tokens[index]! >= 0 && tokens[index]! < this.#vocabularySize) index++;
    if (index === tokens.length) return;
    const reason = `expected an id from 0 to ${this.#vocabularySize - 1}, got ${tokens[index]}`;
    throw new RangeError(`tokens[${index}]: ${reason}`);
  }
}

/** Counts the tokens appended by a step. */
export function lengthen(lengths: Int32Array, count: number, counts?: readonly number[]): void {
  for (let row = 0; row < lengths.length; row++) lengths[row]! += counts?.[row] ?? count;
}

/** A cache that a graph updates in place. */
export interface BoundCache extends SteppedCache {
  /** Reserves capacity for `count` more tokens per row. */
  reserve(count: number): void | Promise<void>;
  /** A binding to its memory, for one step. */
  bind(): Binding;
}

export interface StepTokens extends StepSize {
  readonly tokens: Int32Array;
  readonly counts?: readonly number[] | undefined;
  readonly inputs?: StepInputs | undefined;
}

/**
 * Binds the inputs of a step in addition to its cache. A step of the same shape as the previous one only writes its numbers.
 */
export async function bindStep(
  { session, layout }: { session: BindableSession; layout: DecoderLayout },
  cache: BoundCache,
  { tokens, counts, inputs, ...size }: StepTokens,
) {
  await cache.reserve(size.count);
  const binding = cache.bind();
  let { step } = cache;
  if (!step?.fits(cache, size)) {
    step = new StepTensors(layout, cache, size);
    for (const [name, feed] of Object.entries(step.feeds)) {
      const tensor = session.createTensor(feed);
      binding.bindInput(name, tensor);
      tensor.release();
    }
    cache.step = step;
  }
  step.fill(cache.lengths, tokens, counts, inputs);
  return { binding, step };
}
