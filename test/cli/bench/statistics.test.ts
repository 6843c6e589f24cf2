import { expect, it } from 'vitest';
import { speeds, times } from '../../../src/cli/bench/load.ts';
import { quantile } from '../../../src/core/math/numeric.ts';

it.each([
  [[], 0.5, undefined],
  [[7], 0.95, 7],
  [[4, 1, 3, 2], 0.5, 2.5],
  [[1, 2, 3, 4, 5], 0.95, 4.8],
  [[5, 1], 0, 1],
])('of %j the quantile %d is %d', (values, share, expected) => {
  expect(quantile(values, share)).toEqual(expected === undefined ? undefined : expect.closeTo(expected, 10));
});

it('nineteen of twenty are at least as good as p95', () => {
  const values = Array.from({ length: 100 }, (_, index) => index + 1);
  expect(values.filter((value) => value <= times('', values).p95!)).toHaveLength(95);
  expect(values.filter((value) => value >= speeds('', '', values).p95!)).toHaveLength(95);
});

it('p99 is worse than p95, and the samples stay', () => {
  const values = Array.from({ length: 200 }, (_, index) => index + 1);
  const { p95, p99, samples } = times('', values);
  expect(p99!).toBeGreaterThan(p95!);
  expect(speeds('', '', values).p99!).toBeLessThan(speeds('', '', values).p95!);
  expect(samples).toEqual(values);
});
