import { describe, expect, it } from 'vitest';
import { toolCallFormats } from '../../../../src/core/chat/formats.ts';
import { cut } from '../../text/pieces.ts';
import { parsePieces, type Item } from './items.ts';
import { shapes, shapeTools, type Shape } from './shapes.ts';

function read({ format, text }: Shape, pieces: readonly string[]): Item[] {
  const { createParser } = toolCallFormats.find(({ name }) => name === format)!;
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

  it('differ from what the others find at most ten times, and always for a reason', () => {
    const differing = shapes.filter(({ ours }) => ours !== undefined);
    for (const { calls, ours } of differing) expect(ours!.calls).not.toEqual(calls);
    expect(shapes.length).toBeGreaterThan(345);
    expect(differing.length).toBeLessThanOrEqual(10);
  });
});

function special({ title }: Shape): boolean {
  return !title.includes(': ');
}
