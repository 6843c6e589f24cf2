import { expect, it } from 'vitest';
import { findWordCount, writeWords } from '../../../src/cli/bench/prompts.ts';

it('no two texts begin alike', () => {
  const beginnings = Array.from({ length: 1000 }, (_, index) => writeWords(index - 4, 8));
  expect(new Set(beginnings).size).toBe(1000);
});

it.each([
  [128, 1.3, 20],
  [1000, 0.4, 5],
  [500, 3, 60],
])('a prompt of %i tokens has so many words', async (tokens, perWord, frame) => {
  const count = async (text: string) => Math.round(text.split(' ').length * perWord + frame);
  const words = await findWordCount(tokens, count);
  expect(Math.abs((await count(writeWords(1, words))) - tokens)).toBeLessThan(perWord + 2);
});

it('has at least one word', async () => {
  expect(await findWordCount(1, async () => 500)).toBe(1);
});
