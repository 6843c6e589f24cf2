import { describe, expect, it } from 'vitest';
import { toUnits } from '../../../src/core/tokenization/code-units.ts';
import {
  createTokenBuffer,
  pushLiteralToken,
  pushToken,
  sameSpan,
} from '../../../src/core/tokenization/token-buffer.ts';
import { createWordCache, type WordCache } from '../../../src/core/tokenization/word-cache.ts';

type Token = readonly [id: number, length: number];

function recall(cache: WordCache, word: string): Token[] | undefined {
  const tokens = createTokenBuffer(8);
  if (!cache.recall(tokens, toUnits(word), 0, word.length)) return undefined;
  return Array.from({ length: tokens.count }, (_, index) => [tokens.ids[index]!, tokens.lengths[index]!]);
}

function keep(cache: WordCache, word: string, kept: readonly Token[], isLiteral = false): void {
  recall(cache, word);
  const tokens = createTokenBuffer(8);
  const push = isLiteral ? pushLiteralToken : pushToken;
  for (const [id, length] of kept) push(tokens, id, length);
  cache.keep(tokens, 0, toUnits(word), 0, word.length);
}

describe('the cache of words', () => {
  it('gives back what it was given, or nothing', () => {
    const cache = createWordCache();
    const tokensOf = (index: number): Token[] => [
      [index, 1],
      [2 ** 24 - 1 - index, 48],
      [7, sameSpan],
    ];
    const words = 20_000;
    for (let index = 0; index < 3 * words; index++)
      keep(cache, `word ${index % words}`, tokensOf(index % words));
    let known = 0;
    for (let index = 0; index < words; index++) {
      const found = recall(cache, `word ${index}`);
      if (found === undefined) continue;
      known++;
      if (index % 50 === 0) expect(found).toEqual(tokensOf(index));
    }
    expect(known).toBeGreaterThan(8000);
    expect(known).toBeLessThanOrEqual(2 ** 14);
  });

  it.each<[string, string, Token[], boolean]>([
    ['a long word', 'x'.repeat(17), [[1, 17]], false],
    ['a word of many tokens', 'word', Array.from({ length: 8 }, () => [1, 1] as const), false],
    ['a token that is the text itself', 'word', [[1, 4]], true],
  ])("doesn't keep %s", (_title, word, tokens, isLiteral) => {
    const cache = createWordCache();
    keep(cache, word, tokens, isLiteral);
    keep(cache, word, tokens, isLiteral);
    expect(recall(cache, word)).toBeUndefined();
    keep(cache, 'other', [[2, 5]]);
    keep(cache, 'other', [[2, 5]]);
    expect(recall(cache, 'other')).toEqual([[2, 5]]);
  });
});
