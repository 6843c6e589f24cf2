import {
  attributeTypes,
  type AttributeValue,
  type OnnxAttribute,
  type OnnxGraph,
  type OnnxNode,
  type OnnxTensor,
  type OnnxValue,
} from './model.ts';
import { type ReadContext, readMessage, readTensor } from './read-tensor.ts';
import { wireType, type WireField, type WireReader } from '../protobuf/reader.ts';

/** Reads a graph; several fields of it are parts of one message. */
export function readGraph(context: ReadContext, fields: readonly WireField[]): OnnxGraph {
  if (context.depth === 0) throw new RangeError(`graph: nested too deeply`);
  const inner = { ...context, depth: context.depth - 1 };
  const { reader } = context;
  let name = '';
  const nodes: OnnxNode[] = [];
  const initializers: OnnxTensor[] = [];
  const inputs: OnnxValue[] = [];
  const outputs: OnnxValue[] = [];
  const values: OnnxValue[] = [];
  const unknown: Uint8Array[] = [];
  for (const message of fields) {
    if (message.type !== wireType.bytes)
      throw new RangeError(`graph: expected a message, got wire type ${message.type}`);
    const readers = {
      1: (field: WireField) => nodes.push(readNode(inner, field)),
      2: (field: WireField) => (name = reader.text(field)),
      5: (field: WireField) => initializers.push(readTensor(context, field)),
      11: (field: WireField) => inputs.push(readValue(reader, field)),
      12: (field: WireField) => outputs.push(readValue(reader, field)),
      13: (field: WireField) => values.push(readValue(reader, field)),
    };
    readMessage(reader, message, readers, unknown);
  }
  return { name, nodes, initializers, inputs, outputs, values, unknown };
}

function readNode(context: ReadContext, message: WireField): OnnxNode {
  const { reader } = context;
  const texts = { name: '', operator: '', domain: '' };
  const inputs: string[] = [];
  const outputs: string[] = [];
  const attributes: OnnxAttribute[] = [];
  const unknown: Uint8Array[] = [];
  const readers = {
    1: (field: WireField) => inputs.push(reader.text(field)),
    2: (field: WireField) => outputs.push(reader.text(field)),
    3: (field: WireField) => (texts.name = reader.text(field)),
    4: (field: WireField) => (texts.operator = reader.text(field)),
    5: (field: WireField) => attributes.push(readAttribute(context, field)),
    7: (field: WireField) => (texts.domain = reader.text(field)),
  };
  readMessage(reader, message, readers, unknown);
  return { ...texts, inputs, outputs, attributes, unknown };
}

/** Reads an `AttributeProto`. */
function readAttribute(context: ReadContext, { content, end }: WireField): OnnxAttribute {
  const { reader } = context;
  const fields = [...reader.fields(content, end)];
  const name = last(1, (field) => reader.text(field)) ?? '';
  const type = last(20, (field) => reader.number(field)) ?? guessType(fields);
  const [valueField, value] = readValueOf(type);
  const known = valueField === 0 ? [1] : [1, 20, valueField];
  const unknown = fields
    .filter((field) => !known.includes(field.number))
    .map((field) => reader.bytes(field.start, field.end));
  return { name, value, unknown };

  /** @returns the number of the field that holds the value, and the value */
  function readValueOf(kind: number): [number: number, value: AttributeValue] {
    switch (kind) {
      case attributeTypes.float:
        return [2, { type: 'float', value: last(2, (field) => reader.float(field)) ?? 0 }];
      case attributeTypes.integer:
        return [3, { type: 'integer', value: last(3, (field) => reader.integer(field)) ?? 0n }];
      case attributeTypes.text: {
        const bytes = last(4, (field) => reader.bytes(field.content, field.end));
        return [4, { type: 'text', value: bytes ?? new Uint8Array(0) }];
      }
      case attributeTypes.tensor: {
        const tensor = last(5, (field) => readTensor(context, field));
        return tensor ? [5, { type: 'tensor', value: tensor }] : [0, { type: 'other' }];
      }
      case attributeTypes.graph:
        return [6, { type: 'graph', value: readGraph(context, all(6)) }];
      case attributeTypes.floats:
        return [7, { type: 'floats', value: all(7).flatMap((field) => readFloats(field)) }];
      case attributeTypes.integers:
        return [8, { type: 'integers', value: all(8).flatMap((field) => reader.integers(field)) }];
      case attributeTypes.graphs:
        return [11, { type: 'graphs', value: all(11).map((field) => readGraph(context, [field])) }];
      default:
        return [0, { type: 'other' }];
    }
  }

  function all(number: number): WireField[] {
    return fields.filter((field) => field.number === number);
  }

  function last<Value>(number: number, read: (field: WireField) => Value): Value | undefined {
    const found = fields.findLast((field) => field.number === number);
    return found && read(found);
  }

  function readFloats(field: WireField): number[] {
    if (field.type === wireType.fixed32) return [reader.float(field)];
    const bytes = reader.bytes(field.content, field.end);
    if (field.type !== wireType.bytes || bytes.length % 4 !== 0)
      throw new RangeError(`attribute ${name}: expected floats, got ${bytes.length} bytes`);
    const view = new DataView(bytes.buffer);
    return Array.from({ length: bytes.length / 4 }, (_, index) => view.getFloat32(4 * index, true));
  }
}

/** Files of the first versions of ONNX have no types of attributes. */
function guessType(fields: readonly WireField[]): number {
  const byField: Readonly<Record<number, number>> = { 2: 1, 3: 2, 4: 3, 5: 4, 6: 5, 7: 6, 8: 7, 11: 10 };
  return fields.map(({ number }) => byField[number]).find((type) => type !== undefined) ?? 0;
}

/** Reads a `ValueInfoProto`. */
function readValue(reader: WireReader, message: WireField): OnnxValue {
  let name = '';
  let elementType: number | undefined;
  let dims: (number | string)[] | undefined;
  const tensor = {
    1: (field: WireField) => (elementType = reader.number(field)),
    2: (field: WireField) => (dims = readShape(reader, field)),
  };
  const type = { 1: (field: WireField) => readMessage(reader, field, tensor) };
  readMessage(reader, message, {
    1: (field) => (name = reader.text(field)),
    2: (field) => readMessage(reader, field, type),
  });
  return { name, elementType, dims, bytes: reader.bytes(message.content, message.end) };
}

function readShape(reader: WireReader, message: WireField): (number | string)[] {
  const dims: (number | string)[] = [];
  let dim: number | string = '';
  const readers = {
    1: (field: WireField) => (dim = reader.number(field)),
    2: (field: WireField) => (dim = reader.text(field)),
  };
  readMessage(reader, message, {
    1: (field) => {
      dim = '';
      readMessage(reader, field, readers);
      dims.push(dim);
    },
  });
  return dims;
}
