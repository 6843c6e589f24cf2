import type { Tensor, TensorMap } from '../../../contracts/graph.ts';
import type { CacheRow } from '../../../contracts/decoder.ts';
import { RowStorage, type StorageParts } from './row-storage.ts';
import { lengthen, type SteppedCache, type StepTensors } from './step-tensors.ts';
import type { Storage } from './storage-pool.ts';

/** Shared by the caches of a decoder. */
interface CacheParts {
  readonly keysAndValues: StorageParts;
  /** States of layers without keys and values. */
  readonly states: StorageParts;
  /** Whether unused slots are allowed; without them all rows must have equal lengths. */
  readonly spare: boolean;
}

/** Growth of a small cache, in slots. */
const minStep = 64;

/**
 * Keys and values of a batch of sequences in buffers of fixed capacity, `[rows, heads, capacity, headSize]` each. Row
 * `r` uses its last `lengths[r]` slots; the rest is masked, so rows of different lengths share a batch and a step
 * writes only its new slots instead of copying the whole cache.
 */
export class KeyValueCache implements SteppedCache {
  readonly rows: number;
  /** Used slots of each row. */
  readonly lengths: Int32Array;
  step: StepTensors | undefined;
  readonly #parts: CacheParts;
  /** Offset of the first slot in the buffers, in slots. */
  #shift = 0;
  #storage: RowStorage;
  #states: RowStorage;
  #tensors: Readonly<Record<string, { -readonly [Key in keyof Tensor]: Tensor[Key] }>> | undefined;

  constructor(parts: CacheParts, rows: number, capacity = 0) {
    this.#parts = parts;
    this.rows = rows;
    this.lengths = new Int32Array(rows);
    this.#states = RowStorage.take(parts.states, { rows, capacity: 1 });
    this.#storage = this.#take(capacity);
  }

  /** Copies rows of several caches into a new one: to merge batches, to drop rows, to continue one prompt several times. */
  static gather(sources: readonly CacheRow<KeyValueCache>[]): KeyValueCache {
    const parts = sources[0]!.cache.#parts;
    const lengths: number[] = [];
    for (const { cache, row, length = cache.lengths[row]! } of sources) lengths.push(length);
    const longest = Math.max(...lengths);
    const gathered = new KeyValueCache(parts, sources.length, parts.spare ? roomFor(longest) : longest);
    gathered.lengths.set(lengths);
    for (const [target, { cache: from, row }] of sources.entries()) {
      const length = lengths[target]!;
      const to = { row: target, slot: gathered.capacity - length };
      const slot = from.#shift + from.capacity - from.lengths[row]!;
      gathered.#storage.copySlots(to, from.#storage, { row, slot }, length);
      gathered.#states.copyRow(target, from.#states, row);
    }
    return gathered;
  }

  get capacity(): number {
    return this.#storage.capacity;
  }

  get bytes(): number {
    return this.#storage.bytes + this.#states.bytes;
  }

  /** The `past_key_values.*` feeds; valid until the cache changes. The same objects until the capacity changes. */
  get tensors(): TensorMap {
    return (this.#tensors ??= this.#storage.feeds(this.rows, this.#shift));
  }

  /** The feeds of layers without keys and values; valid until the cache changes. */
  get states(): TensorMap {
    return this.#states.feeds(this.rows);
  }

  /**
   * Appends `count` slots to every row.
   * @param slots for each entry `[rows, heads, depth, headSize]`; the last `count` of the third axis are new
   */
  append(slots: readonly Tensor[], count: number): void {
    this.#makeRoom(count);
    for (const [index, { heads, headSize }] of this.#parts.keysAndValues.entries.entries()) {
      const source = slots[index]!.data as Storage;
      const target = this.#storage.buffers[index]!;
      const depth = slots[index]!.dims[2]!;
      const size = count * headSize;
      for (let head = 0; head < this.rows * heads; head++) {
        const from = (head * depth + depth - count) * headSize;
        const to = (this.#shift + (head + 1) * this.capacity - count) * headSize;
        for (let offset = 0; offset < size; offset++) target[to + offset] = source[from + offset]!;
      }
    }
    lengthen(this.lengths, count);
  }

  /**
   * Adopts whole `present.*` outputs, for decoders whose past may only contain used slots. All rows must have equal lengths.
   */
  replace(present: readonly Tensor[], count: number): void {
    lengthen(this.lengths, count);
    const buffers = present.map(({ data }) => data as Storage);
    this.#exchange(new RowStorage(this.#parts.keysAndValues, this.lengths[0]!, buffers));
  }

  /** Adopts the states from a step. */
  replaceStates(outputs: TensorMap): void {
    this.#states.release();
    this.#states = RowStorage.of(this.#parts.states, 1, outputs);
  }

  /** Releases its buffers; it must not be used afterwards. */
  release(): void {
    this.#storage.release();
    this.#states.release();
  }

  /** Moves all sequences to free the last `count` slots. */
  #makeRoom(count: number): void {
    const longest = Math.max(...this.lengths) + count;
    if (longest > this.capacity) return this.#grow(roomFor(longest), count);
    this.#shift += count;
    const tensors = this.#tensors;
    if (!tensors) return;
    for (const [index, { past }] of this.#parts.keysAndValues.entries.entries())
      tensors[past]!.data = this.#storage.view(index, this.rows, this.#shift);
  }

  /** @param count slots to leave free at the end */
  #grow(capacity: number, count: number): void {
    const grown = this.#take(capacity);
    const kept = Math.max(...this.lengths);
    const from = this.#shift + this.capacity - kept;
    for (let row = 0; row < this.rows; row++)
      grown.copySlots({ row, slot: capacity - count - kept }, this.#storage, { row, slot: from }, kept);
    this.#exchange(grown);
    this.#shift = 0;
  }

  #take(capacity: number): RowStorage {
    // The maximum number of unused slots of the longest sequence, which limits how far it can move.
    const spare = this.#parts.spare ? Math.max(minStep, capacity >> 3) : 0;
    return RowStorage.take(this.#parts.keysAndValues, { rows: this.rows, capacity, spare });
  }

  #exchange(storage: RowStorage): void {
    this.#storage.release();
    this.#storage = storage;
    this.#tensors = undefined;
  }
}

/**
 * Capacity for `length` slots, with some spare, so that growing is rare and little is masked. A copy has the capacity
 * of its source, since the shape of a step affects the last bits of its logits.
 */
function roomFor(length: number): number {
  const step = Math.max(minStep, 2 ** Math.floor(Math.log2(length / 8)));
  return Math.ceil(length / step) * step;
}
