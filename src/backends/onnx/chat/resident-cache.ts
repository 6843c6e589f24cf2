import type { CacheRow } from '../../../contracts/decoder.ts';
import type { BindableSession, Binding, ResidentTensor } from '../../../contracts/graph.ts';
import { RowStorage, type StorageParts } from './row-storage.ts';
import type { StepTensors, BoundCache } from './step-tensors.ts';

/** Shared by the states of a decoder. */
interface ResidentStatesParts {
  readonly session: BindableSession;
  readonly states: StorageParts;
}

type ResidentStates = ReturnType<typeof createResidentStates>;

/**
 * Creates double-buffered states: a graph reads one half of the memory and writes the opposite one, and the halves swap
 * after a step. A failed step leaves them unchanged.
 */
function createResidentStates({ session, states }: ResidentStatesParts, room: number) {
  const takeHalf = (): RowStorage => RowStorage.take(states, { rows: room, capacity: 1 });
  let now = takeHalf();
  /** Created by the first step: kept sequences don't need it. */
  let next: RowStorage | undefined;
  /** Tensors over both halves, for the last bound rows. */
  let tensors: { now: ResidentTensor[]; next: ResidentTensor[] } | undefined;
  /** For a different number of rows, or different memory. */
  const unbind = (): void => {
    for (const tensor of [...(tensors?.now ?? []), ...(tensors?.next ?? [])]) tensor.release();
    tensors = undefined;
  };
  return {
    now: () => now,
    bytes: () => now.bytes + (next?.bytes ?? 0),
    /** Binds the states of the first rows to the next step. */
    bind(binding: Binding, rows: number): void {
      const create = (half: RowStorage): ResidentTensor[] =>
        states.entries.map((_, index) => session.createTensor(half.tensor(index, rows)));
      next ??= takeHalf();
      tensors ??= { now: create(now), next: create(next) };
      for (const [index, { past, present }] of states.entries.entries()) {
        binding.bindInput(past, tensors.now[index]!);
        binding.bindOutput(present, tensors.next[index]!);
      }
    },
    /** Swaps the halves after a step. */
    turn(): void {
      if (!next || !tensors) return;
      [now, next] = [next, now];
      tensors = { now: tensors.next, next: tensors.now };
    },
    unbind,
    release(): void {
      unbind();
      now.release();
      next?.release();
    },
  };
}

/** Shared by the caches of a decoder. */
interface CacheParts extends ResidentStatesParts {
  readonly keysAndValues: StorageParts;
}

/** Capacities are multiples of this. */
const slotStep = 64;
/** A cache of at least this many slots shrinks when its sequences need a quarter of it. */
const largeCapacity = 2048;

/**
 * Keys and values that a graph updates in place: buffers `[rows, heads, capacity, headSize]`, each past and present.
 * Sequences begin at the first slot. The buffers may have spare rows: rows join and leave without copying the remaining
 * ones. Layers with states keep these separately.
 */
export class ResidentCache implements BoundCache {
  lengths: Int32Array;
  step: StepTensors | undefined;
  readonly #parts: CacheParts;
  #rowRoom: number;
  /** The keys and values; replaced whenever the capacity changes. */
  storage: RowStorage;
  readonly #states: ResidentStates;
  #binding: Binding | undefined;
  #isBound = false;

  constructor(parts: CacheParts, rows: number, capacity = 0) {
    this.#parts = parts;
    this.lengths = new Int32Array(rows);
    this.#rowRoom = 2 ** Math.ceil(Math.log2(rows));
    this.storage = this.#take(capacity);
    this.#states = createResidentStates(parts, this.#rowRoom);
  }

  /** Implements `Decoder.gather`. */
  static gather(
    sources: readonly CacheRow<ResidentCache>[],
    replaced?: ResidentCache,
    room = 0,
  ): ResidentCache {
    const lengths = Int32Array.from(sources, ({ cache, row, length }) => length ?? cache.lengths[row]!);
    const needed = roomFor(Math.max(room, ...lengths));
    if (replaced && replaced.#canBecome(sources, needed)) {
      replaced.#replaceRows(sources, lengths);
      return replaced;
    }
    const { cache } = sources[0]!;
    // A continued batch keeps its capacity.
    const capacity =
      replaced && replaced.capacity < 4 * needed ? Math.max(needed, replaced.capacity) : needed;
    const gathered = new ResidentCache(cache.#parts, sources.length, capacity);
    gathered.#replaceRows(sources, lengths);
    replaced?.release();
    return gathered;
  }

  get rows(): number {
    return this.lengths.length;
  }

  get capacity(): number {
    return this.storage.capacity;
  }

  /** Whether a copy of its only row would need more than half of its memory. */
  get isTight(): boolean {
    return this.#rowRoom === 1 && this.capacity < 2 * roomFor(this.lengths[0]!);
  }

  get bytes(): number {
    return this.storage.bytes + this.#states.bytes();
  }

  reserve(count: number): void {
    const needed = Math.max(...this.lengths) + count;
    if (needed <= this.capacity) return;
    const old = this.storage;
    this.storage = this.#take(roomFor(Math.max(needed, 2 * old.capacity)));
    for (const [row, length] of this.lengths.entries())
      this.storage.copySlots({ row, slot: 0 }, old, { row, slot: 0 }, length);
    old.release();
    this.#unbind();
  }

  bind(): Binding {
    const { session, keysAndValues } = this.#parts;
    const binding = (this.#binding ??= session.createBinding());
    this.#states.bind(binding, this.rows);
    if (this.#isBound) return binding;
    for (const [index, { past, present }] of keysAndValues.entries.entries()) {
      const tensor = session.createTensor(this.storage.tensor(index, this.rows));
      binding.bindInput(past, tensor);
      binding.bindOutput(present, tensor);
      tensor.release();
    }
    this.#isBound = true;
    return binding;
  }

  /** Called after a successful step. */
  turnStates(): void {
    this.#states.turn();
  }

  /** Releases the memory that only steps need. */
  rest(): this {
    this.#binding?.release();
    this.#binding = undefined;
    this.#unbind();
    return this;
  }

  release(): void {
    this.rest();
    this.#states.release();
    this.storage.release();
  }

  #unbind(): void {
    this.#isBound = false;
    this.#states.unbind();
    this.step = undefined;
  }

  #take(capacity: number): RowStorage {
    return RowStorage.take(this.#parts.keysAndValues, { rows: this.#rowRoom, capacity, zeroed: false });
  }

  /** Whether these rows fit, and no row is overwritten before it is copied. */
  #canBecome(sources: readonly CacheRow<ResidentCache>[], needed: number): boolean {
    if (needed > this.capacity || sources.length > this.#rowRoom) return false;
    if (this.capacity >= Math.max(largeCapacity, 4 * needed)) return false;
    return sources.every(
      ({ cache, row }, target) =>
        cache !== this || row >= target || (sources[row]!.cache === this && sources[row]!.row === row),
    );
  }

  #replaceRows(sources: readonly CacheRow<ResidentCache>[], lengths: Int32Array): void {
    for (const [target, { cache, row }] of sources.entries()) {
      if (cache === this && row === target) continue;
      this.storage.copySlots({ row: target, slot: 0 }, cache.storage, { row, slot: 0 }, lengths[target]!);
      this.#states.now().copyRow(target, cache.#states.now(), row);
    }
    this.lengths = lengths;
    this.#unbind();
  }
}

/** Capacity for this many tokens, plus one. */
export function roomFor(length: number): number {
  return Math.ceil((length + 1) / slotStep) * slotStep;
}
