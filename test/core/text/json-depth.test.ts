import fc from 'fast-check';
import { expect, it } from 'vitest';
import { JsonCounter } from '../../../src/core/text/json-counter.ts';

function isDeepJson(text: string, most: number): boolean {
  const counter = new JsonCounter();
  counter.push(new TextEncoder().encode(text));
  return counter.depth > most;
}

it.each([
  ['1', 0, false],
  ['[]', 0, true],
  ['[]', 1, false],
  ['[[],[],{}]', 2, false],
  ['[[],[[]]]', 2, true],
  ['{"a":{"b":{}}}', 2, true],
  [String.raw`["[[[\"[[[\\",["]"]]`, 2, false],
  [String.raw`["\\",[[]]]`, 2, true],
  ['["', 1, false],
  ['['.repeat(1_000_000), 1000, true],
])('%j is deeper than %d: %s', (text, most, expected) => {
  expect(isDeepJson(text, most)).toBe(expected);
});

it('agrees with the parsed value', () => {
  const depthOf = (value: unknown): number =>
    typeof value === 'object' && value !== null ? 1 + Math.max(0, ...Object.values(value).map(depthOf)) : 0;
  fc.assert(
    fc.property(fc.json({ maxDepth: 6 }), fc.nat(6), (text, most) => {
      expect(isDeepJson(text, most)).toBe(depthOf(JSON.parse(text)) > most);
    }),
  );
});
