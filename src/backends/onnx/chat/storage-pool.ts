import type { ElementType } from '../../../contracts/graph.ts';

/** Numbers of keys or values; half precision as bits. */
export type Storage = Float32Array<ArrayBuffer> | Uint16Array<ArrayBuffer>;

const smallest = 4096;
/** Maximum total size of unused buffers; the garbage collector frees the rest. */
const maxIdleBytes = 128 * 2 ** 20;
/** A buffer is only reused for at least this fraction of its size. */
const minUse = 2 / 3;

/**
 * Reuses released buffers. Batches change their shape whenever a sequence joins or leaves, and allocating each time
 * would keep the garbage collector and the kernel's page allocator busier than the model.
 */
export class StoragePool {
  /** By size in bytes. */
  readonly #idle = new Map<number, ArrayBuffer[]>();
  #idleBytes = 0;

  /** Zeroed for readers of unwritten slots: leftovers, possibly not even finite, must not reach a different sequence. */
  take(type: ElementType, length: number, { zeroed = true }: { readonly zeroed?: boolean } = {}): Storage {
    const bytes = sizeClass(length * (type === 'float16' ? 2 : 4));
    // The smallest idle buffer that is large enough.
    let found = Infinity;
    for (const [size, { length: count }] of this.#idle)
      if (count > 0 && size >= bytes && size < found) found = size;
    const idle = bytes < minUse * found ? undefined : this.#idle.get(found)!.pop()!;
    if (idle) this.#idleBytes -= found;
    const buffer = idle ?? (zeroed ? new ArrayBuffer(bytes) : Buffer.allocUnsafeSlow(bytes).buffer);
    const storage =
      type === 'float16' ? new Uint16Array(buffer, 0, length) : new Float32Array(buffer, 0, length);
    return idle && zeroed ? storage.fill(0) : storage;
  }

  /** The buffer must no longer be in use. */
  give({ buffer }: Storage): void {
    const bytes = buffer.byteLength;
    if (bytes !== sizeClass(bytes) || this.#idleBytes + bytes > maxIdleBytes) return;
    this.#idleBytes += bytes;
    const others = this.#idle.get(bytes);
    if (others) others.push(buffer);
    else this.#idle.set(bytes, [buffer]);
  }
}

/** Rounds up to a quarter of a power of two, so that sizes recur with little waste. */
function sizeClass(bytes: number): number {
  if (bytes <= smallest) return smallest;
  const step = 2 ** Math.max(10, Math.floor(Math.log2(bytes)) - 2);
  return Math.ceil(bytes / step) * step;
}
