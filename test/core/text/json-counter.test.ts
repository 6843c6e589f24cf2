import { describe, expect, it } from 'vitest';
import { createJsonCounter } from '../../../src/core/text/json-counter.ts';
import { createRng } from '../../../src/core/sampling/rng.ts';

/** Counts in a parsed value; an array or object with n members has n − 1 commas. */
function countsOf(value: unknown): { objects: number; values: number } {
  if (typeof value !== 'object' || value === null) return { objects: 0, values: 0 };
  const members = Object.values(value);
  const inner = members.map(countsOf);
  const add = (name: 'objects' | 'values'): number => inner.reduce((sum, one) => sum + one[name], 0);
  return {
    objects: add('objects') + (Array.isArray(value) ? 0 : 1),
    values: add('values') + 1 + Math.max(0, members.length - 1),
  };
}

function count(text: string, size: number): { objects: number; values: number } {
  const bytes = new TextEncoder().encode(text);
  const counter = createJsonCounter();
  for (let at = 0; at < bytes.length; at += size) counter.push(bytes.subarray(at, at + size));
  return { objects: counter.objects, values: counter.values };
}

describe('values of JSON text are counted without a parser', () => {
  it.each<[string, number, number]>([
    ['', 0, 0],
    ['7', 0, 0],
    ['"{,["', 0, 0],
    ['{}', 1, 1],
    ['[1,2,3]', 0, 3],
    [String.raw`["\\",{"\"{":"a\\\",["}]`, 1, 3],
    ['{"ü": ["🐈,", "\\u007b{"]}', 1, 3],
  ])('%s', (text, objects, values) => {
    for (const size of [1, 2, 3, 100]) expect(count(text, size), `${size}`).toEqual({ objects, values });
  });

  it('as many as a parser finds, however the text is cut', () => {
    const random = createRng(7);
    const strings = ['', '"', '\\', '\\\\"', '{', '[,', 'a"b', 'ü', '🐈'];
    const make = (depth: number): unknown => {
      const kind = Math.floor(random.next() * (depth > 3 ? 2 : 4));
      if (kind === 0) return Math.floor(random.next() * 100);
      if (kind === 1) return strings[Math.floor(random.next() * strings.length)];
      const members = Array.from({ length: Math.floor(random.next() * 4) }, () => make(depth + 1));
      return kind === 2
        ? members
        : Object.fromEntries(members.map((member, at) => [`${strings[at]}${at}`, member]));
    };
    for (let round = 0; round < 300; round++) {
      const value = make(0);
      const text = JSON.stringify(value);
      for (const size of [1, 3, 1000]) expect(count(text, size), text).toEqual(countsOf(value));
    }
  });
});
