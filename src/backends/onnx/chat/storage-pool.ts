import type { ElementType } from '../../../contracts/graph.ts';

/** The numbers of keys or values; half precision as its bits. */
export type Storage = Float32Array<ArrayBuffer> | Uint16Array<ArrayBuffer>;

const smallest = 4096;
/** Size of all unused buffers; the rest is left to the garbage collector. */
const mostIdleBytes = 128 * 2 ** 20;
/** A buffer is lent to those who need at least so much of it. */
const leastUse = 2 / 3;

/**
 * Lends buffers again that were given back. Batches change their shape whenever a sequence joins or leaves, and memory
 * taken anew each time keeps the garbage collector and the kernel's page allocator busier than the model.
 */
export class StoragePool {
  /** Keyed by size in bytes. */
  readonly #idle = new Map<number, ArrayBuffer[]>();
  #idleBytes = 0;

  /**
   * Zeros, for those who read more than they write: what a sequence left over, perhaps not even finite, must not reach another
   * one.
   */
  take(type: ElementType, length: number, { zeroed = true }: { readonly zeroed?: boolean } = {}): Storage {
    const bytesPerElement = type === 'float16' ? 2 : 4;
    const bytes = sizeClass(length * bytesPerElement);
    const idle = this.#takeIdle(bytes);
    const buffer = idle ?? (zeroed ? new ArrayBuffer(bytes) : Buffer.allocUnsafeSlow(bytes).buffer);
    const storage =
      type === 'float16' ? new Uint16Array(buffer, 0, length) : new Float32Array(buffer, 0, length);
    return idle && zeroed ? storage.fill(0) : storage;
  }

  /** The smallest of those that are large enough. */
  #takeIdle(bytes: number): ArrayBuffer | undefined {
    let found = Infinity;
    for (const [size, { length }] of this.#idle)
      if (length > 0 && size >= bytes && size < found) found = size;
    if (bytes < leastUse * found) return undefined;
    this.#idleBytes -= found;
    return this.#idle.get(found)!.pop();
  }

  /** Nobody may use it any more. */
  give({ buffer }: Storage): void {
    const bytes = buffer.byteLength;
    if (bytes !== sizeClass(bytes) || this.#idleBytes + bytes > mostIdleBytes) return;
    this.#idleBytes += bytes;
    const others = this.#idle.get(bytes);
    if (others) others.push(buffer);
    else this.#idle.set(bytes, [buffer]);
  }
}

/** Rounds up to a quarter of a power of two, so that sizes repeat and little is wasted. */
function sizeClass(bytes: number): number {
  if (bytes <= smallest) return smallest;
  const step = 2 ** Math.max(10, Math.floor(Math.log2(bytes)) - 2);
  return Math.ceil(bytes / step) * step;
}
