import { elementBytes } from './element-types.ts';
import type { OnnxTensor, TensorBytes } from './model.ts';
import { toNumber, wireType, type WireField, type WireReader } from '../protobuf/reader.ts';

/** Fields of `TensorProto` with elements whose packed form isn't that of `raw_data`: of int32, int64 and uint64. */
const integerFields = [5, 7, 11];
/** Fields whose packed form is that of `raw_data`: of floats, itself and of doubles. */
const rawFields = [4, 9, 10];

/** Reads a `TensorProto`. */
export function readTensor(context: ReadContext, message: WireField): OnnxTensor {
  const { reader } = context;
  if (message.type !== wireType.bytes)
    throw new RangeError(`tensor: expected a message, got wire type ${message.type}`);
  let name = '';
  let elementType = 0;
  let isExternal = false;
  const dims: number[] = [];
  const external = new Map<string, string>();
  const contents: WireField[] = [];
  const unknown: Uint8Array[] = [];
  const keep = (field: WireField): number => contents.push(field);
  const readers = {
    1: (field: WireField) => dims.push(...reader.integers(field).map(toNumber)),
    2: (field: WireField) => (elementType = reader.number(field)),
    ...Object.fromEntries([...integerFields, ...rawFields].map((field) => [field, keep])),
    8: (field: WireField) => (name = reader.text(field)),
    13: (field: WireField) => external.set(...readEntry(reader, field)),
    14: (field: WireField) => (isExternal = reader.number(field) === 1),
  };
  readMessage(reader, message, readers, unknown);
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
  const isRaw = rawFields.includes(first.number);
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
export function readEntry(reader: WireReader, message: WireField): [key: string, value: string] {
  let [key, value] = ['', ''];
  readMessage(reader, message, {
    1: (field) => (key = reader.text(field)),
    2: (field) => (value = reader.text(field)),
  });
  return [key, value];
}

/** Reads the fields of a message, each by its number; those without a reader are added to `others` as they are. */
export function readMessage(
  reader: WireReader,
  { content, end }: Pick<WireField, 'content' | 'end'>,
  readers: Readonly<Record<number, (field: WireField) => void>>,
  others?: Uint8Array[],
): void {
  for (const field of reader.fields(content, end)) {
    const read = readers[field.number];
    if (read) read(field);
    else others?.push(reader.bytes(field.start, field.end));
  }
}
