import { describe, expect, it } from 'vitest';
import type { Row } from '../../src/playground/page/scripts/reference/schema-rows.js';
import { compactRows, type Known } from './compact-rows.ts';

/** `name: type`, or the heading of a form. */
const rowsOf = (...lines: readonly string[]): Row[] =>
  lines.map((line) => {
    const [name, type = ''] = line.split(': ');
    return { name: name!, type, isRequired: false, byDefault: '', description: type && 'A field.' };
  });
const compact = (rows: readonly Row[], known: Known = []): string[] =>
  compactRows(rows, known).map(({ name, type, description }) =>
    type === '' ? name : `${name}: ${type}${description.replace('A field.', '')}`,
  );

describe('rows of a page', () => {
  it('leave the kind to the heading of its form', () => {
    const rows = rowsOf('parts: list', 'parts[] with type "a"', 'parts[].type: "a"', 'parts[].text: string');
    expect(compact(rows)).toEqual(['parts: list', 'parts[] with type "a"', 'parts[].text: string']);
  });

  it('have what all kinds of messages share once', () => {
    const kind = (name: string) => [
      `with type "${name}"`,
      `type: "${name}"`,
      'id: string',
      `${name}: string`,
    ];
    expect(compact(rowsOf(...kind('a'), ...kind('b'), ...kind('c')))).toEqual([
      'each of them',
      'id: string',
      'with type "a"',
      'a: string',
      'with type "b"',
      'b: string',
      'with type "c"',
      'c: string',
    ]);
  });

  it('merge neighbours of the same fields', () => {
    const kind = (name: string) => [`with type "${name}"`, `type: "${name}"`, 'item: string'];
    expect(compact(rowsOf(...kind('added'), ...kind('done')))).toEqual([
      'with type "added" or "done"',
      'item: string',
    ]);
  });

  it('do not merge a form with one that has forms of its own', () => {
    const rows = rowsOf('with type "a"', 'with type "b"', 'item with kind "c"', 'item.c: string');
    expect(compact(rows)).toEqual(['with type "a"', 'with type "b"', 'item with kind "c"', 'item.c: string']);
  });

  it('show an object once, also under another name and with a field less', () => {
    const known: Known = [];
    const usage = rowsOf(
      'usage: object',
      'usage.in: integer',
      'usage.out: integer',
      'usage.all: integer',
      'usage.new: string',
    );
    expect(compact(usage, known)).toHaveLength(5);
    const used = rowsOf(
      'used: object',
      'used.in: integer',
      'used.out: integer',
      'used.all: integer',
      'id: string',
    );
    expect(compact(used, known)).toEqual(['used: object Fields as above.', 'id: string']);
  });

  it('show an object whose fields differ, and one that the page has left out', () => {
    const known: Known = [];
    const deep = rowsOf('a: object', 'a.b: object', 'a.b.c: string', 'a.b.d: string', 'a.b.e: string');
    expect(compact(deep, known)).toEqual(['a: object', 'a.b: object']);
    expect(compact(rowsOf('b: object', 'b.c: string', 'b.d: string', 'b.e: string'), known)).toHaveLength(4);
    expect(compact(rowsOf('b: object', 'b.c: string', 'b.d: string', 'b.e: integer'), known)).toHaveLength(4);
  });
});
