import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { resample, type Filter } from '../../../src/core/vision/resample.ts';
import type { Size } from '../../../src/core/vision/box.ts';

const gray = (values: readonly number[]) => Uint8Array.from(values.flatMap((value) => [value, value, value]));
const first = (pixels: Uint8Array) => [...pixels].filter((_, index) => index % 3 === 0);

const enlarge = (pixels: Uint8Array, from: Size, to: Size) => resample(pixels, from, to, 'bilinear');

describe('resample', () => {
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

// Numbers of the generator s = 48271 s mod 2³¹ − 1, from 1, as bytes; the digests are those of Pillow 13.0.0.
it.each<[Filter, number, number, number, number, string]>([
  ['bilinear', 7, 5, 3, 2, '05b099ee5ff24262'],
  ['bilinear', 5, 9, 4, 3, 'b874541f8c873272'],
  ['bilinear', 4, 3, 6, 8, '57469085eab682e2'],
  ['bicubic', 7, 5, 3, 2, '27334a9446840e6c'],
  ['bicubic', 5, 9, 4, 3, '7c7d8280a6edd404'],
  ['bicubic', 4, 3, 6, 8, '76fc1d99db75c08f'],
  ['lanczos', 7, 5, 3, 2, 'c8f03c1170fafbbc'],
  ['lanczos', 5, 9, 4, 3, '5d5a9f13d2c908b8'],
  ['lanczos', 4, 3, 6, 8, 'f95683217e73be36'],
])('as Pillow with the filter %s, from %i × %i to %i × %i', (filter, width, height, wide, high, expected) => {
  let state = 1;
  const pixels = Uint8Array.from(
    { length: 3 * width * height },
    () => (state = (state * 48_271) % 2_147_483_647),
  );
  const resized = resample(pixels, { width, height }, { width: wide, height: high }, filter);
  expect(createHash('sha256').update(resized).digest('hex').slice(0, 16)).toBe(expected);
});
