import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addTile, cutTile, planTiles, tileWeights } from '../../../src/core/diffusion/tiles.ts';

describe('planTiles', () => {
  it.each([
    [100, { max: 144, overlap: 16 }, 100, [0]],
    [144, { max: 144, overlap: 16 }, 144, [0]],
    [145, { max: 144, overlap: 16 }, 81, [0, 64]],
    [256, { max: 144, overlap: 16 }, 136, [0, 120]],
    [256, { max: 64, overlap: 16 }, 64, [0, 48, 96, 144, 192]],
    [100, { max: 64, overlap: 16, isFixed: true }, 64, [0, 36]],
  ])('%i with %j: tiles of %i at %j', (length, options, size, starts) =>
    expect(planTiles(length, options)).toEqual({ length, size, starts }),
  );

  it('covers every axis, with the overlap that is asked for', () =>
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 400 }),
        fc.integer({ min: 2, max: 150 }),
        fc.nat(),
        fc.boolean(),
        (length, max, some, isFixed) => {
          const overlap = some % max;
          const { size, starts } = planTiles(length, { max, overlap, isFixed });
          expect(size).toBeLessThanOrEqual(max);
          expect(starts[0]).toBe(0);
          expect(starts.at(-1)! + size).toBe(length);
          for (const [index, start] of starts.slice(1).entries()) {
            expect(starts[index]! + size - start).toBeGreaterThanOrEqual(overlap);
          }
        },
      ),
    ));
});

describe('tileWeights', () => {
  it('add up to 1 everywhere', () =>
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 200 }), fc.integer({ min: 1, max: 8 }), (length, scale) => {
        const plan = planTiles(length, { max: 32, overlap: 12 });
        const sums = new Float64Array(length * scale);
        for (const [tile, weights] of tileWeights(plan, scale).entries()) {
          expect(weights.length).toBe(plan.size * scale);
          weights.forEach((weight, at) => (sums[plan.starts[tile]! * scale + at]! += weight));
        }
        expect(sums.filter((sum) => !(Math.abs(sum - 1) < 5e-6))).toHaveLength(0);
      }),
    ));

  it('fall smoothly from 1 to nothing at an edge that has a neighbour', () => {
    const [first] = tileWeights(planTiles(100, { max: 64, overlap: 20 }), 8);
    expect(first![0]).toBe(1);
    expect(first!.at(-1)).toBeLessThan(1e-3);
    for (let at = 1; at < first!.length; at++) {
      expect(first![at]!).toBeLessThanOrEqual(first![at - 1]!);
      expect(first![at - 1]! - first![at]!).toBeLessThan(0.02);
    }
  });
});

it('tiles that are cut out and added again are the whole', () => {
  const size = { width: 50, height: 41 };
  const whole = Float32Array.from({ length: 3 * 50 * 41 }, (_, index) => Math.sin(index));
  const columns = planTiles(size.width, { max: 20, overlap: 6 });
  const rows = planTiles(size.height, { max: 20, overlap: 6 });
  const out = new Float32Array(whole.length);
  for (const [row, top] of rows.starts.entries()) {
    for (const [column, left] of columns.starts.entries()) {
      const tile = cutTile(whole, { left, top, width: columns.size, height: rows.size }, size);
      const across = tileWeights(columns, 1)[column]!;
      const down = tileWeights(rows, 1)[row]!;
      addTile(out, tile, { left, top, across, down }, size);
    }
  }
  expect(whole.filter((value, index) => !(Math.abs(out[index]! - value) < 5e-6))).toHaveLength(0);
});
