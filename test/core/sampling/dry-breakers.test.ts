import { describe, expect, test } from 'vitest';
import { createBreakerFinder } from '../../../src/core/sampling/dry-breakers.ts';

const words = ['a', '\n', 'b:\n', 'hello', ':', 'x:y', '*', '**', '', ' <en', 'd>', 'end', '>', '<e'];
const find = createBreakerFinder({
  size: words.length,
  textOf: (token) => words[token]!,
  // One token a character, as far as the vocabulary goes.
  encode: (text) => Array.from(text, (character) => words.indexOf(character)).filter((token) => token >= 0),
});

describe('createBreakerFinder', () => {
  test.each<[string[], Record<number, number[][]>]>([
    [[], {}],
    [[''], {}],
    [['\n'], { 1: [[]], 2: [[]] }],
    [[':'], { 2: [[]], 4: [[]], 5: [[]] }],
    [['*', '\n'], { 1: [[]], 2: [[]], 6: [[]], 7: [[]] }],
    // The rest of `:*` after a token that ends with `:` is `*`.
    [[':*'], { 4: [[6]] }],
    [['***'], { 6: [[6, 6]], 7: [[6, 6], [6]] }],
    [['**'], { 6: [[6]], 7: [[]] }],
    [['<e>'], { 13: [[12]] }],
    [['zzz'], {}],
    [['𝒳*'], {}],
  ])('%j', (breakers, expected) => {
    const sorted = Object.fromEntries(
      [...find(breakers)].map(([token, tails]) => [token, tails.toSorted((a, b) => b.length - a.length)]),
    );
    expect(sorted).toEqual(expected);
  });

  test('long breakers are cut to forty characters', () => {
    expect(find([`${'*'.repeat(40)}:`])).toEqual(find(['*'.repeat(40)]));
  });
});
