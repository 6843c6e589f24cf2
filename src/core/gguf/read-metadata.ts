import { orElse } from '../text/or-else.ts';

/** A value of GGUF metadata. Integers beyond 2^53 are rounded. */
export type GgufValue = number | boolean | string | readonly GgufValue[];

/** The metadata of a GGUF file: key → value. */
export type GgufMetadata = ReadonlyMap<string, GgufValue>;

export interface ReadGgufOptions {
  /** Reading ends before the first key with this prefix. */
  readonly until?: string | undefined;
}

const utf8 = new TextDecoder();
const magic = 'GGUF';
const versions = [2, 3];
const maxDepth = 4;
/** Maximum values of all entries and lists; current vocabularies have up to 1.3 million. */
const maxValues = 2 ** 23;

/** Thrown internally at the end of the bytes. */
class EndOfBytes extends Error {}

// Source: https://github.com/ggml-org/ggml/blob/master/docs/gguf.md
/**
 * Reads the metadata at the beginning of a GGUF file.
 * @param bytes the file's beginning, or all of it
 * @returns `undefined` if the bytes end before the metadata
 */
export function readGgufMetadata(
  bytes: Uint8Array,
  { until }: ReadGgufOptions = {},
): GgufMetadata | undefined {
  return orElse(() => new GgufReader(bytes).entries(until), undefined, EndOfBytes);
}

class GgufReader {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  #at = 0;
  #depth = 0;
  #values = 0;
  /** Value types by code, in the order of the specification. */
  readonly #readers: readonly (() => GgufValue)[] = [
    () => this.#view.getUint8(this.#take(1)),
    () => this.#view.getInt8(this.#take(1)),
    () => this.#view.getUint16(this.#take(2), true),
    () => this.#view.getInt16(this.#take(2), true),
    () => this.#readCode(),
    () => this.#view.getInt32(this.#take(4), true),
    () => this.#view.getFloat32(this.#take(4), true),
    () => this.#view.getUint8(this.#take(1)) !== 0,
    () => this.#readText(this.#readCount()),
    () => this.#readList(),
    () => this.#readCount(),
    () => Number(this.#view.getBigInt64(this.#take(8), true)),
    () => this.#view.getFloat64(this.#take(8), true),
  ];

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  entries(until: string | undefined): GgufMetadata {
    if (this.#readText(magic.length) !== magic) throw new RangeError('magic: expected GGUF');
    const version = this.#readCode();
    if (!versions.includes(version))
      throw new RangeError(`version: expected ${versions.join(' or ')}, got ${version}`);
    this.#readCount();
    const entries = this.#readLength();
    const metadata = new Map<string, GgufValue>();
    for (let entry = 0; entry < entries; entry++) {
      const key = this.#readText(this.#readCount());
      if (until !== undefined && key.startsWith(until)) break;
      metadata.set(key, this.#readValue(this.#readCode()));
    }
    return metadata;
  }

  /** @returns the start of the next `size` bytes */
  #take(size: number): number {
    const start = this.#at;
    if (size > this.#bytes.length - start) throw new EndOfBytes();
    this.#at += size;
    return start;
  }

  #readCode(): number {
    return this.#view.getUint32(this.#take(4), true);
  }

  #readCount(): number {
    return Number(this.#view.getBigUint64(this.#take(8), true));
  }

  /** The number of values that follow. A file may claim any number, so memory isn't allocated in advance. */
  #readLength(): number {
    const length = this.#readCount();
    this.#values += length;
    if (this.#values > maxValues) throw new RangeError(`metadata: expected at most ${maxValues} values`);
    return length;
  }

  #readText(length: number): string {
    const start = this.#take(length);
    return utf8.decode(this.#bytes.subarray(start, start + length));
  }

  #readList(): readonly GgufValue[] {
    const type = this.#readCode();
    const length = this.#readLength();
    if (++this.#depth > maxDepth) throw new RangeError('metadata: lists are nested too deeply');
    const list: GgufValue[] = [];
    while (list.length < length) list.push(this.#readValue(type));
    this.#depth--;
    return list;
  }

  #readValue(type: number): GgufValue {
    const read = this.#readers[type];
    if (!read) throw new RangeError(`metadata: there is no type ${type}`);
    return read();
  }
}
