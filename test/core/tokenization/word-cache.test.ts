import { describe, expect, it } from 'vitest';
import { orElse } from '../../../src/core/text/or-else.ts';
import { toUnits } from '../../../src/core/tokenization/code-units.ts';
import {
  createTokenBuffer,
  pushLiteralToken,
  pushToken,
  sameSpan,
} from '../../../src/core/tokenization/token-buffer.ts';
import { withWordCache } from '../../../src/core/tokenization/word-cache.ts';

type Token = readonly [id: number, length: number];

/** A model behind the cache that knows the tokens of one word. */
function createWords() {
  let known: readonly Token[] | undefined;
  let isLiteral = false;
  const encode = withWordCache((tokens) => {
    if (!known) throw new Error('the word is not in the cache');
    const push = isLiteral ? pushLiteralToken : pushToken;
    for (const [id, length] of known) push(tokens, id, length);
  });
  const encoded = (word: string): Token[] => {
    const tokens = createTokenBuffer(8);
    encode(tokens, toUnits(word), 0, word.length);
    return Array.from({ length: tokens.count }, (_, index) => [tokens.ids[index]!, tokens.lengths[index]!]);
  };
  return {
    keep(word: string, tokens: readonly Token[], asLiteral = false): void {
      known = tokens;
      isLiteral = asLiteral;
      encoded(word);
      known = undefined;
    },
    recall: (word: string): Token[] | undefined => orElse(() => encoded(word), undefined),
  };
}

describe('the cache of words', () => {
  it('gives back what it was given, or nothing', () => {
    const { keep, recall } = createWords();
    const tokensOf = (index: number): Token[] => [
      [index, 1],
      [2 ** 24 - 1 - index, 48],
      [7, sameSpan],
    ];
    const words = 20_000;
    for (let index = 0; index < 3 * words; index++) keep(`word ${index % words}`, tokensOf(index % words));
    let known = 0;
    for (let index = 0; index < words; index++) {
      const found = recall(`word ${index}`);
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
    const { keep, recall } = createWords();
    keep(word, tokens, isLiteral);
    keep(word, tokens, isLiteral);
    expect(recall(word)).toBeUndefined();
    keep('other', [[2, 5]]);
    keep('other', [[2, 5]]);
    expect(recall('other')).toEqual([[2, 5]]);
  });
});
