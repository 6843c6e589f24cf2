import { wireType, type WireField, type WireReader } from '../protobuf/reader.ts';
import type { WireWriter } from '../protobuf/writer.ts';
import type { UnknownFields } from './model.ts';

export interface ReadContext {
  readonly reader: WireReader;
  /** Tensors of at least this many bytes stay in the file. */
  readonly smallestMapped: number;
  /** Remaining nesting levels of messages. */
  depth: number;
}

/** How to write tensor bytes that were skipped while reading. */
export interface WriteOptions {
  /** Path of the file that the model was read from, relative to the folder of the weights. */
  readonly location?: string | undefined;
}

export interface Codec<Value> {
  read(field: WireField, context: ReadContext): Value;
  write(writer: WireWriter, number: number, value: Value, options: WriteOptions): void;
}

export const text: Codec<string> = {
  read: (field, { reader }) => reader.text(field),
  write: (writer, number, value) => writer.text(number, value),
};
export const bytes: Codec<Uint8Array> = {
  read: ({ content, end }, { reader }) => reader.bytes(content, end),
  write: (writer, number, value) => writer.bytes(number, value),
};
export const integer: Codec<number> = {
  read: (field, { reader }) => reader.number(field),
  write: (writer, number, value) => writer.integer(number, value),
};
export const int64: Codec<bigint> = {
  read: (field, { reader }) => reader.integer(field),
  write: (writer, number, value) => writer.integer(number, value),
};
export const float: Codec<number> = {
  read: (field, { reader }) => reader.float(field),
  write: (writer, number, value) => writer.float(number, value),
};

/** A member of a message: how to read its value, field by field, and how to write it. */
export interface Member<Value> {
  /** 0 for all fields that aren't in any member. */
  readonly number: number;
  /** The default value, for a message without the field. */
  begin(): Value;
  add(value: Value, field: WireField, context: ReadContext): Value;
  write(writer: WireWriter, value: Value, options: WriteOptions): void;
}

/** A member with one value; the last field wins. The initial value isn't written. */
export function one<Value>(number: number, codec: Codec<Value & {}>, initial: Value): Member<Value> {
  return {
    number,
    begin: () => initial,
    add: (_, field, context) => codec.read(field, context),
    write(writer, value, options) {
      if (value !== initial) codec.write(writer, number, value as Value & {}, options);
    },
  };
}

/** A member with any number of values. @param readAll reads a field that may hold several values */
export function many<Item>(
  number: number,
  codec: Codec<Item>,
  readAll?: (field: WireField, context: ReadContext) => Item[],
): Member<readonly Item[]> {
  return {
    number,
    begin: () => [],
    add(items, field, context) {
      if (readAll) (items as Item[]).push(...readAll(field, context));
      else (items as Item[]).push(codec.read(field, context));
      return items;
    },
    write(writer, items, options) {
      for (const item of items) codec.write(writer, number, item, options);
    },
  };
}

/** A nested message, whose fields are merged. */
export function merged<Value>(number: number, parts: Message<Value>): Member<Value> {
  return { ...parts, number, write: (writer, value, options) => parts.write(writer, number, value, options) };
}

/** Unknown fields, unchanged. */
export const others: Member<UnknownFields> = {
  number: 0,
  begin: () => [],
  add(fields, { start, end }, { reader }) {
    (fields as Uint8Array[]).push(reader.bytes(start, end));
    return fields;
  },
  write(writer, fields) {
    for (const field of fields) writer.raw(field);
  },
};

export interface Message<Value> extends Codec<Value>, Pick<Member<Value>, 'begin' | 'add'> {
  /** Writes only the members, in the order of the table. */
  writeMembers(writer: WireWriter, value: Value, options: WriteOptions): void;
}

export function message<Value extends object>(table: {
  readonly [Name in keyof Value]: Member<Value[Name]>;
}): Message<Value> {
  const members = Object.entries<Member<unknown>>(table);
  const byNumber = new Map(members.map((entry) => [entry[1].number, entry]));
  const begin = (): Value => {
    const value: Record<string, unknown> = {};
    for (const [name, member] of members) value[name] = member.begin();
    return value as Value;
  };
  const add = (value: Value, { type, content, end }: WireField, context: ReadContext): Value => {
    if (type !== wireType.bytes) throw new RangeError(`message: expected bytes, got wire type ${type}`);
    if (context.depth === 0) throw new RangeError('message: nested too deeply');
    context.depth--;
    const values = value as Record<string, unknown>;
    for (const field of context.reader.fields(content, end)) {
      const known = byNumber.get(field.number) ?? byNumber.get(others.number);
      if (known) values[known[0]] = known[1].add(values[known[0]], field, context);
    }
    context.depth++;
    return value;
  };
  const writeMembers: Message<Value>['writeMembers'] = (writer, value, options) => {
    for (const [name, member] of members) member.write(writer, value[name as keyof Value], options);
  };
  return {
    begin,
    add,
    writeMembers,
    read: (field, context) => add(begin(), field, context),
    write: (writer, number, value, options) =>
      writer.message(number, (inner) => writeMembers(inner, value, options)),
  };
}

/** A map of texts: `StringStringEntryProto` messages. */
export function entries(number: number): Member<ReadonlyMap<string, string>> {
  const entry = message<{ key: string; value: string }>({ key: one(1, text, ''), value: one(2, text, '') });
  return {
    number,
    begin: () => new Map(),
    add(map, field, context) {
      const { key, value } = entry.read(field, context);
      return (map as Map<string, string>).set(key, value);
    },
    write(writer, map, options) {
      for (const [key, value] of map) entry.write(writer, number, { key, value }, options);
    },
  };
}
