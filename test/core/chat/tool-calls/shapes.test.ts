import { describe, expect, it } from 'vitest';
import { cut } from '../../text/pieces.ts';
import { parsePieces, type Item } from './items.ts';
import { knownFormat } from './known-formats.ts';
import { shapes, shapeTools, type Shape } from './shapes.ts';

function read({ format, text }: Shape, pieces: readonly string[]): Item[] {
  const { createParser } = knownFormat(format);
  expect(pieces.join('')).toBe(text);
  return parsePieces(createParser(shapeTools), pieces);
}

function callsOf(items: readonly Item[]) {
  return items
    .filter((item) => typeof item !== 'string')
    .filter(({ end }) => end === 'whole')
    .map(({ name, arguments: text }) => ({ name, values: JSON.parse(text) as unknown }));
}

describe('answers of the shapes that parsers of other servers are tested with', () => {
  it.each(shapes.map((shape) => [shape.format, shape.title, shape] as const))('%s, %s', (_, __, shape) => {
    const whole = read(shape, [shape.text]);
    expect(callsOf(whole)).toEqual((shape.ours ?? shape).calls);
    for (const size of [1, 2, 3, 7]) expect(read(shape, cut(shape.text, [size]))).toEqual(whole);
    const texts = whole.filter((item) => typeof item === 'string').map((text) => text.trim());
    if (shape.title.endsWith('text around')) expect(texts).toEqual(['Let me look.', 'That is all.']);
    else if (shape.calls.length > 0 && !special(shape)) expect(texts.join('')).toBe('');
  });

  it('are read in another way for ten reasons at most', () => {
    const differing = shapes.flatMap(({ calls, ours }) => (ours ? [{ ...ours, others: calls }] : []));
    for (const { calls, others } of differing) expect(calls).not.toEqual(others);
    expect(shapes.length).toBeGreaterThan(345);
    expect(new Set(differing.map(({ because }) => because)).size).toBeLessThanOrEqual(10);
  });
});

function special({ title }: Shape): boolean {
  return !title.includes(': ');
}
