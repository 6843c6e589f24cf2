import type { OnnxValue } from './model.ts';
import type { WireField, WireReader } from './wire-reader.ts';

/** Reads a `ValueInfoProto`. */
export function readValue(reader: WireReader, { content, end }: WireField): OnnxValue {
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
