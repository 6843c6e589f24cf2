import type { Tensor } from '../../../runtime/contract.ts';
import type { KeyValueCache } from './key-value-cache.ts';

/** Inputs of a decoder beside its cache: token ids, positions and the mask. */
export interface StepFeeds {
  readonly inputIds: Tensor;
  readonly positionIds: Tensor;
  readonly attentionMask: Tensor;
}

interface Reusable extends StepFeeds {
  readonly capacity: number;
  /** Slots of each row that the mask shows beside the new ones. */
  readonly shown: Int32Array;
}

/**
 * Makes the feeds of a step. Steps of one token reuse the same tensors until the cache grows, since each generated token
 * needs such a step.
 */
export class StepFeedsFactory {
  readonly #reusable = new WeakMap<KeyValueCache, Reusable>();

  /** @param tokens `[rows × count]` */
  create(cache: KeyValueCache, tokens: Int32Array, count: number): StepFeeds {
    if (count > 1) return fill(allocate(cache, count), cache, tokens, count);
    let feeds = this.#reusable.get(cache);
    if (feeds?.capacity !== cache.capacity) {
      feeds = allocate(cache, 1);
      this.#reusable.set(cache, feeds);
    }
    return fill(feeds, cache, tokens, 1);
  }
}

function allocate({ rows, capacity }: KeyValueCache, count: number): Reusable {
  const width = capacity + count;
  const attentionMask = int64(rows, width);
  const mask = lowWords(attentionMask);
  for (let row = 0; row < rows; row++) {
    for (let slot = capacity; slot < width; slot++) mask[2 * (row * width + slot)] = 1;
  }
  return {
    capacity,
    shown: new Int32Array(rows),
    inputIds: int64(rows, count),
    positionIds: int64(rows, count),
    attentionMask,
  };
}

function fill(
  feeds: Reusable,
  { rows, lengths }: KeyValueCache,
  tokens: Int32Array,
  count: number,
): StepFeeds {
  const { shown, capacity } = feeds;
  const ids = lowWords(feeds.inputIds);
  const positions = lowWords(feeds.positionIds);
  const mask = lowWords(feeds.attentionMask);
  for (let row = 0; row < rows; row++) {
    const length = lengths[row]!;
    for (let index = 0; index < count; index++) {
      ids[2 * (row * count + index)] = tokens[row * count + index]!;
      positions[2 * (row * count + index)] = length + index;
    }
    const end = row * (capacity + count) + capacity;
    for (let slot = end - length; slot < end - shown[row]!; slot++) mask[2 * slot] = 1;
    shown[row] = length;
  }
  return feeds;
}

function int64(rows: number, width: number): Tensor {
  return { type: 'int64', dims: [rows, width], data: new BigInt64Array(rows * width) };
}

/** The low words of little-endian int64 numbers, so that none has to be made a BigInt. */
function lowWords({ data }: Tensor): Int32Array {
  return new Int32Array(data.buffer);
}
