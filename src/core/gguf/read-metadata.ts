import { orElse } from '../text/or-else.ts';

/** A value of GGUF metadata. Integers beyond 2^53 are rounded. */
export type GgufValue = number | boolean | string | readonly GgufValue[];

/** The metadata of a GGUF file: key → value. */
export type GgufMetadata = ReadonlyMap<string, GgufValue>;

export interface ReadGgufOptions {
  /** Reading ends before the first key that begins with it. */
  readonly until?: string | undefined;
}

const utf8 = new TextDecoder();
const magic = 'GGUF';
const versions = [2, 3];
const mostDepth = 4;
/** Number of values of all entries and lists; the vocabularies of today have up to 1.3 million. */
const mostValues = 2 ** 23;

/** Thrown inside where the bytes end. */
class EndOfBytes extends Error {}

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
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let at = 0;
  let depth = 0;
  let values = 0;
  /** The codes of value types, in the order of the format's specification. */
  const readers: readonly (() => GgufValue)[] = [
    () => view.getUint8(take(1)),
    () => view.getInt8(take(1)),
    () => view.getUint16(take(2), true),
    () => view.getInt16(take(2), true),
    readCode,
    () => view.getInt32(take(4), true),
    () => view.getFloat32(take(4), true),
    () => view.getUint8(take(1)) !== 0,
    () => readText(readCount()),
    readList,
    readCount,
    () => Number(view.getBigInt64(take(8), true)),
    () => view.getFloat64(take(8), true),
  ];
  return orElse(readEntries, undefined, EndOfBytes);

  function readEntries(): GgufMetadata {
    if (readText(magic.length) !== magic) throw new RangeError('magic: expected GGUF');
    const version = readCode();
    if (!versions.includes(version))
      throw new RangeError(`version: expected ${versions.join(' or ')}, got ${version}`);
    readCount();
    const entries = readLength();
    const metadata = new Map<string, GgufValue>();
    for (let entry = 0; entry < entries; entry++) {
      const key = readText(readCount());
      if (until !== undefined && key.startsWith(until)) break;
      metadata.set(key, readValue(readCode()));
    }
    return metadata;
  }

  /** @returns where the next `size` bytes begin */
  function take(size: number): number {
    const start = at;
    if (size > bytes.length - start) throw new EndOfBytes();
    at += size;
    return start;
  }

  function readCode(): number {
    return view.getUint32(take(4), true);
  }

  function readCount(): number {
    return Number(view.getBigUint64(take(8), true));
  }

  /** The number of values that follow: a file may say any number, so memory is taken for few. */
  function readLength(): number {
    const length = readCount();
    values += length;
    if (values > mostValues) throw new RangeError(`metadata: expected at most ${mostValues} values`);
    return length;
  }

  function readText(length: number): string {
    const start = take(length);
    return utf8.decode(bytes.subarray(start, start + length));
  }

  function readList(): readonly GgufValue[] {
    const type = readCode();
    const length = readLength();
    if (++depth > mostDepth) throw new RangeError('metadata: lists are nested too deeply');
    const list: GgufValue[] = [];
    while (list.length < length) list.push(readValue(type));
    depth--;
    return list;
  }

  function readValue(type: number): GgufValue {
    const read = readers[type];
    if (!read) throw new RangeError(`metadata: there is no type ${type}`);
    return read();
  }
}
