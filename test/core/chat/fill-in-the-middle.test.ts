import { expect, it } from 'vitest';
import { findInfillTokens } from '../../../src/core/chat/fill-in-the-middle.ts';

const idsOf = (tokens: readonly string[]) => (token: string) => {
  const index = tokens.indexOf(token);
  return index < 0 ? undefined : index;
};

it.each([
  [['a', '<|fim_middle|>', '<|fim_prefix|>', '<|fim_suffix|>']],
  [['a', '<fim_middle>', '<fim_prefix>', '<fim_suffix>']],
  [['a', '<｜fim▁end｜>', '<｜fim▁begin｜>', '<｜fim▁hole｜>']],
])('finds the tokens of %j', (tokens) => {
  expect(findInfillTokens(idsOf(tokens))).toEqual({ middle: 1, prefix: 2, suffix: 3 });
});

it('wants all three of one kind', () => {
  expect(findInfillTokens(idsOf(['<|fim_prefix|>', '<fim_suffix>', '<|fim_middle|>']))).toBeUndefined();
});
