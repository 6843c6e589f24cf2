import type { Tensor, TensorMap } from '../../../contracts/graph.ts';
import type { CacheEntry } from './decoder-layout.ts';
import type { Storage, StoragePool } from './storage-pool.ts';

/** Entries of a cache, and the source of their memory. */
export interface StorageParts {
  readonly entries: readonly CacheEntry[];
  readonly pool: StoragePool;
}

interface StorageSize {
  readonly rows: number;
  /** Slots of each row. */
  readonly capacity: number;
  /** Slots after the last row; default 0. */
  readonly spare?: number;
  /** `false` if only written values are read; default `true`. */
  readonly zeroed?: boolean;
}

export interface Place {
  readonly row: number;
  readonly slot: number;
}

/** Memory of rows: for each entry a buffer `[rows, heads, capacity, headSize]`. */
export class RowStorage {
  buffers: readonly Storage[];
  /** Slots of each row. */
  readonly capacity: number;
  readonly #parts: StorageParts;

  constructor(parts: StorageParts, capacity: number, buffers: readonly Storage[]) {
    this.#parts = parts;
    this.capacity = capacity;
    this.buffers = buffers;
  }

  /** Takes memory from the pool. */
  static take(parts: StorageParts, { rows, capacity, spare = 0, zeroed = true }: StorageSize): RowStorage {
    const buffers: Storage[] = [];
    for (const { type, heads, headSize } of parts.entries)
      buffers.push(parts.pool.take(type, (rows * heads * capacity + spare) * headSize, { zeroed }));
    return new RowStorage(parts, capacity, buffers);
  }

  /** The memory of a step's outputs with this many slots. */
  static of(parts: StorageParts, capacity: number, outputs: TensorMap): RowStorage {
    const buffers = parts.entries.map(({ present }) => outputs[present]!.data as Storage);
    return new RowStorage(parts, capacity, buffers);
  }

  get bytes(): number {
    let sum = 0;
    for (const { byteLength } of this.buffers) sum += byteLength;
    return sum;
  }

  /** The numbers of an entry's first rows. @param start first slot */
  view(index: number, rows: number, start = 0): Storage {
    const { heads, headSize } = this.#parts.entries[index]!;
    const end = start + rows * heads * this.capacity;
    return this.buffers[index]!.subarray(start * headSize, end * headSize);
  }

  /** Like `view`; valid until the numbers change. */
  tensor(index: number, rows: number, start?: number): Tensor {
    const { type, heads, headSize, dims = [heads, this.capacity, headSize] } = this.#parts.entries[index]!;
    return { type, dims: [rows, ...dims], data: this.view(index, rows, start) };
  }

  /** The `past*` feeds of the first rows, each as `tensor`. */
  feeds(rows: number, start?: number): TensorMap {
    const feeds: Record<string, Tensor> = {};
    for (const [index, { past }] of this.#parts.entries.entries())
      feeds[past] = this.tensor(index, rows, start);
    return feeds;
  }

  /** Copies `length` slots of a row, within this storage or between two. */
  copySlots(target: Place, source: RowStorage, from: Place, length: number): void {
    for (const [index, { heads, headSize }] of this.#parts.entries.entries()) {
      for (let head = 0; head < heads; head++) {
        const start = ((from.row * heads + head) * source.capacity + from.slot) * headSize;
        const slots = source.buffers[index]!.subarray(start, start + length * headSize);
        const to = ((target.row * heads + head) * this.capacity + target.slot) * headSize;
        this.buffers[index]!.set(slots as never, to);
      }
    }
  }

  /** Copies a row, within this storage or from a storage of the same capacity. */
  copyRow(target: number, source: RowStorage, row: number): void {
    this.copySlots({ row: target, slot: 0 }, source, { row, slot: 0 }, this.capacity);
  }

  /** Returns the memory to the pool; it must not be used afterwards. */
  release(): void {
    for (const buffer of this.buffers) this.#parts.pool.give(buffer);
    this.buffers = [];
  }
}
