import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { enlarge } from '../../../src/core/vision/enlarge.ts';

const gray = (values: readonly number[]) => Uint8Array.from(values.flatMap((value) => [value, value, value]));
const first = (pixels: Uint8Array) => [...pixels].filter((_, index) => index % 3 === 0);

describe('enlarge', () => {
  const row = [0, 100, 200, 50, 255, 10];
  // Image.resize of Pillow 13.0.0, BILINEAR.
  it.each([
    [[0, 100, 200, 50, 255, 10]],
    [[0, 79, 164, 125, 123, 203, 10]],
    [[0, 50, 117, 183, 125, 84, 221, 133, 10]],
    [[0, 32, 86, 141, 195, 125, 59, 171, 222, 88, 10]],
    [[0, 25, 75, 125, 175, 163, 88, 101, 204, 194, 71, 10]],
    [[0, 0, 25, 55, 85, 115, 145, 175, 193, 148, 102, 57, 101, 163, 224, 218, 145, 71, 10, 10]],
  ])('as Pillow, to %j', (expected) => {
    const { length } = expected;
    expect(first(enlarge(gray(row), { width: 6, height: 1 }, { width: length, height: 1 }))).toEqual(
      expected,
    );
    expect(first(enlarge(gray(row), { width: 1, height: 6 }, { width: 1, height: length }))).toEqual(
      expected,
    );
  });

  it('as Pillow, in both directions', () => {
    const enlarged = enlarge(
      gray([0, 80, 255, 200, 30, 10]),
      { width: 3, height: 2 },
      { width: 5, height: 3 },
    );
    expect(first(enlarged)).toEqual([0, 32, 80, 185, 255, 100, 82, 55, 102, 133, 200, 132, 30, 18, 10]);
  });

  it('keeps channels apart, and values within those around them', () => {
    const sides = fc.integer({ min: 1, max: 5 });
    const more = fc.integer({ min: 0, max: 9 });
    fc.assert(
      fc.property(
        sides,
        sides,
        more,
        more,
        fc.infiniteStream(fc.nat(255)),
        (width, height, right, below, values) => {
          const pixels = Uint8Array.from({ length: width * height * 3 }, () => values.next().value);
          const to = { width: width + right, height: height + below };
          const enlarged = enlarge(pixels, { width, height }, to);
          expect(enlarged).toHaveLength(to.width * to.height * 3);
          for (let channel = 0; channel < 3; channel++) {
            const of = (all: Uint8Array) => [...all].filter((_, index) => index % 3 === channel);
            expect(Math.min(...of(enlarged))).toBeGreaterThanOrEqual(Math.min(...of(pixels)));
            expect(Math.max(...of(enlarged))).toBeLessThanOrEqual(Math.max(...of(pixels)));
          }
        },
      ),
    );
  });
});
