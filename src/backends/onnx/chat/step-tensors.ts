import { rowLengthInputs } from '../../../core/onnx/rewrites/row-lengths.ts';
import type { BindableSession, Binding, ElementType, TensorData } from '../../../runtime/contract.ts';
import type { DecoderCache, StepInputs } from '../../../runtime/decoder.ts';
import { assertTokens } from './assert-tokens.ts';
import { layerEmbeddingsInput, layerSizeOf, type DecoderLayout } from './decoder-layout.ts';

/** Masks grow by so many slots. */
const maskStep = 64;

/** Memory that the logits of steps are written to, one after the other. */
export interface LogitsMemory {
  float32: Float32Array<ArrayBuffer>;
  float16: Uint16Array<ArrayBuffer>;
}

/**
 * The small inputs of a step, and its logits where they come to this process, bound beside a cache. They are written
 * again while the cache keeps its rows and its capacity, each row gets the same number of tokens and logits, and the
 * mask is wide enough.
 */
export class StepTensors {
  readonly count: number;
  /** `[rows, positions, vocabularySize]`; empty without memory for them. */
  readonly logits: Float32Array | Uint16Array;
  /** Wanted positions of the logits: all of a row, or the last one. */
  readonly wanted: number;
  /** Positions of the logits that the graph gives. */
  readonly positions: number;
  /** Bytes of all small inputs. */
  inputBytes = 0;
  /** Tokens of a row that the mask has room for. */
  readonly width: number;
  readonly #ids: Int32Array;
  readonly #mask: Int32Array;
  readonly #positionIds: Int32Array;
  readonly #last: Int32Array;
  readonly #lengths: Int32Array;
  readonly #embeddings: Float32Array;
  readonly #layerEmbeddings: Float32Array;
  readonly #hasGridPositions: boolean;
  readonly #vocabularySize: number;
  /** Slots of each row that the mask shows. */
  readonly #shown: Int32Array;

  /** @param cache of which nothing else is bound but keys and values */
  constructor(
    { session, binding, layout, memory }: StepParts,
    cache: Pick<DecoderCache, 'rows' | 'lengths'> & { readonly capacity: number },
    { count, isFirst, wanted }: StepSize,
  ) {
    const { rows, capacity } = cache;
    const { inputs, logitsType, vocabularySize, hiddenSize = 0, layerDims, hasGridPositions } = layout;
    this.count = count;
    // A mask as wide as the new tokens says that there are no others. It must not be wider than the model's positions.
    const wide = Math.ceil((Math.max(...cache.lengths) + count) / maskStep) * maskStep;
    this.width = isFirst ? count : Math.min(wide, capacity);
    this.#shown = new Int32Array(rows);
    const bind = (name: string, type: ElementType, dims: readonly number[], data: TensorData): void => {
      const tensor = session.createTensor({ type, dims, data });
      if (name === 'logits') binding.bindOutput(name, tensor);
      else binding.bindInput(name, tensor);
      tensor.release();
    };
    const int64 = (name: string, dims: readonly number[]): BigInt64Array<ArrayBuffer> => {
      if (!inputs.has(name)) return new BigInt64Array(0);
      const data = new BigInt64Array(dims.reduce((product, dim) => product * dim, 1));
      bind(name, 'int64', dims, data);
      this.inputBytes += data.byteLength;
      return data;
    };
    this.#ids = lowWords(int64('input_ids', [rows, count]));
    this.#mask = lowWords(int64('attention_mask', [rows, this.width]));
    this.#hasGridPositions = hasGridPositions;
    this.#vocabularySize = vocabularySize;
    this.#positionIds = lowWords(int64('position_ids', [...(hasGridPositions ? [3] : []), rows, count]));
    this.#embeddings = new Float32Array(rows * count * hiddenSize);
    if (hiddenSize > 0) bind('inputs_embeds', 'float32', [rows, count, hiddenSize], this.#embeddings);
    this.#layerEmbeddings = new Float32Array(rows * count * (layerSizeOf(layout) ?? 0));
    if (layerDims) bind(layerEmbeddingsInput, 'float32', [rows, count, ...layerDims], this.#layerEmbeddings);
    this.inputBytes += this.#embeddings.byteLength + this.#layerEmbeddings.byteLength;
    this.wanted = wanted;
    this.#last = lowWords(int64('last_positions', [rows, wanted]));
    this.#lengths = lowWords(int64(rowLengthInputs.lengths, [rows]));
    int64(rowLengthInputs.width, []).fill(BigInt(this.width));
    int64('num_logits_to_keep', []);
    this.positions = inputs.has('last_positions') ? wanted : count;
    this.logits = new Float32Array(0);
    if (!memory) return;
    const size = rows * this.positions * vocabularySize;
    if (logitsType === 'float16') {
      if (memory.float16.length < size) memory.float16 = new Uint16Array(size);
      this.logits = memory.float16.subarray(0, size);
    } else {
      if (memory.float32.length < size) memory.float32 = new Float32Array(size);
      this.logits = memory.float32.subarray(0, size);
    }
    bind('logits', logitsType, [rows, this.positions, vocabularySize], this.logits);
  }

  /**
   * @param counts tokens of each row, the rest is padding
   * @throws RangeError for a token that the model doesn't have
   */
  fill(
    lengths: Int32Array,
    tokens: Int32Array,
    counts?: readonly number[],
    { embeddings, layerEmbeddings, positions }: StepInputs = {},
  ): void {
    const { count } = this;
    if (this.#ids.length > 0) assertTokens(tokens, this.#vocabularySize);
    if (embeddings) this.#embeddings.set(embeddings);
    if (layerEmbeddings) this.#layerEmbeddings.set(layerEmbeddings);
    if (positions) for (const [at, position] of positions.entries()) this.#positionIds[2 * at] = position;
    for (let row = 0; row < lengths.length; row++) {
      const length = lengths[row]!;
      const own = counts?.[row] ?? count;
      for (let index = 0; index < count; index++) {
        const at = row * count + index;
        this.#ids[2 * at] = tokens[at]!;
        if (!this.#hasGridPositions) this.#positionIds[2 * at] = length + index;
      }
      const start = row * this.width;
      for (let slot = this.#shown[row]!; slot < length + own; slot++) this.#mask[2 * (start + slot)] = 1;
      this.#mask.fill(0, 2 * (start + length + own), 2 * (start + Math.max(this.#shown[row]!, length + own)));
      this.#shown[row] = length + own;
      for (let index = 0; index < this.wanted; index++) {
        this.#last[2 * (row * this.wanted + index)] = own - this.wanted + index;
      }
      this.#lengths[2 * row] = length + own;
    }
  }
}

interface StepSize {
  /** Tokens of each row. */
  readonly count: number;
  /** Whether none came before. */
  readonly isFirst: boolean;
  /** Positions of each row whose logits are wanted: the last ones. */
  readonly wanted: number;
}

/** Parts of a step's tensors. */
export interface StepParts {
  readonly session: BindableSession;
  readonly binding: Binding;
  readonly layout: DecoderLayout;
  /** Without it, logits are bound elsewhere. */
  readonly memory?: LogitsMemory;
}

/** The low words of little-endian int64 numbers, so that none has to be made a BigInt. */
function lowWords({ buffer }: BigInt64Array<ArrayBuffer>): Int32Array {
  return new Int32Array(buffer);
}
