/** Triangular filters, stored without their zeros. */
export interface MelFilters {
  /** `[filters]`: the first frequency bin with a weight other than 0. */
  readonly starts: Int32Array;
  /** `[filters + 1]`: where each filter's weights begin in `weights`. */
  readonly offsets: Int32Array;
  readonly weights: Float64Array;
}

/** The filters, and the transform with `fftSize / 2 + 1` bins. */
export interface MelFilterOptions {
  readonly count: number;
  readonly fftSize: number;
  readonly sampleRateHz: number;
  readonly maxFrequencyHz: number;
}

/**
 * Mel filters in Slaney's form: triangles with evenly spaced corners on his mel scale (linear to 1,000 Hz, logarithmic above),
 * each with an area of 1.
 * @see M. Slaney, Auditory Toolbox (1998), https://engineering.purdue.edu/~malcolm/interval/1998-010/
 */
export function createMelFilters(options: MelFilterOptions): MelFilters {
  const highest = toMel(options.maxFrequencyHz);
  const corners = Float64Array.from({ length: options.count + 2 }, (_, index) =>
    toHertz((highest * index) / (options.count + 1)),
  );
  return toFilters(
    options,
    corners,
    (hertz) => hertz,
    (low, high) => 2 / (high - low),
  );
}

/**
 * Mel filters in Kaldi's form: triangles over mels, 1,127 · ln(1 + f / 700), each with a height of 1, from 20 Hz on.
 * @see https://kaldi-asr.org/doc/mel-computations_8cc_source.html
 */
export function createKaldiMelFilters(options: MelFilterOptions): MelFilters {
  const [lowest, highest] = [toKaldiMel(kaldiLowestHertz), toKaldiMel(options.maxFrequencyHz)];
  const corners = Float64Array.from(
    { length: options.count + 2 },
    (_, index) => lowest + ((highest - lowest) * index) / (options.count + 1),
  );
  return toFilters(options, corners, toKaldiMel, () => 1);
}

function toFilters(
  { count, fftSize, sampleRateHz }: MelFilterOptions,
  corners: Float64Array,
  place: (hertz: number) => number,
  heightOf: (low: number, high: number) => number,
): MelFilters {
  const bins = Math.floor(fftSize / 2) + 1;
  const starts = new Int32Array(count);
  const offsets = new Int32Array(count + 1);
  const weights: number[] = [];
  for (let filter = 0; filter < count; filter++) {
    const [low, peak, high] = [corners[filter]!, corners[filter + 1]!, corners[filter + 2]!];
    let first = 0;
    while (first < bins && place((first * sampleRateHz) / fftSize) <= low) first++;
    starts[filter] = first;
    for (let bin = first; bin < bins; bin++) {
      const at = place((bin * sampleRateHz) / fftSize);
      if (at >= high) break;
      weights.push(Math.min((at - low) / (peak - low), (high - at) / (high - peak)) * heightOf(low, high));
    }
    offsets[filter + 1] = weights.length;
  }
  return { starts, offsets, weights: Float64Array.from(weights) };
}

const kaldiLowestHertz = 20;

function toKaldiMel(hertz: number): number {
  return 1127 * Math.log(1 + hertz / 700);
}

const linearHertzPerMel = 200 / 3;
const breakHertz = 1000;
const breakMel = breakHertz / linearHertzPerMel;
const logStep = Math.log(6.4) / 27;

function toMel(hertz: number): number {
  return hertz < breakHertz ? hertz / linearHertzPerMel : breakMel + Math.log(hertz / breakHertz) / logStep;
}

function toHertz(mel: number): number {
  return mel < breakMel ? mel * linearHertzPerMel : breakHertz * Math.exp((mel - breakMel) * logStep);
}
