import { assertNames } from '../assert-names.ts';
import { assertInteger, assertSamples } from './assert.ts';
import { createKaldiMelFilters } from './mel-filters.ts';
import { cosineWindow, createMelPowers } from './mel-powers.ts';

const sampleRateHz = 16_000;
const fftSize = 512;
const windowSize = 400;
const hopLength = 160;
const preEmphasis = 0.97;
/** Models were trained on 16-bit samples. */
const scale = 2 ** 15;
/** The machine epsilon of single precision. */
const minPower = 2 ** -23;

/** The features of a stretch of speech. */
export interface KaldiFeatures {
  /** `[frames × melBins]` */
  readonly data: Float32Array;
  /** Frames of 10 ms. */
  readonly frames: number;
}

/** Computes filter banks like Kaldi; keeps its tables. */
export interface KaldiFeatureExtractor {
  readonly melBins: number;
  /**
   * @param samples mono, 16 kHz, −1 to 1, at least 400 samples
   * @throws TypeError unless `samples` is a `Float32Array`
   * @throws RangeError for less than a frame of samples
   */
  compute(samples: Float32Array): KaldiFeatures;
}

/**
 * The input of speaker models: frames of 25 ms every 10 ms, all within the audio; each with its mean subtracted,
 * pre-emphasis of 0.97 and a Hamming window; natural logarithms of power in mel bands from 20 to 8,000 Hz, minus the
 * mean of each band.
 *
 * @param options.melBins number of mel filters, 1 to 128: usually 80
 * @throws TypeError if `melBins` isn't a number
 * @throws RangeError if it isn't an integer in that range
 * @see https://github.com/wenet-e2e/wespeaker and https://kaldi-asr.org/doc/feat.html
 *
 * @example
 * ```ts
 * createKaldiFeatures({ melBins: 80 }).compute(new Float32Array(16_000)).frames; // 98
 * ```
 */
export function createKaldiFeatures(options: { readonly melBins: number }): KaldiFeatureExtractor {
  assertNames('createKaldiFeatures', options, ['melBins']);
  const { melBins } = options;
  assertInteger('melBins', melBins, { min: 1, max: 128 });
  const maxFrequencyHz = sampleRateHz / 2;
  const filters = createKaldiMelFilters({ count: melBins, fftSize, sampleRateHz, maxFrequencyHz });
  const writePowers = createMelPowers({ fftSize, filters });
  const window = cosineWindow(windowSize, windowSize - 1, [0.54, 0.46]);

  const windowInto = (out: Float64Array, samples: Float32Array): void => {
    out.fill(0);
    let mean = 0;
    for (const sample of samples) mean += sample / windowSize;
    let previous = samples[0]! - mean;
    for (let index = 0; index < windowSize; index++) {
      const sample = samples[index]! - mean;
      out[index] = scale * (sample - preEmphasis * previous) * window[index]!;
      previous = sample;
    }
  };

  return {
    melBins,
    compute(samples) {
      assertSamples('samples', samples);
      if (samples.length < windowSize)
        throw new RangeError(`samples: expected at least ${windowSize}, got ${samples.length}`);
      const frames = 1 + Math.floor((samples.length - windowSize) / hopLength);
      const bands = new Float32Array(melBins * frames);
      writePowers(bands, frames, frames, (into, frame) =>
        windowInto(into, samples.subarray(frame * hopLength, frame * hopLength + windowSize)),
      );
      const data = new Float32Array(frames * melBins);
      for (let band = 0; band < melBins; band++) {
        let mean = 0;
        for (let frame = 0; frame < frames; frame++) {
          const power = Math.log(Math.max(bands[band * frames + frame]!, minPower));
          data[frame * melBins + band] = power;
          mean += power / frames;
        }
        for (let frame = 0; frame < frames; frame++) data[frame * melBins + band]! -= mean;
      }
      return { data, frames };
    },
  };
}
