import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fitEdges } from '../../../src/core/vision/edge-limits.ts';

describe('fitEdges', () => {
  // get_size_with_aspect_ratio of transformers 4.57.6, for DETR (800, 1333) and YOLOS (512, 1333).
  it.each([
    [640, 480, [1066, 800], [672, 512]],
    [1920, 1080, [1333, 750], [896, 512]],
    [2000, 1000, [1333, 666], [1024, 512]],
    [1000, 2000, [666, 1333], [512, 1024]],
    [1001, 3003, [444, 1333], [432, 1328]],
    [800, 800, [800, 800], [512, 512]],
    [1066, 800, [1066, 800], [672, 512]],
    [600, 1333, [600, 1333], [512, 1136]],
    [50, 4000, [17, 1333], [16, 1328]],
    [7, 5, [1120, 800], [704, 512]],
    [3999, 1500, [1333, 500], [1328, 496]],
  ])('%i × %i as transformers does it', (width, height, detr, yolos) => {
    const sizeOf = (shortest: number, multiple: number) =>
      Object.values(fitEdges({ width, height }, { shortest, longest: 1333, multiple }));
    expect([sizeOf(800, 1), sizeOf(512, 16)]).toEqual([detr, yolos]);
  });

  it('leaves nothing without an edge, and no edge much too long', () => {
    const side = fc.integer({ min: 1, max: 20_000 });
    const limit = fc.integer({ min: 1, max: 2000 });
    fc.assert(
      fc.property(side, side, limit, limit, fc.constantFrom(1, 16), (width, height, one, other, multiple) => {
        const limits = { shortest: Math.min(one, other), longest: Math.max(one, other, multiple), multiple };
        const size = fitEdges({ width, height }, limits);
        for (const edge of [size.width, size.height]) {
          expect(edge % multiple).toBe(0);
          expect(edge).toBeGreaterThanOrEqual(multiple);
          expect(edge).toBeLessThanOrEqual(2 * limits.longest);
        }
      }),
    );
  });
});
