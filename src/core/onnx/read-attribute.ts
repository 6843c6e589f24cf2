import type { AttributeValue, OnnxAttribute, OnnxGraph } from './model.ts';
import { readGraph, type ReadContext } from './read-model.ts';
import { readTensor } from './read-tensor.ts';
import { wireType, type WireField } from './wire-reader.ts';

/** Numbers of `AttributeProto.AttributeType`. */
export const attributeTypes = {
  float: 1,
  integer: 2,
  text: 3,
  tensor: 4,
  graph: 5,
  floats: 6,
  integers: 7,
  graphs: 10,
} as const;

/** Reads an `AttributeProto`. */
export function readAttribute(context: ReadContext, { content, end }: WireField): OnnxAttribute {
  const { reader } = context;
  const fields = [...reader.fields(content, end)];
  const nameField = fields.findLast(({ number }) => number === 1);
  const name = nameField ? reader.text(nameField) : '';
  const typeField = fields.findLast(({ number }) => number === 20);
  const type = typeField ? reader.number(typeField) : guessType(fields);
  const [number, value] = readValueOf(type);
  const known = number === 0 ? [1] : [1, 20, number];
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
        return [4, { type: 'text', value: field ? reader.bytes(field.content, field.end) : new Uint8Array(0) }];
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
    if (field.type !== wireType.bytes || bytes.length % 4 !== 0) {
      throw new RangeError(`attribute ${name}: expected floats, got ${bytes.length} bytes`);
    }
    const view = new DataView(bytes.buffer);
    return Array.from({ length: bytes.length / 4 }, (_, index) => view.getFloat32(4 * index, true));
  }
}

/** Files of the first versions of ONNX have no types of attributes. */
function guessType(fields: readonly WireField[]): number {
  const byField: Readonly<Record<number, number>> = { 2: 1, 3: 2, 4: 3, 5: 4, 6: 5, 7: 6, 8: 7, 11: 10 };
  return fields.map(({ number }) => byField[number]).find((type) => type !== undefined) ?? 0;
}
