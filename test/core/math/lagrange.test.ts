import { describe, expect, it } from 'vitest';
import { lagrangeBasis } from '../../../src/core/math/numeric.ts';

const valueAt = (polynomial: readonly number[], x: number): number =>
  polynomial.reduceRight((value, factor) => value * x + factor, 0);

describe('lagrangeBasis', () => {
  it('has the constant 1 for one node', () => {
    expect(lagrangeBasis([7])).toEqual([[1]]);
  });

  it.each([[[0, 2]], [[-1.5, 0.25, 4]], [[0, -3, 5, 0.5]]])(
    'is 1 at its own node of %j and 0 at the others',
    (nodes) => {
      for (const [index, polynomial] of lagrangeBasis(nodes).entries()) {
        expect(polynomial).toHaveLength(nodes.length);
        for (const [at, node] of nodes.entries())
          expect(valueAt(polynomial, node)).toBeCloseTo(Number(at === index), 10);
      }
    },
  );
});
