/** A value of GGUF metadata. Integers beyond 2^53 are rounded. */
export type GgufValue = number | boolean | string | readonly GgufValue[];

/** The metadata of a GGUF file: key → value. */
export type GgufMetadata = ReadonlyMap<string, GgufValue>;

export interface ReadGgufOptions {
  /** Reading ends before the first key that begins with it. */
  readonly until?: string | undefined;
}

/** The codes of value types, in the order of the format's specification. */
const readers: readonly ((reader: Reader) => GgufValue)[] = [
  (reader) => reader.view.getUint8(reader.take(1)),
  (reader) => reader.view.getInt8(reader.take(1)),
  (reader) => reader.view.getUint16(reader.take(2), true),
  (reader) => reader.view.getInt16(reader.take(2), true),
  (reader) => reader.view.getUint32(reader.take(4), true),
  (reader) => reader.view.getInt32(reader.take(4), true),
  (reader) => reader.view.getFloat32(reader.take(4), true),
  (reader) => reader.view.getUint8(reader.take(1)) !== 0,
  (reader) => reader.text(),
  (reader) => reader.list(),
  (reader) => reader.count(),
  (reader) => Number(reader.view.getBigInt64(reader.take(8), true)),
  (reader) => reader.view.getFloat64(reader.take(8), true),
];

const utf8 = new TextDecoder();
const magic = 'GGUF';
const versions = [2, 3];
const mostDepth = 4;
/** Number of values of all entries and lists; the vocabularies of today have up to 1.3 million. */
const mostValues = 2 ** 23;

/** Thrown inside where the bytes end. */
class EndOfBytes extends Error {}

class Reader {
  readonly view: DataView;
  readonly #bytes: Uint8Array;
  #at = 0;
  #depth = 0;
  #values = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  /** @returns where the next `size` bytes begin */
  take(size: number): number {
    const at = this.#at;
    if (size > this.#bytes.length - at) throw new EndOfBytes();
    this.#at += size;
    return at;
  }

  count(): number {
    return Number(this.view.getBigUint64(this.take(8), true));
  }

  /** The number of values that follow: a file may say any number, so memory is taken for few. */
  length(): number {
    const length = this.count();
    this.#values += length;
    if (this.#values > mostValues) throw new RangeError(`metadata: expected at most ${mostValues} values`);
    return length;
  }

  text(): string {
    const length = this.count();
    const at = this.take(length);
    return utf8.decode(this.#bytes.subarray(at, at + length));
  }

  value(): GgufValue {
    return this.#valueOf(this.view.getUint32(this.take(4), true));
  }

  list(): readonly GgufValue[] {
    const type = this.view.getUint32(this.take(4), true);
    const length = this.length();
    if (++this.#depth > mostDepth) throw new RangeError('metadata: lists are nested too deeply');
    const values: GgufValue[] = [];
    while (values.length < length) values.push(this.#valueOf(type));
    this.#depth--;
    return values;
  }

  #valueOf(type: number): GgufValue {
    const read = readers[type];
    if (!read) throw new RangeError(`metadata: there is no type ${type}`);
    return read(this);
  }
}

// Source: https://github.com/ggml-org/ggml/blob/master/docs/gguf.md
/**
 * Reads the metadata at the beginning of a GGUF file.
 * @param bytes of the file's beginning, or all of it
 * @returns nothing where the bytes end before the metadata does
 */
export function readGgufMetadata(
  bytes: Uint8Array,
  { until }: ReadGgufOptions = {},
): GgufMetadata | undefined {
  const reader = new Reader(bytes);
  try {
    const at = reader.take(magic.length);
    const found = utf8.decode(bytes.subarray(at, at + magic.length));
    if (found !== magic) throw new RangeError('magic: expected GGUF');
    const version = reader.view.getUint32(reader.take(4), true);
    if (!versions.includes(version))
      throw new RangeError(`version: expected ${versions.join(' or ')}, got ${version}`);
    reader.count();
    const entries = reader.length();
    const metadata = new Map<string, GgufValue>();
    for (let entry = 0; entry < entries; entry++) {
      const key = reader.text();
      if (until !== undefined && key.startsWith(until)) break;
      metadata.set(key, reader.value());
    }
    return metadata;
  } catch (error) {
    if (error instanceof EndOfBytes) return undefined;
    throw error;
  }
}
