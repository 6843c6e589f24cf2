import { readFile } from 'node:fs/promises';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeFloat32 } from '../../../src/core/embedding/base64.ts';
import { createLogMel } from '../../../src/core/audio/log-mel.ts';
import { clips } from './golden/clips.ts';
import { runs } from '../../thorough.ts';

interface Golden {
  readonly clips: readonly {
    readonly name: string;
    readonly melBins: number;
    readonly chunkSeconds: number;
    readonly frameStep: number;
    readonly values: string;
  }[];
}
const golden = JSON.parse(await readFile(new URL('golden/log-mel.json', import.meta.url), 'utf8')) as Golden;

describe("createLogMel, beside the reference's feature extractor", () => {
  it.each(golden.clips.map((clip, index) => ({ ...clip, samples: clips[index]! })))(
    '$name',
    ({ samples, melBins, chunkSeconds, frameStep, values }) => {
      const logMel = createLogMel({ melBins, chunkSamples: chunkSeconds * 16_000 });
      const expected = decodeFloat32(values);
      const actual = logMel.compute(samples);
      expect(actual.length).toBe(melBins * logMel.frames);
      expect(expected.length).toBe(Math.ceil(logMel.frames / frameStep) * melBins);
      // Relative, but for values that happen to be near 0: those are differences of logarithms.
      const worst = expected.reduce((most, value, index) => {
        const frame = Math.floor(index / melBins) * frameStep;
        const difference = Math.abs(actual[(index % melBins) * logMel.frames + frame]! - value);
        return Math.max(most, difference / Math.max(Math.abs(value), 0.01));
      }, 0);
      expect(worst).toBeLessThan(1e-4);
    },
  );
});

describe('createLogMel', () => {
  const small = { melBins: 16, chunkSamples: 4000 };

  it('has the sizes of the third large model by default', () => {
    const { melBins, frames, chunkSamples } = createLogMel({ melBins: 128 });
    expect({ melBins, frames, chunkSamples }).toEqual({ melBins: 128, frames: 3000, chunkSamples: 480_000 });
  });

  it('pads with silence, whatever came before', () => {
    const logMel = createLogMel(small);
    fc.assert(
      fc.property(samplesUpTo(4000), (samples) => {
        const padded = new Float32Array(4000);
        padded.set(samples);
        const expected = createLogMel(small).compute(padded);
        expect(logMel.compute(samples)).toEqual(expected);
        expect(logMel.computeInto(new Float32Array(expected.length).fill(7), samples)).toEqual(expected);
      }),
      { numRuns: runs(50) },
    );
  });

  it('moves with the audio', () => {
    const { compute, frames } = createLogMel({ melBins: 16, chunkSamples: 16_000 });
    const noise = clips[4]!;
    const [here, later] = [compute(noise), compute(noise.subarray(160 * 7))];
    for (let bin = 0; bin < 16; bin++) {
      for (let frame = 2; frame < 90; frame++) {
        expect(later[bin * frames + frame]).toBeCloseTo(here[bin * frames + frame + 7]!, 6);
      }
    }
  });

  it('spans at most 80 dB', () => {
    const { compute } = createLogMel(small);
    fc.assert(
      fc.property(samplesUpTo(4000), (samples) => {
        const values = compute(samples);
        expect(Math.max(...values) - Math.min(...values)).toBeLessThanOrEqual(2 + 1e-6);
      }),
      { numRuns: runs(50) },
    );
  });

  it.each([
    { melBins: 40, sampleRateHz: 8000, fftSize: 256, hopLength: 80, chunkSamples: 8000 },
    { melBins: 80, sampleRateHz: 22_050, fftSize: 1024, hopLength: 256, chunkSamples: 22_050 },
    { melBins: 8, sampleRateHz: 16_000, fftSize: 401, hopLength: 333, chunkSamples: 3000 },
  ])('shows a tone where it is: %j', (options) => {
    const { compute, frames } = createLogMel(options);
    const [low, high] = [400, 3000].map((hertz) => {
      const values = compute(
        Float32Array.from({ length: options.chunkSamples }, (_, index) =>
          Math.sin((2 * Math.PI * hertz * index) / options.sampleRateHz),
        ),
      );
      expect(values.length).toBe(options.melBins * frames);
      expect(frames).toBe(Math.floor(options.chunkSamples / options.hopLength));
      const column = Array.from(
        { length: options.melBins },
        (_, bin) => values[bin * frames + (frames >> 1)]!,
      );
      return column.indexOf(Math.max(...column));
    });
    const place = (hertz: number) =>
      hertz < 1000 ? (hertz * 3) / 200 : 15 + Math.log(hertz / 1000) / 0.0687;
    const top = place(Math.min(8000, options.sampleRateHz / 2));
    expect(Math.abs(low! - ((options.melBins + 1) * place(400)) / top + 1)).toBeLessThanOrEqual(1);
    expect(Math.abs(high! - ((options.melBins + 1) * place(3000)) / top + 1)).toBeLessThanOrEqual(1);
  });

  it.each([
    [{ melBins: 0 }, 'melBins: expected an integer from 1 to 1024, got 0'],
    [{ melBins: 80, chunkSamples: 200 }, 'chunkSamples: expected an integer from 201 to 67108864, got 200'],
    [{ melBins: 80, fftSize: 1 }, 'fftSize: expected an integer from 2 to 4096, got 1'],
    [{ melBins: 80, hopLength: 0.5 }, 'hopLength: expected an integer from 1 to 480000, got 0.5'],
    [{ melBins: 80, sampleRateHz: NaN }, 'sampleRateHz: expected an integer from 1000 to 768000, got NaN'],
  ])('refuses %j', (options, message) => {
    expect(() => createLogMel(options)).toThrow(new RangeError(message));
  });

  it('refuses what is no audio, too much of it, or an array of another size', () => {
    const { compute, computeInto } = createLogMel(small);
    expect(() => createLogMel({ melBins: '80' as unknown as number })).toThrow(TypeError);
    expect(() => compute([0] as unknown as Float32Array)).toThrow(
      new TypeError('samples: expected a Float32Array, got Array'),
    );
    expect(() => compute(new Float32Array(4001))).toThrow(
      new RangeError('samples: expected at most 4000, got 4001'),
    );
    expect(() => computeInto(new Float32Array(10), new Float32Array(1))).toThrow(
      new RangeError('out: expected 400 values, got 10'),
    );
  });
});

function samplesUpTo(length: number): fc.Arbitrary<Float32Array> {
  return fc.float32Array({ min: -1, max: 1, noNaN: true, maxLength: length });
}
