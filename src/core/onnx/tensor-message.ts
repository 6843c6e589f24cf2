import { concatenate } from '../audio/containers/reading.ts';
import { toNumber, type WireField } from '../protobuf/reader.ts';
import { elementBytes } from './element-types.ts';
import {
  entries,
  integer,
  many,
  message,
  one,
  others,
  text,
  type Codec,
  type ReadContext,
  type WriteOptions,
} from './message.ts';
import type { OnnxTensor, TensorBytes } from './model.ts';

/** The location of elements, which may be too many to read. */
const place: Codec<WireField | Uint8Array> = {
  read: (field) => field,
  write: (writer, number, value) => writer.bytes(number, value as Uint8Array),
};

/** `TensorProto`. Fields 5, 7 and 11 hold integers with a packed form different from `raw_data`; 4 and 10 hold floats. */
const tensorMessage = message({
  dims: many(1, integer, (field, { reader }) => reader.integers(field).map(toNumber)),
  elementType: one(2, integer, 0),
  floats: many(4, place),
  int32s: many(5, place),
  int64s: many(7, place),
  name: one(8, text, ''),
  raw: many(9, place),
  doubles: many(10, place),
  uint64s: many(11, place),
  external: entries(13),
  isExternal: one(14, integer, 0),
  unknown: others,
});

export const tensor: Codec<OnnxTensor> = {
  read(field, context) {
    const { name, elementType, dims, unknown, ...stored } = tensorMessage.read(field, context);
    const { external, isExternal, floats, raw, doubles, int32s, int64s, uint64s } = stored;
    if (isExternal === 1) return { name, elementType, dims, data: externalData(name, external), unknown };
    const own = {
      raw: [...floats, ...raw, ...doubles] as WireField[],
      integers: [...int32s, ...int64s, ...uint64s] as WireField[],
      size: elementBytes(elementType) ?? 1,
    };
    const data = ownData(own, context);
    return { name, elementType, dims, data, unknown };
  },
  write(writer, number, { data, ...described }, options) {
    const stored = toStored(described.name, data, options);
    tensorMessage.write(writer, number, { ...tensorMessage.begin(), ...described, ...stored }, options);
  },
};

function externalData(name: string, stated: ReadonlyMap<string, string>): TensorBytes {
  const offset = Number(stated.get('offset') ?? 0);
  const length = stated.has('length') ? Number(stated.get('length')) : undefined;
  if (![offset, length ?? 0].every((value) => Number.isSafeInteger(value) && value >= 0))
    throw new RangeError(`tensor ${name}: expected offset and length, got ${offset} and ${length}`);
  return { place: 'file', location: stated.get('location') ?? '', offset, length };
}

function ownData(
  { raw, integers, size }: { raw: readonly WireField[]; integers: readonly WireField[]; size: number },
  { reader, smallestMapped }: ReadContext,
): TensorBytes {
  if (raw.length === 1) {
    const [{ content: offset, end }] = raw as [WireField];
    const length = end - offset;
    if (length >= smallestMapped) return { place: 'model', offset, length };
    // Bytes in memory aren't copied.
    return { place: 'inline', bytes: reader.source.read(offset, length) };
  }
  const parts = raw.map(({ content, end }) => reader.bytes(content, end));
  const converted = integers.map((field) => toBytes(reader.integers(field), size));
  return { place: 'inline', bytes: concatenate([...parts, ...converted]) };
}

/** Little-endian numbers of `size` bytes. */
function toBytes(values: readonly bigint[], size: number): Uint8Array {
  const wide = new DataView(new ArrayBuffer(8));
  const bytes = new Uint8Array(values.length * size);
  values.forEach((value, index) => {
    wide.setBigInt64(0, value, true);
    bytes.set(new Uint8Array(wide.buffer, 0, size), index * size);
  });
  return bytes;
}

function toStored(name: string, data: TensorBytes, { location }: WriteOptions) {
  // String elements are among the unknown fields.
  if (data.place === 'inline') return { raw: data.bytes.length > 0 ? [data.bytes] : [] };
  const file = data.place === 'file' ? data.location : location;
  if (file === undefined)
    throw new RangeError(`tensor ${name}: expected a location for bytes that were not read`);
  const external = new Map([
    ['location', file],
    ['offset', String(data.offset)],
  ]);
  if (data.length !== undefined) external.set('length', String(data.length));
  return { external, isExternal: 1 };
}
