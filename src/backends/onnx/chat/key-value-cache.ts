import type { Tensor } from '../../../runtime/contract.ts';
import type { CacheRow, DecoderCache } from '../../../runtime/decoder.ts';
import type { KeyValueEntry, StateEntry } from './decoder-layout.ts';
import { RowStates } from './row-states.ts';
import type { Storage, StoragePool } from './storage-pool.ts';

/** Slots by which a small cache grows. */
const leastStep = 64;

/**
 * Keys and values of a batch of sequences in buffers of fixed capacity, `[rows, heads, capacity, headSize]` each.
 * Row `r` uses its last `lengths[r]` slots; the others are masked, so rows of different lengths share a batch and a
 * step writes only its new slots instead of copying everything that came before.
 *
 * Every sequence ends where a graph puts its new slots, so that the distance of two slots is that of their tokens:
 * a sliding window of attention is counted in slots. New ones make room by moving all sequences to the left at once:
 * the buffers are read from a later start, and what was the unused beginning of one head is the end of the one before.
 */
export class KeyValueCache implements DecoderCache {
  readonly rows: number;
  /** Used slots of each row. */
  readonly lengths: Int32Array;
  /** Kept by layers without keys and values. */
  readonly states: RowStates;
  readonly #entries: readonly KeyValueEntry[];
  readonly #stateEntries: readonly StateEntry[];
  readonly #spare: boolean;
  readonly #pool: StoragePool;
  #capacity: number;
  /** Offset of the first slot in the buffers, in slots. */
  #shift = 0;
  #storage: Storage[];
  #tensors: Readonly<Record<string, { -readonly [Key in keyof Tensor]: Tensor[Key] }>> | undefined;

  /**
   * @param options.spare whether there may be unused slots; without them all rows have to have the same length
   * @param options.pool where its buffers come from, and go when it is released
   * @param options.states of layers without keys and values
   */
  constructor(
    entries: readonly KeyValueEntry[],
    {
      rows,
      spare,
      pool,
      states,
      capacity = 0,
    }: {
      readonly rows: number;
      readonly spare: boolean;
      readonly pool: StoragePool;
      readonly states: readonly StateEntry[];
      readonly capacity?: number;
    },
  ) {
    this.#entries = entries;
    this.#spare = spare;
    this.#pool = pool;
    this.rows = rows;
    this.lengths = new Int32Array(rows);
    this.#capacity = capacity;
    this.#stateEntries = states;
    this.states = new RowStates(states, { room: rows, pool });
    this.#storage = this.#takeStorage(capacity);
  }

  /**
   * Copies rows of other caches into a new one: to merge batches, to drop rows, to continue one prompt several times.
   */
  static gather(sources: readonly CacheRow<KeyValueCache>[]): KeyValueCache {
    const { cache } = sources[0]!;
    const lengths = sources.map((source) => source.length ?? source.cache.lengths[source.row]!);
    const longest = Math.max(...lengths);
    const gathered = new KeyValueCache(cache.#entries, {
      rows: sources.length,
      spare: cache.#spare,
      pool: cache.#pool,
      states: cache.#stateEntries,
      capacity: cache.#spare ? roomFor(longest) : longest,
    });
    gathered.lengths.set(lengths);
    for (const [target, { cache: from, row }] of sources.entries()) {
      gathered.#copyRow(target, from, row);
      gathered.states.copyRow(target, from.states, row);
    }
    return gathered;
  }

  /** Slots per row. */
  get capacity(): number {
    return this.#capacity;
  }

  get bytes(): number {
    return this.#storage.reduce((sum, { byteLength }) => sum + byteLength, this.states.bytes);
  }

  /** The `past_key_values.*` feeds; valid until the cache changes. The same objects until the capacity changes. */
  get tensors(): Readonly<Record<string, Tensor>> {
    this.#tensors ??= Object.fromEntries(
      this.#entries.map(({ past, type, heads, headSize }, index) => {
        const dims = [this.rows, heads, this.#capacity, headSize];
        return [past, { type, dims, data: this.#view(index) }];
      }),
    );
    return this.#tensors;
  }

  /**
   * Appends `count` slots to every row.
   *
   * @param slots for each entry `[rows, heads, depth, headSize]`, of which the last `count` of the third axis are new
   */
  append(slots: readonly Tensor[], count: number): void {
    this.#makeRoom(count);
    this.#entries.forEach(({ heads, headSize }, index) => {
      const source = slots[index]!.data as Storage;
      const target = this.#storage[index]!;
      const depth = slots[index]!.dims[2]!;
      const size = count * headSize;
      for (let head = 0; head < this.rows * heads; head++) {
        const from = (head * depth + depth - count) * headSize;
        const to = (this.#shift + (head + 1) * this.#capacity - count) * headSize;
        for (let offset = 0; offset < size; offset++) target[to + offset] = source[from + offset]!;
      }
    });
    for (let row = 0; row < this.rows; row++) this.lengths[row]! += count;
  }

  /**
   * Takes over whole `present.*` outputs, for decoders whose past must hold nothing but used slots.
   * All rows have the same length then.
   */
  replace(present: readonly Tensor[], count: number): void {
    this.#releaseStorage();
    this.#storage = present.map(({ data }) => data as Storage);
    for (let row = 0; row < this.rows; row++) this.lengths[row]! += count;
    this.#capacity = this.lengths[0]!;
  }

  /** Gives its buffers back; nothing of it may be used afterwards. */
  release(): void {
    this.#releaseStorage();
    this.states.release();
  }

  #releaseStorage(): void {
    for (const storage of this.#storage) this.#pool.give(storage);
    this.#storage = [];
    this.#tensors = undefined;
  }

  /** Moves all sequences, so that the last `count` slots are free. */
  #makeRoom(count: number): void {
    const longest = Math.max(...this.lengths) + count;
    if (longest > this.#capacity) return this.#grow(roomFor(longest), count);
    this.#shift += count;
    const tensors = this.#tensors;
    if (tensors) this.#entries.forEach(({ past }, index) => (tensors[past]!.data = this.#view(index)));
  }

  /** The part of a buffer that a graph reads. */
  #view(index: number): Storage {
    const { heads, headSize } = this.#entries[index]!;
    const start = this.#shift * headSize;
    return this.#storage[index]!.subarray(start, start + this.rows * heads * this.#capacity * headSize);
  }

  /** @param count slots at the end that are left free */
  #grow(capacity: number, count: number): void {
    const old = this.#storage;
    const grown = this.#takeStorage(capacity);
    const kept = Math.max(...this.lengths);
    this.#entries.forEach(({ heads, headSize }, index) => {
      for (let head = 0; head < this.rows * heads; head++) {
        const end = (this.#shift + (head + 1) * this.#capacity) * headSize;
        const slots = old[index]!.subarray(end - kept * headSize, end);
        grown[index]!.set(slots as never, ((head + 1) * capacity - count - kept) * headSize);
      }
    });
    this.#releaseStorage();
    this.#storage = grown;
    this.#capacity = capacity;
    this.#shift = 0;
  }

  #takeStorage(capacity: number): Storage[] {
    const shift = this.#spare ? mostUnused(capacity) : 0;
    return this.#entries.map(({ type, heads, headSize }) =>
      this.#pool.take(type, (this.rows * heads * capacity + shift) * headSize),
    );
  }

  /** Copies the beginning of a row of another cache, as much of it as the length of the target row says. */
  #copyRow(target: number, cache: KeyValueCache, row: number): void {
    const length = this.lengths[target]!;
    this.#entries.forEach(({ heads, headSize }, index) => {
      for (let head = 0; head < heads; head++) {
        const from = cache.#shift + (row * heads + head + 1) * cache.#capacity - cache.lengths[row]!;
        const to = this.#shift + (target * heads + head + 1) * this.#capacity - length;
        const slots = cache.#storage[index]!.subarray(from * headSize, (from + length) * headSize);
        this.#storage[index]!.set(slots as never, to * headSize);
      }
    });
  }
}

/** Capacity for `length` slots: some to spare, so that growing stays rare and little is masked. */
function roomFor(length: number): number {
  const step = Math.max(leastStep, 2 ** Math.floor(Math.log2(length / 8)));
  return Math.ceil((length + 1) / step) * step;
}

/** Number of slots of that capacity that the longest sequence may leave unused, which is how far it can move. */
function mostUnused(capacity: number): number {
  return Math.max(leastStep, capacity >> 3);
}
