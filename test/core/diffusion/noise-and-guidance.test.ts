import { describe, expect, it } from 'vitest';
import { createGaussianNoise } from '../../../src/core/diffusion/gaussian-noise.ts';
import { guideInPlace } from '../../../src/core/diffusion/guidance.ts';

function draw(seed: number, ...lengths: number[]): number[] {
  const noise = createGaussianNoise(seed);
  return lengths.flatMap((length) => {
    const out = new Float32Array(length);
    noise(out);
    return [...out];
  });
}

describe('createGaussianNoise', () => {
  it('gives the same stream for the same seed, however it is cut', () => {
    expect(draw(7, 100)).toEqual(draw(7, 33, 0, 1, 66));
    expect(draw(7, 100)).not.toEqual(draw(8, 100));
  });

  it('has the moments of a standard normal distribution', () => {
    const values = draw(1, 200_000);
    const moment = (power: number): number =>
      values.reduce((sum, value) => sum + value ** power, 0) / values.length;
    expect(moment(1)).toBeCloseTo(0, 2);
    expect(moment(2)).toBeCloseTo(1, 2);
    expect(moment(3)).toBeCloseTo(0, 1);
    expect(moment(4)).toBeCloseTo(3, 1);
    const neighbours = values.slice(1).reduce((sum, value, index) => sum + value * values[index]!, 0);
    expect(neighbours / values.length).toBeCloseTo(0, 2);
  });
});

describe('guideInPlace', () => {
  it.each([
    [1, [1, 2, -3]],
    [7.5, [7.5, 2, -29]],
  ])('scale %d', (scale, expected) => {
    const prompted = Float32Array.of(1, 2, -3);
    guideInPlace(prompted, Float32Array.of(0, 2, 1), scale);
    expect([...prompted]).toEqual(expected);
  });
});
