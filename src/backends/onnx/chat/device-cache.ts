import type { BindableSession, Binding, ResidentTensor } from '../../../contracts/graph.ts';
import type { DeviceTensors, TensorRows } from '../../../runtime/device-tensors.ts';
import { releaseOnFailure } from '../../../concurrency/release-on-failure.ts';
import type { CacheRow } from '../../../contracts/decoder.ts';
import type { CacheEntry } from './decoder-layout.ts';
import type { StepTensors, BoundCache } from './step-tensors.ts';

/** Shared by the caches of a decoder. */
export interface DeviceCacheParts {
  readonly session: BindableSession;
  readonly entries: readonly CacheEntry[];
  readonly tensors: DeviceTensors;
}

/** Capacities are powers of two: a device compiles kernels for each new size. */
const smallestCapacity = 64;

/**
 * Keys and values in a device's memory, which a graph updates in place: `[rows, heads, capacity, headSize]`, past and
 * present in one buffer. Sequences begin at the first slot; unused slots hold zeros or old values, always finite. Rows
 * join and leave by graphs on the device.
 */
export class DeviceCache implements BoundCache {
  lengths: Int32Array;
  /** Tensors of the last step; `undefined` if the number of tokens or rows changes. */
  step: StepTensors | undefined;
  readonly #parts: DeviceCacheParts;
  /** Slots per row. */
  capacity = 0;
  #tensors: ResidentTensor[] = [];
  #binding: Binding | undefined;

  constructor(parts: DeviceCacheParts, rows: number) {
    this.#parts = parts;
    this.lengths = new Int32Array(rows);
  }

  /** Implements `Decoder.gather`. */
  static async gather(
    sources: readonly CacheRow<DeviceCache>[],
    replaced?: DeviceCache,
  ): Promise<DeviceCache> {
    const lengths = Int32Array.from(sources, ({ cache, row, length }) => length ?? cache.lengths[row]!);
    const needed = capacityFor(Math.max(...lengths));
    // A continued batch keeps its capacity.
    const capacity =
      replaced && replaced.capacity <= 4 * needed ? Math.max(needed, replaced.capacity) : needed;
    const isSame = sources.every(({ cache, row }, target) => cache === replaced && row === target);
    if (replaced && replaced.capacity === capacity && sources.length === replaced.rows && isSame) {
      replaced.lengths = lengths;
      replaced.step = undefined;
      return replaced;
    }
    const gathered = new DeviceCache(sources[0]!.cache.#parts, sources.length);
    await gathered.#fill(sources, capacity, replaced);
    gathered.lengths = lengths;
    replaced?.release();
    return gathered;
  }

  get rows(): number {
    return this.lengths.length;
  }

  get bytes(): number {
    return this.#parts.entries.reduce(
      (sum, { type, heads, headSize }) =>
        sum + this.rows * heads * this.capacity * headSize * (type === 'float16' ? 2 : 4),
      0,
    );
  }

  /** Reserves capacity for `count` more tokens per row. */
  async reserve(count: number): Promise<void> {
    const needed = Math.max(...this.lengths) + count;
    if (needed <= this.capacity) return;
    const capacity = capacityFor(needed);
    if (this.capacity > 0) {
      const rows = Array.from({ length: this.rows }, (_, row) => ({ cache: this, row }));
      return this.#fill(rows, capacity, this);
    }
    const { entries, tensors } = this.#parts;
    for (const { type, heads, headSize } of entries)
      this.#tensors.push(await tensors.zeros(type, [this.rows, heads, capacity, headSize]));
    this.capacity = capacity;
  }

  /** A binding to the tensors. */
  bind(): Binding {
    if (this.#binding) return this.#binding;
    const binding = this.#parts.session.createBinding();
    for (const [index, { past, present }] of this.#parts.entries.entries()) {
      binding.bindInput(past, this.#tensors[index]!);
      binding.bindOutput(present, this.#tensors[index]!);
    }
    return (this.#binding = binding);
  }

  release(): void {
    this.#unbind();
    for (const tensor of this.#tensors.splice(0)) tensor.release();
  }

  /** @param replaced its memory is released step by step */
  async #fill(
    sources: readonly CacheRow<DeviceCache>[],
    capacity: number,
    replaced?: DeviceCache,
  ): Promise<void> {
    const segments = toSegments(sources);
    for (const { cache } of segments) if (cache.capacity === 0) await cache.reserve(1);
    if (replaced) replaced.#unbind();
    this.#tensors = await releaseOnFailure(async (own) => {
      const filled: ResidentTensor[] = [];
      for (const [index] of this.#parts.entries.entries()) {
        const parts = segments.map(({ cache, rows }): TensorRows => ({
          tensor: cache.#tensors[replaced === cache ? 0 : index]!,
          rows,
        }));
        filled.push(own(await this.#parts.tensors.joinRows(parts, capacity)));
        if (replaced) replaced.#tensors.shift()!.release();
      }
      return filled;
    });
    this.capacity = capacity;
  }

  #unbind(): void {
    this.step = undefined;
    this.#binding?.release();
    this.#binding = undefined;
  }
}

interface Segment {
  readonly cache: DeviceCache;
  readonly rows: number[];
}

/** Groups adjacent rows of the same cache. */
function toSegments(sources: readonly CacheRow<DeviceCache>[]): readonly Segment[] {
  const segments: Segment[] = [];
  for (const { cache, row } of sources) {
    const last = segments.at(-1);
    if (last?.cache === cache) last.rows.push(row);
    else segments.push({ cache, rows: [row] });
  }
  return segments;
}

/** For this many tokens, plus one. */
function capacityFor(length: number): number {
  return Math.max(smallestCapacity, 2 ** Math.ceil(Math.log2(length + 1)));
}
