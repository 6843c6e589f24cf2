import { assertNames } from '../assert-names.ts';
import { assertInteger, assertSamples } from './assert.ts';
import { createMelFilters } from './mel-filters.ts';
import { cosineWindow, createMelPowers } from './mel-powers.ts';

const sampleRateHz = 16_000;
const fftSize = 512;
const windowSize = 400;
const hopLength = 160;
const preEmphasis = 0.97;
/** Added to powers, so that silence has a logarithm. */
const guard = 2 ** -24;
/** Added to deviations, so that a constant band isn't divided by 0. */
const minDeviation = 1e-5;

/** The features of one recording. */
export interface NemoFeatures {
  /** `[melBins × columns]` */
  readonly data: Float32Array;
  /** One more than `frames`: the last one is 0, as in the reference. */
  readonly columns: number;
  /** Frames of 10 ms. */
  readonly frames: number;
}

/** Computes the input of NeMo's recognizers; keeps its tables. */
export interface NemoFeatureExtractor {
  readonly melBins: number;
  /**
   * @param samples mono, 16 kHz, −1 to 1, at least 320 samples
   * @throws TypeError unless `samples` is a `Float32Array`
   * @throws RangeError for less than two frames of samples
   */
  compute(samples: Float32Array): NemoFeatures;
}

/**
 * The input of NeMo's recognizers: pre-emphasis of 0.97, frames of 25 ms every 10 ms under a symmetric Hann window,
 * natural logarithms of power in mel bands, each band normalized to mean 0 and deviation 1 over the recording.
 *
 * @param options.melBins number of mel filters, 1 to 1,024: 80, or 128 for the larger models
 * @throws TypeError if `melBins` isn't a number
 * @throws RangeError if it isn't an integer in that range
 * @see https://github.com/NVIDIA/NeMo, `FilterbankFeatures`
 *
 * @example
 * ```ts
 * const features = createNemoFeatures({ melBins: 80 }).compute(new Float32Array(16_000));
 * [features.frames, features.data.length]; // [100, 80 * 101]
 * ```
 */
export function createNemoFeatures(options: { readonly melBins: number }): NemoFeatureExtractor {
  assertNames('createNemoFeatures', options, ['melBins']);
  const { melBins } = options;
  assertInteger('melBins', melBins, { min: 1, max: 1024 });
  const maxFrequencyHz = sampleRateHz / 2;
  const filters = createMelFilters({ count: melBins, fftSize, sampleRateHz, maxFrequencyHz });
  const writePowers = createMelPowers({ fftSize, filters });
  const window = cosineWindow(windowSize, windowSize - 1);
  return {
    melBins,
    compute(samples) {
      assertSamples('samples', samples);
      const frames = Math.floor(samples.length / hopLength);
      if (frames < 2)
        throw new RangeError(`samples: expected at least ${2 * hopLength}, got ${samples.length}`);
      const emphasized = samples.map((sample, at) =>
        at === 0 ? sample : sample - preEmphasis * samples[at - 1]!,
      );
      const columns = frames + 1;
      const data = new Float32Array(melBins * columns);
      writePowers(data, columns, frames, (into, frame) => {
        into.fill(0);
        const start = frame * hopLength - windowSize / 2;
        const last = Math.min(windowSize, emphasized.length - start);
        for (let index = Math.max(0, -start); index < last; index++)
          into[index] = emphasized[start + index]! * window[index]!;
      });
      for (let band = 0; band < melBins; band++)
        normalizeInPlace(data.subarray(band * columns, band * columns + frames));
      return { data, columns, frames };
    },
  };
}

/** Replaces powers by their logarithms, with mean 0 and deviation 1. */
function normalizeInPlace(band: Float32Array): void {
  let sum = 0;
  for (let frame = 0; frame < band.length; frame++) {
    band[frame] = Math.log(band[frame]! + guard);
    sum += band[frame]!;
  }
  const mean = sum / band.length;
  let squares = 0;
  for (const value of band) squares += (value - mean) ** 2;
  const deviation = Math.sqrt(squares / (band.length - 1)) + minDeviation;
  for (let frame = 0; frame < band.length; frame++) band[frame] = (band[frame]! - mean) / deviation;
}
