import { exactEntries, writeExact } from '../../text/exact-json.ts';

/** A value as a literal of Python. */
export function toPython(value: unknown): string {
  return toSpacedJson(value, { null: 'None', true: 'True', false: 'False' });
}

/** JSON with a space behind commas and colons, as Python's `json.dumps` writes it. */
export function toSpacedJson(value: unknown, words = { null: 'null', true: 'true', false: 'false' }): string {
  const inner = (item: unknown): string => toSpacedJson(item, words);
  if (value === null) return words.null;
  if (typeof value === 'boolean') return value ? words.true : words.false;
  if (Array.isArray(value)) return `[${value.map(inner).join(', ')}]`;
  if (typeof value !== 'object') return writeExact(value);
  const members = exactEntries(value).map(([key, member]) => `${JSON.stringify(key)}: ${inner(member)}`);
  return `{${members.join(', ')}}`;
}

const bareKey = /^[^\s:,{}[\]"<>|]+$/;

/** A key, without quotes if possible. */
export function writeBareKey(name: string): string {
  return bareKey.test(name) ? name : JSON.stringify(name);
}

/** A value with marks around its strings; a string with the mark in it is written as JSON. */
export function writeMarked(value: unknown, mark: string): string {
  const inner = (item: unknown): string => writeMarked(item, mark);
  if (typeof value === 'string') return value.includes(mark) ? JSON.stringify(value) : mark + value + mark;
  if (Array.isArray(value)) return `[${value.map(inner).join(',')}]`;
  if (typeof value !== 'object' || value === null) return writeExact(value);
  return `{${exactEntries(value)
    .map(([key, item]) => `${writeBareKey(key)}:${inner(item)}`)
    .join(',')}}`;
}

/** Writes a value that an element holds. */
export function writeElements(value: unknown, mark: string): string {
  if (typeof value === 'string') return value;
  if (typeof value !== 'object' || value === null || Object.keys(value).length === 0)
    return writeExact(value);
  const members = exactEntries(value).map(([key, member]) => {
    const name = Array.isArray(value) ? 'item' : key;
    return `${mark}<${name}>${writeElements(member, mark)}${mark}</${name}>`;
  });
  return members.join('');
}
