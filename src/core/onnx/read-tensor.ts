import { elementBytes } from './element-types.ts';
import type { OnnxTensor, TensorBytes } from './model.ts';
import { toNumber, wireType, type WireField, type WireReader } from '../protobuf/reader.ts';

/** Fields of `TensorProto` with typed elements whose packed form isn't that of `raw_data`. */
const int32Data = 5;
const int64Data = 7;
const uint64Data = 11;
/** Fields whose packed form is that of `raw_data`. */
const floatData = 4;
const rawData = 9;
const doubleData = 10;

/** Reads a `TensorProto`. */
export function readTensor(context: ReadContext, { content, end, type }: WireField): OnnxTensor {
  const { reader } = context;
  if (type !== wireType.bytes) throw new RangeError(`tensor: expected a message, got wire type ${type}`);
  let name = '';
  let elementType = 0;
  let isExternal = false;
  const dims: number[] = [];
  const external = new Map<string, string>();
  const contents: WireField[] = [];
  const unknown: Uint8Array[] = [];
  for (const field of reader.fields(content, end)) {
    switch (field.number) {
      case 1:
        dims.push(...reader.integers(field).map(toNumber));
        break;
      case 2:
        elementType = reader.number(field);
        break;
      case floatData:
      case int32Data:
      case int64Data:
      case rawData:
      case doubleData:
      case uint64Data:
        contents.push(field);
        break;
      case 8:
        name = reader.text(field);
        break;
      case 13:
        external.set(...readEntry(reader, field));
        break;
      case 14:
        isExternal = reader.number(field) === 1;
        break;
      default:
        unknown.push(reader.bytes(field.start, field.end));
    }
  }
  const data = isExternal ? externalData(name, external) : ownData(context, contents, elementType);
  return { name, elementType, dims, data, unknown };
}

function externalData(name: string, entries: ReadonlyMap<string, string>): TensorBytes {
  const offset = Number(entries.get('offset') ?? 0);
  const length = entries.has('length') ? Number(entries.get('length')) : undefined;
  if (![offset, length ?? 0].every((value) => Number.isSafeInteger(value) && value >= 0))
    throw new RangeError(`tensor ${name}: expected offset and length, got ${offset} and ${length}`);
  return { place: 'file', location: entries.get('location') ?? '', offset, length };
}

function ownData(
  { reader, smallestMapped }: ReadContext,
  contents: readonly WireField[],
  elementType: number,
): TensorBytes {
  const [first] = contents;
  if (!first) return { place: 'inline', bytes: new Uint8Array(0) };
  const length = first.end - first.content;
  const isRaw = [floatData, rawData, doubleData].includes(first.number);
  if (contents.length === 1 && isRaw) {
    if (length >= smallestMapped) return { place: 'model', offset: first.content, length };
    const { source } = reader;
    // What is in memory already isn't copied.
    return { place: 'inline', bytes: source.read(first.content, length) };
  }
  if (isRaw)
    return { place: 'inline', bytes: join(contents.map((field) => reader.bytes(field.content, field.end))) };
  const size = elementBytes(elementType) ?? 1;
  return { place: 'inline', bytes: join(contents.map((field) => toBytes(reader.integers(field), size))) };
}

function join(parts: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
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

/** The context in which parts of a model are read. */
export interface ReadContext {
  readonly reader: WireReader;
  /** Tensors of at least that many bytes stay where they are. */
  readonly smallestMapped: number;
  /** Number of levels of graphs that this one may contain. */
  readonly depth: number;
}

/** A `StringStringEntryProto`. */
export function readEntry(reader: WireReader, { content, end }: WireField): [key: string, value: string] {
  let key = '';
  let value = '';
  for (const field of reader.fields(content, end)) {
    if (field.number === 1) key = reader.text(field);
    if (field.number === 2) value = reader.text(field);
  }
  return [key, value];
}
