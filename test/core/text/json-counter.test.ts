import { describe, expect, it } from 'vitest';
import { JsonCounter } from '../../../src/core/text/json-counter.ts';
import { createRng } from '../../../src/core/sampling/rng.ts';

/** Counts in a parsed value; an array or object with n members has n − 1 commas. */
function countsOf(value: unknown): Counts {
  if (typeof value !== 'object' || value === null) return { objects: 0, arrays: 0, members: 0, values: 0 };
  const members = Object.values(value);
  const inner = members.map(countsOf);
  const add = (name: keyof Counts): number => inner.reduce((sum, one) => sum + one[name], 0);
  const isArray = Array.isArray(value);
  return {
    objects: add('objects') + Number(!isArray),
    arrays: add('arrays') + Number(isArray),
    members: add('members') + (isArray ? 0 : members.length),
    values: add('values') + 1 + Math.max(0, members.length - 1),
  };
}

type Counts = Record<'objects' | 'arrays' | 'members' | 'values', number>;

function count(text: string, size: number): Counts {
  const bytes = new TextEncoder().encode(text);
  const counter = new JsonCounter();
  for (let at = 0; at < bytes.length; at += size) counter.push(bytes.subarray(at, at + size));
  const { objects, arrays, members, values } = counter;
  return { objects, arrays, members, values };
}

describe('values of JSON text are counted without a parser', () => {
  it.each<[string, number, number, number, number]>([
    ['', 0, 0, 0, 0],
    ['7', 0, 0, 0, 0],
    ['"{,[:"', 0, 0, 0, 0],
    ['{}', 1, 0, 0, 1],
    ['[1,2,3]', 0, 1, 0, 3],
    [String.raw`["\\",{"\"{:":"a\\\",["}]`, 1, 1, 1, 3],
    ['{"ü": ["🐈,:", "\\u007b{"], "a": 1}', 1, 1, 2, 4],
  ])('%s', (text, objects, arrays, members, values) => {
    const expected = { objects, arrays, members, values };
    for (const size of [1, 2, 3, 100]) expect(count(text, size), `${size}`).toEqual(expected);
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
