import { wireType, type WireField, sourceOfBytes, WireReader, type ByteSource } from '../protobuf/reader.ts';
import { WireWriter } from '../protobuf/writer.ts';
import {
  bytes,
  entries,
  float,
  int64,
  integer,
  many,
  merged,
  message,
  one,
  others,
  text,
  type Codec,
  type Member,
  type ReadContext,
  type WriteOptions,
} from './message.ts';
import type {
  AttributeValue,
  OnnxAttribute,
  OnnxGraph,
  OnnxModel,
  OnnxNode,
  OnnxTensor,
  OnnxValue,
  OpsetImport,
} from './model.ts';
import { tensor } from './tensor-message.ts';

// Source: https://github.com/onnx/onnx/blob/main/onnx/onnx.proto

const attribute: Codec<OnnxAttribute> = { read: readAttribute, write: writeAttribute };

const node = message<OnnxNode>({
  inputs: many(1, text),
  outputs: many(2, text),
  name: one(3, text, ''),
  operator: one(4, text, ''),
  attributes: many(5, attribute),
  domain: one(7, text, ''),
  unknown: others,
});

const dimension = message({
  size: one<number | undefined>(1, integer, undefined),
  name: one<string | undefined>(2, text, undefined),
});
const shape = message({ dims: many(1, dimension) });
const tensorType = message({
  elementType: one<number | undefined>(1, integer, undefined),
  shape: one<ReturnType<typeof shape.begin> | undefined>(2, shape, undefined),
});
const valueType = message({ tensor: merged(1, tensorType) });

/** `ValueInfoProto`, without the fields that are only kept as bytes. */
export const valueMessage = message({ name: one(1, text, ''), type: merged(2, valueType) });

const valueInfo: Codec<OnnxValue> = {
  read(field, context) {
    const { name, type } = valueMessage.read(field, context);
    const dims = type.tensor.shape?.dims.map(({ size, name: symbol = '' }) => size ?? symbol);
    return { name, elementType: type.tensor.elementType, dims, bytes: bytes.read(field, context) };
  },
  write: (writer, number, described) => writer.bytes(number, described.bytes),
};

const graph = message<OnnxGraph>({
  nodes: many(1, node),
  name: one(2, text, ''),
  initializers: many(5, tensor),
  inputs: many(11, valueInfo),
  outputs: many(12, valueInfo),
  values: many(13, valueInfo),
  unknown: others,
});

/** `ModelProto`. */
const modelMessage = message<OnnxModel>({
  irVersion: one(1, integer, 0),
  producerName: one(2, text, ''),
  producerVersion: one(3, text, ''),
  graph: merged(7, graph),
  opsets: many(8, message<OpsetImport>({ domain: one(1, text, ''), version: one(2, integer, 0) })),
  metadata: entries(14),
  unknown: others,
});

/** The members of `AttributeProto`, which has one value. */
const attributeTable = {
  name: one(1, text, ''),
  float: one<number | undefined>(2, float, undefined),
  integer: one<bigint | undefined>(3, int64, undefined),
  text: one<Uint8Array | undefined>(4, bytes, undefined),
  tensor: one<OnnxTensor | undefined>(5, tensor, undefined),
  graph: one<OnnxGraph | undefined>(6, graph, undefined),
  floats: many(7, float, readFloats),
  integers: many(8, int64, (field, { reader }) => reader.integers(field)),
  graphs: many(11, graph),
  type: one(20, integer, 0),
  unknown: others,
};
const attributeMessage = message(attributeTable);

/** In the order of their numbers. */
const kinds = ['float', 'integer', 'text', 'tensor', 'graph', 'floats', 'integers', 'graphs'] as const;
type Kind = (typeof kinds)[number];

/** The number of a kind in `AttributeProto.AttributeType`. */
const typeOf = (kind: Kind): number => (kind === 'graphs' ? 10 : 1 + kinds.indexOf(kind));
/** Values that writers omit. */
const zeros: Partial<Record<Kind, unknown>> = { float: 0, integer: 0n, text: new Uint8Array(0) };

function readAttribute(field: WireField, context: ReadContext): OnnxAttribute {
  const { type, unknown, ...values } = attributeMessage.read(field, context);
  const isGiven = (value: unknown): boolean =>
    Array.isArray(value) ? value.length > 0 : value !== undefined;
  // Files of the first ONNX versions have no attribute types.
  const kind = kinds.find((name) => (type === 0 ? isGiven(values[name]) : typeOf(name) === type));
  const value = kind && (values[kind] ?? zeros[kind]);
  const typed = value === undefined ? { type: 'other', number: type } : { type: kind, value };
  return { name: values.name, value: typed as AttributeValue, unknown };
}

function readFloats(field: WireField, context: ReadContext): number[] {
  if (field.type === wireType.fixed32) return [float.read(field, context)];
  const packed = bytes.read(field, context);
  if (field.type !== wireType.bytes || packed.length % 4 !== 0)
    throw new RangeError(`attribute: expected floats, got ${packed.length} bytes`);
  const view = new DataView(packed.buffer);
  return Array.from({ length: packed.length / 4 }, (_, index) => view.getFloat32(4 * index, true));
}

function writeAttribute(
  writer: WireWriter,
  number: number,
  { name, value, unknown }: OnnxAttribute,
  options: WriteOptions,
): void {
  const { name: nameMember, type: typeMember } = attributeTable;
  writer.message(number, (inner) => {
    nameMember.write(inner, name, options);
    if (value.type !== 'other')
      (attributeTable[value.type] as Member<unknown>).write(inner, value.value, options);
    typeMember.write(inner, value.type === 'other' ? value.number : typeOf(value.type), options);
    others.write(inner, unknown, options);
  });
}

/** A graph has two levels, and may contain nested graphs. */
const maxDepth = 40;

/**
 * Reads an ONNX model. The bytes of large tensors are skipped: the result refers to them.
 * @param source the bytes of the file, or a source that reads it
 * @param options.smallestMapped size in bytes from which tensors are skipped; default: none
 */
export function readOnnxModel(
  source: Uint8Array | ByteSource,
  { smallestMapped = Number.POSITIVE_INFINITY }: { smallestMapped?: number } = {},
): OnnxModel {
  const reader = new WireReader(source instanceof Uint8Array ? sourceOfBytes(source) : source);
  const whole = { number: 0, type: wireType.bytes, start: 0, content: 0, end: reader.source.size };
  return modelMessage.read(whole, { reader, smallestMapped, depth: maxDepth });
}

/** Writes an ONNX model; tensors whose bytes were skipped while reading refer to the original file. */
export function writeOnnxModel(model: OnnxModel, options: WriteOptions = {}): Uint8Array {
  const writer = new WireWriter();
  modelMessage.writeMembers(writer, model, options);
  return writer.finish();
}
