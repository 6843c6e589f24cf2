import { assertNames } from '../assert-names.ts';
import { sinc } from '../math/numeric.ts';
import { openSimd } from '../math/simd.ts';
import { assertSamples, assertSampleRate } from './assert.ts';

/**
 * The shape parameter β of a Kaiser window whose filter attenuates by `attenuationDb` beyond its transition.
 * @see J. F. Kaiser, Nonrecursive digital filter design using the I0-sinh window function (1974)
 */
function kaiserBeta(attenuationDb: number): number {
  return 0.1102 * (attenuationDb - 8.7);
}

/** Length of that filter in samples; `transition` is the width of its transition divided by the sample rate. */
function kaiserLength(attenuationDb: number, { transition }: { transition: number }): number {
  return (attenuationDb - 7.95) / (2.285 * 2 * Math.PI * transition);
}

/** The Kaiser window as a function of −1 to 1, 1 in the middle; 0 outside. */
function kaiserWindow(beta: number): (place: number) => number {
  const scale = 1 / besselI0(beta);
  return (place) => (Math.abs(place) > 1 ? 0 : besselI0(beta * Math.sqrt(1 - place * place)) * scale);
}

/** The modified Bessel function of the first kind of order 0, by its power series. */
function besselI0(x: number): number {
  let sum = 1;
  let term = 1;
  for (let index = 1; term > sum * 1e-17; index++) {
    term *= (x / (2 * index)) ** 2;
    sum += term;
  }
  return sum;
}

/** The sample rates of input and output, in Hz: integers from 1,000 to 768,000. */
export interface SampleRates {
  readonly fromHz: number;
  readonly toHz: number;
}

/** Resamples a stream of mono samples. */
export interface Resampler {
  /**
   * @param samples the next samples, any number; not kept
   * @returns the output that is complete so far, newly allocated: it lags the input by about half a filter
   * @throws TypeError unless `samples` is a `Float32Array`
   */
  push(samples: Float32Array): Float32Array;
  /** Ends the stream. @returns the rest of the output, newly allocated. The next `push` begins a new stream. */
  flush(): Float32Array;
}

// Both as fractions of the lower of the two Nyquist frequencies: nothing that could alias passes.
const passbandEdge = 0.9;
const stopbandEdge = 1;
const attenuationDb = 90;
/** Up to this many coefficients every phase has a row; beyond it, rows are interpolated. */
const maxCoefficients = 2 ** 18;
/** Interpolated rows per sample of the lower rate: errors stay below −100 dB. */
const interpolatedRows = 256;
const blockSamples = 4096;

/**
 * Resamples by a polyphase filter: a sinc under a Kaiser window of 90 dB. Frequencies below 0.9 of the lower Nyquist
 * frequency are kept within 0.01 dB; frequencies above the Nyquist frequency are attenuated by at least 80 dB. The
 * output is neither delayed nor cut: output sample `i` belongs to the time `i / toHz`, and `n` samples become
 * `round(n · toHz / fromHz)`. The filter's table stays below 3 MB at all rates.
 *
 * @throws TypeError for rates that aren't numbers
 * @throws RangeError for rates that aren't integers from 1,000 to 768,000
 * @see Crochiere and Rabiner, Multirate Digital Signal Processing (1983), chapter 3;
 * https://ccrma.stanford.edu/~jos/resample/
 *
 * @example
 * ```ts
 * const resampler = createResampler({ fromHz: 44_100, toHz: 16_000 });
 * resampler.push(new Float32Array(44_100)).length + resampler.flush().length; // 16000
 * ```
 */
export function createResampler(rates: SampleRates): Resampler {
  assertNames('createResampler', rates, ['fromHz', 'toHz']);
  const { fromHz, toHz } = rates;
  assertSampleRate('fromHz', fromHz);
  assertSampleRate('toHz', toHz);
  if (fromHz === toHz) return createCopier();

  const divisor = greatestCommonDivisor(fromHz, toHz);
  const up = toHz / divisor;
  const down = fromHz / divisor;
  const wholeStep = Math.floor(down / up);
  const phaseStep = down % up;
  const { coefficients, rows, reach } = createFilter({ up, down });
  const taps = 2 * reach;
  const isInterpolated = rows !== up;

  const buffer = new Float64Array(taps + Math.max(blockSamples, taps));
  let filled = 0;
  /** Where the filter of the next output begins in `buffer`; may be beyond the filled part. */
  let position = 0;
  /** Distance from a sample to the next output, in `1 / up` of a sample period. */
  let phase = 0;
  let received = 0;
  let produced = 0;
  const restart = (): void => {
    // The first output's filter is centred on the first sample, so it needs zeros before it.
    buffer.fill(0, 0, reach - 1);
    filled = reach - 1;
    position = phase = received = produced = 0;
  };
  restart();

  const produceInto = (out: Float32Array, from: number): number => {
    const simd = openSimd();
    if (simd.holder !== coefficients) {
      simd.holder = coefficients;
      simd.numbers.set(coefficients);
    }
    simd.numbers.set(buffer.subarray(0, filled), coefficients.length);
    const sum = (row: number): number => simd.dot(8 * (coefficients.length + position), 8 * row * taps, taps);
    let at = from;
    while (at < out.length && position + taps <= filled) {
      if (isInterpolated) {
        const place = (phase * rows) / up;
        const row = Math.floor(place);
        const near = sum(row);
        out[at++] = near + (sum(row + 1) - near) * (place - row);
      } else {
        out[at++] = sum(phase);
      }
      position += wholeStep;
      phase += phaseStep;
      if (phase >= up) {
        phase -= up;
        position++;
      }
    }
    return at;
  };
  const dropUsed = (): void => {
    const used = Math.min(position, filled);
    buffer.copyWithin(0, used, filled);
    filled -= used;
    position -= used;
  };

  /** Consumes `count` samples (zeros if `samples` is undefined) and fills `out`. */
  const consume = (samples: Float32Array | undefined, count: number, out: Float32Array): Float32Array => {
    let at = 0;
    for (let offset = 0; offset < count;) {
      const taken = Math.min(count - offset, buffer.length - filled);
      if (samples === undefined) buffer.fill(0, filled, filled + taken);
      else buffer.set(samples.subarray(offset, offset + taken), filled);
      filled += taken;
      offset += taken;
      at = produceInto(out, at);
      dropUsed();
    }
    produced += out.length;
    return out;
  };

  return {
    push(samples) {
      assertSamples('samples', samples);
      received += samples.length;
      const ready = Math.max(0, scaled(received - reach, up, down, Math.ceil));
      return consume(samples, samples.length, new Float32Array(ready - produced));
    },
    flush() {
      const total = scaled(received, up, down, Math.round);
      const rest = consume(undefined, reach, new Float32Array(total - produced));
      restart();
      return rest;
    },
  };
}

/**
 * Resamples mono audio as a whole; see {@link createResampler}.
 *
 * @param samples at `fromHz`
 * @returns `round(samples.length · toHz / fromHz)` samples, newly allocated
 * @throws TypeError unless `samples` is a `Float32Array` and the rates are numbers
 * @throws RangeError for rates that aren't integers from 1,000 to 768,000
 *
 * @example
 * ```ts
 * resample(new Float32Array(44_100), { fromHz: 44_100, toHz: 16_000 }).length; // 16000
 * ```
 */
export function resample(samples: Float32Array, rates: SampleRates): Float32Array {
  const resampler = createResampler(rates);
  const head = resampler.push(samples);
  const tail = resampler.flush();
  const whole = new Float32Array(head.length + tail.length);
  whole.set(head);
  whole.set(tail, head.length);
  return whole;
}

function createCopier(): Resampler {
  return {
    push(samples) {
      assertSamples('samples', samples);
      return samples.slice();
    },
    flush: () => new Float32Array(0),
  };
}

/**
 * The filter at every distance between an output and the sample before it.
 * @returns `coefficients` `[rows + 1 × 2 · reach]`: row `r` is for outputs `r / rows` after a sample, and begins
 * `reach − 1` samples before it. Every row adds up to 1
 */
function createFilter({ up, down }: { up: number; down: number }) {
  const samplesPerInput = Math.min(1, up / down);
  const halfLength = kaiserLength(attenuationDb, { transition: (stopbandEdge - passbandEdge) / 2 }) / 2;
  const reach = 2 * Math.ceil(halfLength / samplesPerInput / 2);
  const taps = 2 * reach;
  const rows = up * taps <= maxCoefficients ? up : Math.ceil(interpolatedRows * samplesPerInput);

  const window = kaiserWindow(kaiserBeta(attenuationDb));
  const cutoff = (passbandEdge + stopbandEdge) / 2;
  const coefficients = new Float64Array((rows + 1) * taps);
  for (let row = 0; row <= rows; row++) {
    const line = coefficients.subarray(row * taps, (row + 1) * taps);
    let sum = 0;
    for (let tap = 0; tap < taps; tap++) {
      const time = (tap - reach + 1 - row / rows) * samplesPerInput;
      sum += line[tap] = sinc(cutoff * time) * window(time / halfLength);
    }
    for (let tap = 0; tap < taps; tap++) line[tap]! /= sum;
  }
  return { coefficients, rows, reach };
}

/** `count · up / down`, rounded, exact for any sample count. */
function scaled(count: number, up: number, down: number, round: (value: number) => number): number {
  const whole = Math.floor(count / down);
  return whole * up + round(((count - whole * down) * up) / down);
}

function greatestCommonDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestCommonDivisor(b, a % b);
}
