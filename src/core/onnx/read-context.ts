import type { WireField, WireReader } from './wire-reader.ts';

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
