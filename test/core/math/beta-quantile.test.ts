import { describe, expect, it } from 'vitest';
import { symmetricBetaQuantile } from '../../../src/core/math/beta-quantile.ts';

describe('symmetricBetaQuantile', () => {
  // scipy 1.17.1: scipy.stats.beta.ppf(share, shape, shape)
  it.each<[share: number, shape: number, expected: number]>([
    [0.01, 0.6, 0.0008612388215429059],
    [0.25, 0.6, 0.17568037865269498],
    [0.9, 0.6, 0.9604155944112192],
    [1e-6, 0.6, 1.8558824624053043e-10],
    [0.3, 2, 0.36325749109056765],
    [0.3, 1, 0.3],
    [0, 0.6, 0],
    [0.5, 0.6, 0.5],
    [1, 0.6, 1],
  ])('of %d with the shape %d is %d', (share, shape, expected) => {
    expect(symmetricBetaQuantile(share, shape)).toBeCloseTo(expected, 13);
  });

  it('mirrors at one half and ascends', () => {
    const values = Array.from({ length: 101 }, (_, percent) => symmetricBetaQuantile(percent / 100, 0.6));
    for (const [percent, value] of values.entries()) {
      expect(value + values[100 - percent]!).toBeCloseTo(1, 14);
      if (percent > 0) expect(value).toBeGreaterThan(values[percent - 1]!);
    }
  });
});
