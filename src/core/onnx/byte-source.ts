/** Bytes that are read piece by piece, so that a file of many gigabytes needs no memory of that size. */
export interface ByteSource {
  /** Bytes in all. */
  readonly size: number;
  /**
   * Reads `length` bytes, all of which lie within the source.
   *
   * @returns bytes that the caller does not change; they may be a view of larger memory
   */
  read(offset: number, length: number): Uint8Array;
}

/**
 * A source of bytes that are in memory already.
 *
 * @example
 * ```ts
 * sourceOfBytes(Uint8Array.of(1, 2, 3)).read(1, 2); // [2, 3]
 * ```
 */
export function sourceOfBytes(bytes: Uint8Array): ByteSource {
  // Node's buffers have methods of the same name that share memory.
  const plain = new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return {
    size: plain.length,
    read: (offset, length) => plain.subarray(offset, offset + length),
  };
}
