import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createPromptLookup } from '../../../src/core/speculation/prompt-lookup.ts';
import { runs } from '../../thorough.ts';

it.each<[name: string, tokens: number[], count: number, draft: number[]]>([
  ['an empty sequence', [], 3, []],
  ['nothing repeats', [1, 2, 3, 4], 3, []],
  ['one token repeats', [1, 2, 3, 1], 3, []],
  ['a pair repeats', [1, 2, 3, 4, 1, 2], 2, [3, 4]],
  ['the draft reaches the end', [5, 6, 7, 5, 6], 5, [7, 5, 6, 7, 5]],
  ['one token again and again', [9, 9, 9], 4, [9, 9, 9, 9]],
  ['the longer match wins', [1, 2, 3, 7, 0, 2, 3, 8, 1, 2, 3], 1, [7]],
  ['the later one of equals wins', [2, 3, 7, 0, 2, 3, 8, 1, 2, 3], 1, [8]],
])('%s', (_name, tokens, count, draft) => {
  expect([...createPromptLookup(tokens).draft(count)]).toEqual(draft);
});

it('follows its place until a token differs', () => {
  const lookup = createPromptLookup([1, 2, 3, 4, 5, 6, 1, 2]);
  for (const token of [3, 4]) {
    expect(lookup.guess).toBe(token);
    lookup.append(token);
  }
  lookup.append(9);
  expect(lookup.guess).toBeUndefined();
});

it('guesses what followed an equal pair, in sequences of any length', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 6 }), { maxLength: 3000, size: 'max' }), (tokens) => {
      const lookup = createPromptLookup();
      for (const [end, token] of tokens.entries()) {
        lookup.append(token);
        if (end % 37 > 0) continue;
        expect(lookup.length).toBe(end + 1);
        const [guess, ...rest] = lookup.draft(2);
        expect(guess).toBe(lookup.guess);
        if (guess === undefined) continue;
        expect(rest).toHaveLength(1);
        const last = tokens.slice(Math.max(0, end - 1), end + 1);
        const isRepeated = tokens
          .slice(0, end)
          .some((_, at) => tokens[at] === last[0] && tokens[at + 1] === last[1] && tokens[at + 2] === guess);
        expect(isRepeated).toBe(true);
      }
    }),
    { numRuns: runs(20) },
  );
});
