import { expect, it } from 'vitest';
import { createDraftLength } from '../../../src/core/speculation/draft-length.ts';

const after = (guesses: string, cost = 0.4) => {
  const length = createDraftLength({ max: 7, cost });
  for (const guess of guesses) length.update(guess === '+');
  return length.count;
};

it.each<[guesses: string, cost: number, count: number]>([
  ['', 0.4, 0],
  ['+', 0.4, 1],
  ['-', 0.4, 0],
  ['+'.repeat(40), 0.4, 7],
  [`${'+'.repeat(40)}${'-'.repeat(8)}`, 0.4, 0],
  [`${'-'.repeat(40)}++`, 0.4, 0],
  [`${'-'.repeat(40)}${'+'.repeat(6)}`, 0.4, 1],
  ['+-'.repeat(20), 0.4, 1],
  ['+-'.repeat(20), 0.05, 3],
  ['+'.repeat(40), 1.1, 0],
])('%s at a cost of %d: %d', (guesses, cost, count) => {
  expect(after(guesses, cost)).toBe(count);
});
