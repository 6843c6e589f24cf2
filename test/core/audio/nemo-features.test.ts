import { describe, expect, it } from 'vitest';
import { createNemoFeatures } from '../../../src/core/audio/nemo-features.ts';

describe('createNemoFeatures', () => {
  const { compute } = createNemoFeatures({ melBins: 16 });
  const noise = Float32Array.from({ length: 8000 }, (_, at) => Math.sin(at * at));

  it('has a column of zeros after its frames', () => {
    const { data, columns, frames } = compute(noise);
    expect([frames, columns, data.length]).toEqual([50, 51, 16 * 51]);
    for (let band = 0; band < 16; band++) expect(data[band * columns + frames]).toBe(0);
  });

  it('has mean 0 and deviation 1 in each band, however loud the recording', () => {
    const { data, columns, frames } = compute(noise);
    for (let band = 0; band < 16; band++) {
      const values = Array.from(data.subarray(band * columns, band * columns + frames));
      expect(values.reduce((sum, value) => sum + value, 0)).toBeCloseTo(0, 3);
      expect(values.reduce((sum, value) => sum + value * value, 0) / (frames - 1)).toBeCloseTo(1, 3);
    }
    const quiet = compute(noise.map((sample) => sample / 8)).data;
    expect(Math.max(...quiet.map((value, at) => Math.abs(value - data[at]!)))).toBeLessThan(0.01);
  });

  it('of silence are 0', () => {
    expect(compute(new Float32Array(1600)).data.every((value) => Math.abs(value) < 1e-6)).toBe(true);
  });

  it('refuses anything but samples, too few of them, and no bands', () => {
    expect(() => compute([] as unknown as Float32Array)).toThrow(TypeError);
    expect(() => compute(new Float32Array(319))).toThrow('samples: expected at least 320, got 319');
    expect(() => createNemoFeatures({ melBins: 0 })).toThrow(RangeError);
  });
});
