import type { Binding } from '../../../runtime/contract.ts';
import type { CacheRow, DecoderCache } from '../../../runtime/decoder.ts';
import type { KeyValueEntry } from './decoder-layout.ts';
import { ResidentStates, type ResidentStatesParts } from './resident-states.ts';
import type { StepTensors } from './step-tensors.ts';
import type { Storage } from './storage-pool.ts';

/** Parts that the caches of a decoder share. */
export interface CacheParts extends ResidentStatesParts {
  readonly entries: readonly KeyValueEntry[];
}

interface Size {
  readonly rows: number;
  /** Slots of each row. */
  readonly capacity: number;
}

/** Capacities are multiples of it. */
const slotStep = 64;
/** A cache of at least so many slots is made smaller when its sequences need a quarter of them. */
const largeCapacity = 2048;

/**
 * Keys and values that a graph changes in place: buffers `[rows, heads, capacity, headSize]`, each of them past and
 * present at once. Sequences begin at the first slot. The buffers may have room for more rows: rows join and leave
 * without a copy of those that stay. Layers that have states instead keep these beside them.
 */
export class ResidentCache implements DecoderCache {
  lengths: Int32Array;
  /** Tensors of the last step; `undefined` when another number of tokens or rows comes. */
  step: StepTensors | undefined;
  readonly #parts: CacheParts;
  #rowRoom: number;
  #capacity: number;
  #storage: Storage[];
  readonly #states: ResidentStates;
  #binding: Binding | undefined;
  #isBound = false;

  constructor(parts: CacheParts, { rows, capacity }: Size) {
    this.#parts = parts;
    this.lengths = new Int32Array(rows);
    this.#rowRoom = 2 ** Math.ceil(Math.log2(rows));
    this.#capacity = capacity;
    this.#storage = this.#take(capacity);
    this.#states = new ResidentStates(parts, this.#rowRoom);
  }

  /** As `Decoder.gather`. */
  static gather(sources: readonly CacheRow<ResidentCache>[], replaced?: ResidentCache): ResidentCache {
    const lengths = Int32Array.from(sources, ({ cache, row, length }) => length ?? cache.lengths[row]!);
    const needed = roomFor(Math.max(...lengths));
    if (replaced && replaced.#canBecome(sources, needed)) {
      replaced.#replaceRows(sources, lengths);
      return replaced;
    }
    const { cache } = sources[0]!;
    // A batch goes on with the room that it had.
    const capacity =
      replaced && replaced.#capacity < 4 * needed ? Math.max(needed, replaced.#capacity) : needed;
    const gathered = new ResidentCache(cache.#parts, { rows: sources.length, capacity });
    gathered.#replaceRows(sources, lengths);
    replaced?.release();
    return gathered;
  }

  get rows(): number {
    return this.lengths.length;
  }

  /** Slots per row. */
  get capacity(): number {
    return this.#capacity;
  }

  get bytes(): number {
    return this.#storage.reduce((sum, { byteLength }) => sum + byteLength, this.#states.bytes);
  }

  /** Makes room for `count` more tokens in each row. */
  reserve(count: number): void {
    const needed = Math.max(...this.lengths) + count;
    if (needed <= this.#capacity) return;
    const old = this.#storage;
    const oldCapacity = this.#capacity;
    this.#capacity = roomFor(Math.max(needed, 2 * oldCapacity));
    this.#storage = this.#take(this.#capacity);
    this.lengths.forEach((length, row) =>
      this.#copyRow(row, { storage: old, capacity: oldCapacity, row, length }),
    );
    for (const storage of old) this.#parts.pool.give(storage);
    this.#unbind();
  }

  /** A binding to the buffers, for one step. */
  bind(): Binding {
    const { session, entries } = this.#parts;
    const binding = (this.#binding ??= session.createBinding());
    this.#states.bind(binding, this.rows);
    if (this.#isBound) return binding;
    for (const [index, { past, present, type, heads, headSize }] of entries.entries()) {
      const dims = [this.rows, heads, this.#capacity, headSize];
      const size = this.rows * heads * this.#capacity * headSize;
      const tensor = session.createTensor({ type, dims, data: this.#storage[index]!.subarray(0, size) });
      binding.bindInput(past, tensor);
      binding.bindOutput(present, tensor);
      tensor.release();
    }
    this.#isBound = true;
    return binding;
  }

  /** A step has gone well. */
  turnStates(): void {
    this.#states.turn();
  }

  release(): void {
    this.#binding?.release();
    this.#binding = undefined;
    this.#unbind();
    this.#states.release();
    for (const storage of this.#storage) this.#parts.pool.give(storage);
    this.#storage = [];
  }

  #unbind(): void {
    this.#isBound = false;
    this.#states.unbind();
    this.step = undefined;
  }

  #take(capacity: number): Storage[] {
    const { entries, pool } = this.#parts;
    return entries.map(({ type, heads, headSize }) =>
      pool.take(type, this.#rowRoom * heads * capacity * headSize, { zeroed: false }),
    );
  }

  /** Whether there is room for these rows, and each is still there when its turn comes to be copied. */
  #canBecome(sources: readonly CacheRow<ResidentCache>[], needed: number): boolean {
    if (needed > this.#capacity || sources.length > this.#rowRoom) return false;
    if (this.#capacity >= Math.max(largeCapacity, 4 * needed)) return false;
    return sources.every(
      ({ cache, row }, target) =>
        cache !== this || row >= target || (sources[row]!.cache === this && sources[row]!.row === row),
    );
  }

  #replaceRows(sources: readonly CacheRow<ResidentCache>[], lengths: Int32Array): void {
    for (const [target, { cache, row }] of sources.entries()) {
      if (cache === this && row === target) continue;
      this.#copyRow(target, {
        storage: cache.#storage,
        capacity: cache.#capacity,
        row,
        length: lengths[target]!,
      });
      this.#states.copyRow(target, cache.#states, row);
    }
    this.lengths = lengths;
    this.#unbind();
  }

  #copyRow(
    target: number,
    source: {
      readonly storage: readonly Storage[];
      readonly capacity: number;
      readonly row: number;
      readonly length: number;
    },
  ): void {
    const { storage, capacity, row, length } = source;
    this.#parts.entries.forEach(({ heads, headSize }, index) => {
      for (let head = 0; head < heads; head++) {
        const from = (row * heads + head) * capacity * headSize;
        const to = (target * heads + head) * this.#capacity * headSize;
        this.#storage[index]!.set(storage[index]!.subarray(from, from + length * headSize) as never, to);
      }
    });
  }
}

/** Capacity for so many tokens and the next one. */
function roomFor(length: number): number {
  return Math.ceil((length + 1) / slotStep) * slotStep;
}
