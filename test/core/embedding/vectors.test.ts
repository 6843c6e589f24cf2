import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  assertDimensions,
  truncateVector,
  type VectorSizes,
} from '../../../src/core/embedding/dimensions.ts';
import { normalizeInPlace } from '../../../src/core/embedding/normalize.ts';

const lengthOf = (vector: Float32Array) => Math.hypot(...vector);
const vectors = fc
  .array(fc.double({ min: -1e6, max: 1e6, noNaN: true }), { minLength: 1, maxLength: 64 })
  .map((values) => Float32Array.from(values));

describe('normalizeInPlace', () => {
  it('gives length 1 and the same direction', () => {
    const vector = Float32Array.of(3, 4);
    expect(normalizeInPlace(vector)).toBe(vector);
    expect(vector[0]).toBeCloseTo(0.6, 7);
    expect(vector[1]).toBeCloseTo(0.8, 7);
  });

  it('leaves a vector of zeros', () => {
    expect(normalizeInPlace(new Float32Array(3))).toEqual(new Float32Array(3));
  });

  it('gives length 1 for any other vector, and changes nothing the second time', () => {
    fc.assert(
      fc.property(vectors, (vector) => {
        fc.pre(lengthOf(vector) > 1e-6);
        const once = normalizeInPlace(vector).slice();
        expect(lengthOf(once)).toBeCloseTo(1, 5);
        normalizeInPlace(vector).forEach((value, index) => expect(value).toBeCloseTo(once[index]!, 6));
      }),
    );
  });
});

describe('truncateVector', () => {
  it('gives the first dimensions as a copy', () => {
    const vector = Float32Array.of(1, 2, 3);
    const cut = truncateVector(vector, 2);
    expect([...cut]).toEqual([1, 2]);
    cut[0] = 9;
    expect([...vector]).toEqual([1, 2, 3]);
    expect([...truncateVector(vector, 3)]).toEqual([1, 2, 3]);
  });

  it.each([0, 4, 1.5, -1])('refuses %d', (dimensions) => {
    expect(() => truncateVector(new Float32Array(3), dimensions)).toThrow(RangeError);
  });
});

describe('assertDimensions', () => {
  it.each<[number, VectorSizes]>([
    [128, { full: 128, shorter: [] }],
    [32, { full: 128, shorter: [32, 64] }],
    [128, { full: 128, shorter: [32, 64, 128] }],
    [1, { full: 128, shorter: 'any' }],
    [127, { full: 128, shorter: 'any' }],
  ])('takes %d of %j', (dimensions, sizes) => {
    expect(() => assertDimensions(dimensions, sizes)).not.toThrow();
  });

  it.each<[number, VectorSizes, string]>([
    [64, { full: 128, shorter: [] }, "expected 128, the model's only one, got 64"],
    [33, { full: 128, shorter: [64, 32, 128] }, 'expected 32 or 64 or 128, got 33'],
    [129, { full: 128, shorter: 'any' }, 'expected an integer from 1 to 128, got 129'],
    [1.5, { full: 128, shorter: 'any' }, 'expected an integer from 1 to 128, got 1.5'],
    [256, { full: 128, shorter: [64, 512] }, 'expected 64 or 128, got 256'],
  ])('refuses %d of %j', (dimensions, sizes, message) => {
    expect(() => assertDimensions(dimensions, sizes)).toThrow(new RangeError(`dimensions: ${message}`));
  });
});
