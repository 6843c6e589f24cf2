import { exactEntries, writeExact } from '../../text/exact-json.ts';
import type { ValueStyle } from './notation.ts';

/** Differences between notations of literals. */
interface Spelling {
  readonly words?: Readonly<Record<string, string>>;
  readonly comma: string;
  readonly colon: string;
  readonly key: (name: string) => string;
  readonly string: (value: string) => string;
}

function writeLiteral(value: unknown, spelling: Spelling): string {
  const { words = {}, comma, colon, key, string } = spelling;
  const inner = (item: unknown): string => writeLiteral(item, spelling);
  if (typeof value === 'string') return string(value);
  if (Array.isArray(value)) return `[${value.map(inner).join(comma)}]`;
  if (typeof value !== 'object' || value === null) return words[String(value)] ?? writeExact(value);
  const members = exactEntries(value).map(([name, member]) => key(name) + colon + inner(member));
  return `{${members.join(comma)}}`;
}

const spaced: Spelling = { comma: ', ', colon: ': ', key: JSON.stringify, string: JSON.stringify };
const python: Spelling = { ...spaced, words: { null: 'None', true: 'True', false: 'False' } };

/** JSON with a space behind commas and colons, as Python's `json.dumps` writes it. */
export const toSpacedJson = (value: unknown): string => writeLiteral(value, spaced);

export const toPython = (value: unknown): string => writeLiteral(value, python);

const bareKey = /^[^\s:,{}[\]"<>|]+$/;

export const writeBareKey = (name: string): string => (bareKey.test(name) ? name : JSON.stringify(name));

/** A value with marks around its strings; a string with the mark in it is written as JSON. */
export function writeMarked(value: unknown, mark: string): string {
  const string = (own: string): string => (own.includes(mark) ? JSON.stringify(own) : mark + own + mark);
  return writeLiteral(value, { comma: ',', colon: ':', key: writeBareKey, string });
}

function writeElements(value: unknown, mark: string): string {
  if (typeof value === 'string') return value;
  if (typeof value !== 'object' || value === null || Object.keys(value).length === 0)
    return writeExact(value);
  const members = exactEntries(value).map(([key, member]) => {
    const name = Array.isArray(value) ? 'item' : key;
    return `${mark}<${name}>${writeElements(member, mark)}${mark}</${name}>`;
  });
  return members.join('');
}

export const valueWriters: Readonly<Record<ValueStyle, (value: unknown, mark: string) => string>> = {
  raw: (value) => (typeof value === 'string' ? value : writeExact(value)),
  json: writeExact,
  python: toPython,
  marked: writeMarked,
  elements: writeElements,
};
