import fc from 'fast-check';
import { expect, it } from 'vitest';
import { solveLinear } from '../../../src/core/math/numeric.ts';

const number = fc.integer({ min: -9, max: 9 });

it.each([1, 2, 3])('finds %d unknowns again', (size) => {
  const row = fc.array(number, { minLength: size, maxLength: size });
  fc.assert(
    fc.property(fc.array(row, { minLength: size, maxLength: size }), row, (rows, unknowns) => {
      // Strictly dominant diagonals, so that there is one solution.
      const solvable = rows.map((values, i) => values.map((value, j) => (i === j ? 40 : value)));
      const shuffled = solvable.toReversed();
      const goals = shuffled.map((values) => values.reduce((sum, value, j) => sum + value * unknowns[j]!, 0));
      for (const [i, value] of solveLinear(shuffled, goals).entries())
        expect(value).toBeCloseTo(unknowns[i]!, 9);
    }),
  );
});
