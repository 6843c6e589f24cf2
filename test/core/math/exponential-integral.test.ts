import { expect, test } from 'vitest';
import { exponentialIntegral } from '../../../src/core/math/numeric.ts';

test.each<[readonly number[], number, number]>([
  [[1], 0, 1],
  [[0, 2], -1, 0.5],
  [[0.5, -1, 3], 1, -2],
  [[1, 2, -0.5, 0.25], -0.3, 1.2],
  [[], 0, 1],
])('%j from %d to %d, by midpoints', (polynomial, from, to) => {
  const count = 4000;
  let sum = 0;
  for (let index = 0; index < count; index++) {
    const u = from + ((to - from) * (index + 0.5)) / count;
    sum += Math.exp(u) * polynomial.reduce((value, part, power) => value + part * u ** power, 0);
  }
  expect(exponentialIntegral(polynomial, from, to)).toBeCloseTo((sum * (to - from)) / count, 5);
});
