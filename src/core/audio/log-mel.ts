import { assertNames } from '../assert-names.ts';
import { assertInteger, assertSamples, assertSampleRate } from './assert.ts';
import { createMelFilters } from './mel-filters.ts';
import { cosineWindow, createMelPowers } from './mel-powers.ts';

/** The sizes of a log-mel spectrogram, with the meaning of a Whisper model's `preprocessor_config.json`. */
export interface LogMelOptions {
  /** Number of mel filters (`feature_size`), 1 to 1,024: 80, or 128 for large-v3. */
  readonly melBins: number;
  /** Length of a chunk (`n_samples`): shorter audio is padded with silence. Default 480,000, which is 30 s. */
  readonly chunkSamples?: number | undefined;
  /** Default 16,000. The filters end at 8,000 Hz, or at half of a lower rate. */
  readonly sampleRateHz?: number | undefined;
  /** Length of a frame in samples (`n_fft`), 2 to 4,096; default 400. */
  readonly fftSize?: number | undefined;
  /** Distance between frames in samples, at most `chunkSamples`; default 160. */
  readonly hopLength?: number | undefined;
}

/** Computes log-mel spectrograms of one size; keeps its tables. */
export interface LogMel {
  readonly melBins: number;
  /** Frames per chunk. */
  readonly frames: number;
  readonly chunkSamples: number;
  /**
   * @param samples mono, −1 to 1, at most `chunkSamples`
   * @returns `[melBins × frames]`, newly allocated
   * @throws TypeError unless `samples` is a `Float32Array`
   * @throws RangeError for more samples than a chunk
   */
  compute(samples: Float32Array): Float32Array;
  /**
   * Like `compute`, without allocating.
   *
   * @param out `[melBins × frames]`, overwritten
   * @returns `out`
   * @throws TypeError unless both are `Float32Array`s
   * @throws RangeError for an `out` of the wrong length and for more samples than a chunk
   */
  computeInto(out: Float32Array, samples: Float32Array): Float32Array;
}

const floorPower = 1e-10;
/** In powers of ten below the maximum. */
const dynamicRange = 8;

/**
 * The input of Whisper models: power in mel bands over time, as base-10 logarithms, clamped to 80 dB below the maximum
 * and scaled to about −1 to 1. Frame `f` is centred on sample `f · hopLength`; the chunk is mirrored at its ends.
 *
 * @throws TypeError for options that aren't numbers
 * @throws RangeError for options that aren't integers in their range, and for a chunk of at most half a frame
 * @see Radford et al., Robust Speech Recognition via Large-Scale Weak Supervision (2022), section 2.2
 *
 * @example
 * ```ts
 * const logMel = createLogMel({ melBins: 80 });
 * logMel.compute(new Float32Array(16_000)).length; // 80 * 3000
 * ```
 */
export function createLogMel(options: LogMelOptions): LogMel {
  assertNames('createLogMel', options, ['melBins', 'chunkSamples', 'sampleRateHz', 'fftSize', 'hopLength']);
  const { melBins, chunkSamples = 480_000, sampleRateHz = 16_000, fftSize = 400, hopLength = 160 } = options;
  assertInteger('melBins', melBins, { min: 1, max: 1024 });
  assertSampleRate('sampleRateHz', sampleRateHz);
  assertInteger('fftSize', fftSize, { min: 2, max: 4096 });
  assertInteger('chunkSamples', chunkSamples, { min: Math.floor(fftSize / 2) + 1, max: 2 ** 26 });
  assertInteger('hopLength', hopLength, { min: 1, max: chunkSamples });

  const maxFrequencyHz = Math.min(8000, sampleRateHz / 2);
  const filters = createMelFilters({ count: melBins, fftSize, sampleRateHz, maxFrequencyHz });
  const writePowers = createMelPowers({ fftSize, filters });
  const window = cosineWindow(fftSize, fftSize);
  const frames = Math.floor(chunkSamples / hopLength);
  const reach = Math.floor(fftSize / 2);

  const windowInto = (out: Float64Array, samples: Float32Array, frame: number): void => {
    const start = frame * hopLength - reach;
    if (start >= 0 && start + fftSize <= samples.length) {
      for (let index = 0; index < fftSize; index++) out[index] = samples[start + index]! * window[index]!;
      return;
    }
    for (let index = 0; index < fftSize; index++) {
      const place = mirrored(start + index, chunkSamples);
      out[index] = place < samples.length ? samples[place]! * window[index]! : 0;
    }
  };

  const computeInto = (out: Float32Array, samples: Float32Array): Float32Array => {
    assertSamples('out', out);
    assertSamples('samples', samples);
    if (out.length !== melBins * frames)
      throw new RangeError(`out: expected ${melBins * frames} values, got ${out.length}`);
    if (samples.length > chunkSamples)
      throw new RangeError(`samples: expected at most ${chunkSamples}, got ${samples.length}`);
    // After the audio all frames are silent.
    const audible = Math.min(frames, Math.ceil((samples.length + reach) / hopLength));
    for (let filter = 0; filter < melBins; filter++)
      out.fill(0, filter * frames + audible, (filter + 1) * frames);
    writePowers(out, frames, audible, (into, frame) => windowInto(into, samples, frame));
    return compress(out);
  };

  return {
    melBins,
    frames,
    chunkSamples,
    compute: (samples) => computeInto(new Float32Array(melBins * frames), samples),
    computeInto,
  };
}

/** The index `place` beyond either end, mirrored back into `length` samples. */
function mirrored(place: number, length: number): number {
  const inside = Math.abs(place);
  return inside < length ? inside : 2 * (length - 1) - inside;
}

/** Converts powers to the model's input, in place. */
function compress(values: Float32Array): Float32Array {
  let strongest = floorPower;
  for (let index = 0; index < values.length; index++) {
    if (values[index]! > strongest) strongest = values[index]!;
  }
  const weakest = Math.max(floorPower, strongest / 10 ** dynamicRange);
  const lowest = (Math.log10(weakest) + 4) / 4;
  for (let index = 0; index < values.length; index++) {
    const power = values[index]!;
    values[index] = power > weakest ? (Math.log10(power) + 4) / 4 : lowest;
  }
  return values;
}
