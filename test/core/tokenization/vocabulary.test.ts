import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toUnits } from '../../../src/core/tokenization/code-units.ts';
import { createPairTable } from '../../../src/core/tokenization/models/merge.ts';
import { createVocabulary } from '../../../src/core/tokenization/vocabulary.ts';

const anyToken = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 6 }),
  fc.string({ unit: fc.constantFrom('a', 'b', 'é', 'Ġ', '的', '\uD83D', '\uDE00'), maxLength: 6 }),
);

describe('a vocabulary', () => {
  it('knows each token by its id, and each id by its token', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(anyToken, { maxLength: 60 }),
        fc.uniqueArray(fc.nat(200), { minLength: 60, maxLength: 60 }),
        fc.boolean(),
        fc.array(anyToken),
        (tokens, draws, isDense, others) => {
          const ids = Int32Array.from(tokens, (_, index) =>
            isDense ? (7 * index) % tokens.length : draws[index]!,
          );
          fc.pre(new Set(ids).size === tokens.length);
          const vocabulary = createVocabulary(tokens, ids);
          const idOf = new Map(tokens.map((token, index) => [token, ids[index]!]));
          expect(vocabulary.size).toBe(tokens.length);
          expect(vocabulary.idLimit).toBe(Math.max(0, ...[...ids].map((id) => id + 1)));
          for (const token of [...tokens, ...others]) {
            const expected = idOf.get(token) ?? -1;
            expect(vocabulary.findText(token)).toBe(expected);
            expect(vocabulary.find(toUnits(`x${token}y`), 1, 1 + token.length)).toBe(expected);
          }
          const tokenOf = new Map(tokens.map((token, index) => [ids[index]!, token]));
          for (let id = -1; id < 202; id++) expect(vocabulary.textOf(id)).toBe(tokenOf.get(id));
        },
      ),
      { seed: 11 },
    );
  });

  it('takes the later of two tokens with one id, and of two equal tokens the one with the higher id', () => {
    const twins = createVocabulary(['a', 'b', 'c'], Int32Array.of(4, 1, 4));
    expect([twins.findText('a'), twins.findText('c'), twins.textOf(4), twins.idLimit]).toEqual([
      4,
      4,
      'c',
      5,
    ]);
    const repeated = createVocabulary(['a', 'b', 'a'], Int32Array.of(0, 1, 2));
    expect([repeated.findText('a'), repeated.textOf(0), repeated.size]).toEqual([2, 'a', 2]);
  });

  it('takes no more memory for a high id', () => {
    const vocabulary = createVocabulary(['low', 'high'], Int32Array.of(3, 2 ** 24 - 1));
    expect([vocabulary.findText('high'), vocabulary.textOf(3), vocabulary.textOf(4)]).toEqual([
      2 ** 24 - 1,
      'low',
      undefined,
    ]);
  });
});

describe('a table of merges', () => {
  it('finds what a map does', () => {
    const anyPair = fc.tuple(fc.nat(40), fc.nat(40));
    fc.assert(
      fc.property(fc.array(anyPair, { maxLength: 300 }), fc.array(anyPair), (merges, others) => {
        const pairs = createPairTable(merges.length);
        const rankOf = new Map<string, number>();
        for (const [rank, [left, right]] of merges.entries()) {
          pairs.add(left, right, 1000 + rank);
          rankOf.set(`${left} ${right}`, rank);
        }
        for (const [left, right] of [...merges, ...others]) {
          const rank = rankOf.get(`${left} ${right}`) ?? -1;
          expect(pairs.find(left, right)).toBe(rank);
          if (rank !== -1) expect(pairs.mergedAt(rank)).toBe(1000 + rank);
        }
      }),
      { seed: 12 },
    );
  });
});
