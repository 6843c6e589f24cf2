import {
  attributeTypes,
  type AttributeValue,
  type OnnxAttribute,
  type OnnxGraph,
  type OnnxNode,
  type OnnxValue,
} from './model.ts';
import { type ReadContext, readTensor } from './read-tensor.ts';
import { wireType, type WireField, type WireReader } from '../protobuf/reader.ts';

/** Reads a graph; several fields of it are parts of one message. */
export function readGraph(context: ReadContext, fields: readonly WireField[]): OnnxGraph {
  if (context.depth === 0) throw new RangeError(`graph: nested too deeply`);
  const inner = { ...context, depth: context.depth - 1 };
  const { reader } = context;
  let name = '';
  const nodes: OnnxNode[] = [];
  const initializers = [];
  const inputs: OnnxValue[] = [];
  const outputs: OnnxValue[] = [];
  const values: OnnxValue[] = [];
  const unknown: Uint8Array[] = [];
  for (const { content, end, type } of fields) {
    if (type !== wireType.bytes) throw new RangeError(`graph: expected a message, got wire type ${type}`);
    for (const field of reader.fields(content, end)) {
      switch (field.number) {
        case 1:
          nodes.push(readNode(inner, field));
          break;
        case 2:
          name = reader.text(field);
          break;
        case 5:
          initializers.push(readTensor(context, field));
          break;
        case 11:
          inputs.push(readValue(reader, field));
          break;
        case 12:
          outputs.push(readValue(reader, field));
          break;
        case 13:
          values.push(readValue(reader, field));
          break;
        default:
          unknown.push(reader.bytes(field.start, field.end));
      }
    }
  }
  return { name, nodes, initializers, inputs, outputs, values, unknown };
}

function readNode(context: ReadContext, { content, end }: WireField): OnnxNode {
  const { reader } = context;
  const texts = { name: '', operator: '', domain: '' };
  const inputs: string[] = [];
  const outputs: string[] = [];
  const attributes = [];
  const unknown: Uint8Array[] = [];
  for (const field of reader.fields(content, end)) {
    switch (field.number) {
      case 1:
        inputs.push(reader.text(field));
        break;
      case 2:
        outputs.push(reader.text(field));
        break;
      case 3:
        texts.name = reader.text(field);
        break;
      case 4:
        texts.operator = reader.text(field);
        break;
      case 5:
        attributes.push(readAttribute(context, field));
        break;
      case 7:
        texts.domain = reader.text(field);
        break;
      default:
        unknown.push(reader.bytes(field.start, field.end));
    }
  }
  return { ...texts, inputs, outputs, attributes, unknown };
}

/** Reads an `AttributeProto`. */
function readAttribute(context: ReadContext, { content, end }: WireField): OnnxAttribute {
  const { reader } = context;
  const fields = [...reader.fields(content, end)];
  const nameField = fields.findLast(({ number }) => number === 1);
  const name = nameField ? reader.text(nameField) : '';
  const typeField = fields.findLast(({ number }) => number === 20);
  const type = typeField ? reader.number(typeField) : guessType(fields);
  const [valueField, value] = readValueOf(type);
  const known = valueField === 0 ? [1] : [1, 20, valueField];
  const unknown = fields
    .filter((field) => !known.includes(field.number))
    .map((field) => reader.bytes(field.start, field.end));
  return { name, value, unknown };

  /** @returns the number of the field that holds the value, and the value */
  function readValueOf(kind: number): [number: number, value: AttributeValue] {
    switch (kind) {
      case attributeTypes.float: {
        const field = last(2);
        return [2, { type: 'float', value: field ? reader.float(field) : 0 }];
      }
      case attributeTypes.integer: {
        const field = last(3);
        return [3, { type: 'integer', value: field ? reader.integer(field) : 0n }];
      }
      case attributeTypes.text: {
        const field = last(4);
        return [
          4,
          { type: 'text', value: field ? reader.bytes(field.content, field.end) : new Uint8Array(0) },
        ];
      }
      case attributeTypes.tensor: {
        const field = last(5);
        return field ? [5, { type: 'tensor', value: readTensor(context, field) }] : [0, { type: 'other' }];
      }
      case attributeTypes.graph:
        return [6, { type: 'graph', value: readGraph(context, all(6)) }];
      case attributeTypes.floats:
        return [7, { type: 'floats', value: all(7).flatMap((field) => readFloats(field)) }];
      case attributeTypes.integers:
        return [8, { type: 'integers', value: all(8).flatMap((field) => reader.integers(field)) }];
      case attributeTypes.graphs: {
        const graphs: OnnxGraph[] = all(11).map((field) => readGraph(context, [field]));
        return [11, { type: 'graphs', value: graphs }];
      }
      default:
        return [0, { type: 'other' }];
    }
  }

  function all(number: number): WireField[] {
    return fields.filter((field) => field.number === number);
  }

  function last(number: number): WireField | undefined {
    return fields.findLast((field) => field.number === number);
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
function readValue(reader: WireReader, { content, end }: WireField): OnnxValue {
  let name = '';
  let elementType: number | undefined;
  let dims: (number | string)[] | undefined;
  for (const field of reader.fields(content, end)) {
    if (field.number === 1) name = reader.text(field);
    if (field.number !== 2) continue;
    for (const kind of reader.fields(field.content, field.end)) {
      if (kind.number !== 1) continue;
      for (const part of reader.fields(kind.content, kind.end)) {
        if (part.number === 1) elementType = reader.number(part);
        if (part.number === 2) dims = readShape(reader, part);
      }
    }
  }
  return { name, elementType, dims, bytes: reader.bytes(content, end) };
}

function readShape(reader: WireReader, { content, end }: WireField): (number | string)[] {
  const dims: (number | string)[] = [];
  for (const field of reader.fields(content, end)) {
    if (field.number !== 1) continue;
    let dim: number | string = '';
    for (const part of reader.fields(field.content, field.end)) {
      if (part.number === 1) dim = reader.number(part);
      if (part.number === 2) dim = reader.text(part);
    }
    dims.push(dim);
  }
  return dims;
}
