import type { ElementType, Tensor } from '../../runtime/contract.ts';
import type { Storage, StoragePool } from './storage-pool.ts';

/** One past/present pair of a decoder: keys or values of one layer. */
export interface KeyValueEntry {
  readonly past: string;
  readonly present: string;
  readonly type: ElementType;
  readonly heads: number;
  readonly headSize: number;
}

/** One sequence within a cache. */
export interface CacheRow {
  readonly cache: KeyValueCache;
  readonly row: number;
  /** Only its first slots; all if left out. */
  readonly length?: number;
}

/**
 * Keys and values of a batch of sequences in buffers of fixed capacity, `[rows, heads, capacity, headSize]` each.
 * Row `r` uses its first `lengths[r]` slots; the others are masked, so rows of different lengths share a batch and a
 * step writes only its new slots instead of copying everything that came before.
 */
export class KeyValueCache {
  readonly rows: number;
  /** Used slots of each row. */
  readonly lengths: Int32Array;
  readonly #entries: readonly KeyValueEntry[];
  readonly #spare: boolean;
  readonly #pool: StoragePool;
  #capacity: number;
  #storage: Storage[];
  #tensors: Readonly<Record<string, Tensor>> | undefined;

  /**
   * @param options.spare whether there may be unused slots; without them all rows have to have the same length
   * @param options.pool where its buffers come from, and go when it is released
   */
  constructor(
    entries: readonly KeyValueEntry[],
    {
      rows,
      spare,
      pool,
      capacity = 0,
    }: {
      readonly rows: number;
      readonly spare: boolean;
      readonly pool: StoragePool;
      readonly capacity?: number;
    },
  ) {
    this.#entries = entries;
    this.#spare = spare;
    this.#pool = pool;
    this.rows = rows;
    this.lengths = new Int32Array(rows);
    this.#capacity = capacity;
    this.#storage = this.#takeStorage(capacity);
  }

  /**
   * Copies rows of other caches into a new one: to merge batches, to drop rows, to continue one prompt several times.
   */
  static gather(sources: readonly CacheRow[]): KeyValueCache {
    const { cache } = sources[0]!;
    const lengths = sources.map((source) => source.length ?? source.cache.lengths[source.row]!);
    const longest = Math.max(...lengths);
    const gathered = new KeyValueCache(cache.#entries, {
      rows: sources.length,
      spare: cache.#spare,
      pool: cache.#pool,
      capacity: cache.#spare ? roomFor(longest) : longest,
    });
    gathered.lengths.set(lengths);
    sources.forEach((source, target) => gathered.#copyRow(target, source.cache, source.row));
    return gathered;
  }

  /** Slots per row. */
  get capacity(): number {
    return this.#capacity;
  }

  get bytes(): number {
    return this.#storage.reduce((sum, { byteLength }) => sum + byteLength, 0);
  }

  /** The `past_key_values.*` feeds; the same objects until the capacity changes. */
  get tensors(): Readonly<Record<string, Tensor>> {
    this.#tensors ??= Object.fromEntries(
      this.#entries.map(({ past, type, heads, headSize }, index) => [
        past,
        { type, dims: [this.rows, heads, this.#capacity, headSize], data: this.#storage[index]! },
      ]),
    );
    return this.#tensors;
  }

  /**
   * Appends `count` slots to every row.
   *
   * @param slots for each entry `[rows, heads, depth, headSize]`, of which the last `count` of the third axis are new
   */
  append(slots: readonly Tensor[], count: number): void {
    const longest = Math.max(...this.lengths) + count;
    if (longest > this.#capacity) this.#grow(roomFor(longest));
    this.#entries.forEach(({ heads, headSize }, index) => {
      const source = slots[index]!.data as Storage;
      const target = this.#storage[index]!;
      const depth = slots[index]!.dims[2]!;
      const size = count * headSize;
      for (let row = 0; row < this.rows; row++) {
        for (let head = 0; head < heads; head++) {
          const from = ((row * heads + head) * depth + depth - count) * headSize;
          const to = ((row * heads + head) * this.#capacity + this.lengths[row]!) * headSize;
          for (let offset = 0; offset < size; offset++) target[to + offset] = source[from + offset]!;
        }
      }
    });
    for (let row = 0; row < this.rows; row++) this.lengths[row]! += count;
  }

  /**
   * Takes over whole `present.*` outputs, for decoders whose past must hold nothing but used slots.
   * All rows have the same length then.
   */
  replace(present: readonly Tensor[], count: number): void {
    this.release();
    this.#storage = present.map(({ data }) => data as Storage);
    for (let row = 0; row < this.rows; row++) this.lengths[row]! += count;
    this.#capacity = this.lengths[0]!;
  }

  /** Gives its buffers back; nothing of it may be used afterwards. */
  release(): void {
    for (const storage of this.#storage) this.#pool.give(storage);
    this.#storage = [];
    this.#tensors = undefined;
  }

  #grow(capacity: number): void {
    const old = this.#storage;
    const grown = this.#takeStorage(capacity);
    this.#entries.forEach(({ heads, headSize }, index) => {
      const oldStride = this.#capacity * headSize;
      for (let head = 0; head < this.rows * heads; head++) {
        const slots = old[index]!.subarray(head * oldStride, (head + 1) * oldStride);
        grown[index]!.set(slots as never, head * capacity * headSize);
      }
    });
    this.release();
    this.#storage = grown;
    this.#capacity = capacity;
  }

  #takeStorage(capacity: number): Storage[] {
    return this.#entries.map(({ type, heads, headSize }) =>
      this.#pool.take(type, this.rows * heads * capacity * headSize),
    );
  }

  #copyRow(target: number, cache: KeyValueCache, row: number): void {
    this.#entries.forEach(({ heads, headSize }, index) => {
      const used = this.lengths[target]! * headSize;
      for (let head = 0; head < heads; head++) {
        const from = (row * heads + head) * cache.#capacity * headSize;
        const to = (target * heads + head) * this.#capacity * headSize;
        this.#storage[index]!.set(cache.#storage[index]!.subarray(from, from + used) as never, to);
      }
    });
  }
}

/** Capacity for `length` slots: some to spare, so that growing stays rare and little is masked. */
function roomFor(length: number): number {
  const step = Math.max(64, 2 ** Math.floor(Math.log2(length / 8)));
  return Math.ceil((length + 1) / step) * step;
}
