import type { Tensor, TensorMap } from '../../../runtime/contract.ts';
import type { StateEntry } from './decoder-layout.ts';
import type { Storage, StoragePool } from './storage-pool.ts';

/**
 * States of a batch of sequences that have a fixed size, `[rows, …]` each: the ends of convolutions, state spaces. They
 * stand for whole sequences: none can be had as it was some tokens before. A new row has zeros.
 */
export class RowStates {
  readonly #entries: readonly StateEntry[];
  readonly #pool: StoragePool;
  readonly #sizes: readonly number[];
  #storage: Storage[];

  /** @param options.room rows that it has memory for */
  constructor(
    entries: readonly StateEntry[],
    { room, pool }: { readonly room: number; readonly pool: StoragePool },
  ) {
    this.#entries = entries;
    this.#pool = pool;
    this.#sizes = entries.map(({ dims }) => dims.reduce((product, size) => product * size, 1));
    this.#storage = entries.map(({ type }, index) => pool.take(type, room * this.#sizes[index]!));
  }

  get bytes(): number {
    return this.#storage.reduce((sum, { byteLength }) => sum + byteLength, 0);
  }

  /** The states of the first rows, in the order of the layout; valid until they change. */
  tensors(rows: number): readonly Tensor[] {
    return this.#entries.map(({ type, dims }, index) => ({
      type,
      dims: [rows, ...dims],
      data: this.#storage[index]!.subarray(0, rows * this.#sizes[index]!),
    }));
  }

  /** The `past_*` feeds of all rows. */
  feeds(rows: number): TensorMap {
    const tensors = this.tensors(rows);
    return Object.fromEntries(this.#entries.map(({ past }, index) => [past, tensors[index]!]));
  }

  /** Takes over the `present_*` outputs of a step. */
  replace(outputs: TensorMap): void {
    this.release();
    this.#storage = this.#entries.map(({ present }) => outputs[present]!.data as Storage);
  }

  /** Copies a row of other states, or of these. */
  copyRow(target: number, source: RowStates, row: number): void {
    for (const [index, size] of this.#sizes.entries()) {
      const state = source.#storage[index]!.subarray(row * size, (row + 1) * size);
      this.#storage[index]!.set(state as never, target * size);
    }
  }

  /** Gives its memory back; nothing of it may be used afterwards. */
  release(): void {
    for (const storage of this.#storage) this.#pool.give(storage);
    this.#storage = [];
  }
}
