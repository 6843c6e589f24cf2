import type { ElementType, Tensor } from '../../runtime/contract.ts';

/** One past/present pair of a decoder: keys or values of one layer. */
export interface KeyValueEntry {
  readonly past: string;
  readonly present: string;
  readonly type: ElementType;
  readonly heads: number;
  readonly headSize: number;
}

type Storage = Float32Array | Uint16Array;

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
  #capacity: number;
  #storage: Storage[];
  #tensors: Readonly<Record<string, Tensor>> | undefined;

  /**
   * @param options.spare whether there may be unused slots; without them all rows have to have the same length
   */
  constructor(
    entries: readonly KeyValueEntry[],
    {
      rows,
      spare,
      capacity = 0,
    }: { readonly rows: number; readonly spare: boolean; readonly capacity?: number },
  ) {
    this.#entries = entries;
    this.#spare = spare;
    this.rows = rows;
    this.lengths = new Int32Array(rows);
    this.#capacity = capacity;
    this.#storage = entries.map((entry) => createStorage(entry, rows, capacity));
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
    this.#storage = present.map(({ data }) => data as Storage);
    this.#tensors = undefined;
    for (let row = 0; row < this.rows; row++) this.lengths[row]! += count;
    this.#capacity = this.lengths[0]!;
  }

  #grow(capacity: number): void {
    const old = this.#storage;
    const oldCapacity = this.#capacity;
    this.#capacity = capacity;
    this.#tensors = undefined;
    this.#storage = this.#entries.map((entry, index) => {
      const storage = createStorage(entry, this.rows, capacity);
      const oldStride = oldCapacity * entry.headSize;
      const stride = capacity * entry.headSize;
      for (let head = 0; head < this.rows * entry.heads; head++) {
        storage.set(old[index]!.subarray(head * oldStride, (head + 1) * oldStride) as never, head * stride);
      }
      return storage;
    });
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

function createStorage({ type, heads, headSize }: KeyValueEntry, rows: number, capacity: number): Storage {
  const size = rows * heads * capacity * headSize;
  return type === 'float16' ? new Uint16Array(size) : new Float32Array(size);
}
