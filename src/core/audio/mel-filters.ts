/** Triangular filters, without the zeros around them. */
export interface MelFilters {
  /** `[filters]`: the first frequency bin of each that is not 0. */
  readonly starts: Int32Array;
  /** `[filters + 1]`: where the weights of each begin in `weights`. */
  readonly offsets: Int32Array;
  readonly weights: Float64Array;
}

/**
 * Mel filters in Slaney's form: triangles with evenly spaced corners on his mel scale (linear to 1,000 Hz, logarithmic
 * above), each with an area of 1.
 *
 * @param options.count number of filters
 * @param options.fftSize of the transform whose `fftSize / 2 + 1` bins are weighed
 * @see M. Slaney, Auditory Toolbox (1998), https://engineering.purdue.edu/~malcolm/interval/1998-010/
 *
 * @example
 * ```ts
 * createMelFilters({ count: 80, fftSize: 400, sampleRateHz: 16_000, maxFrequencyHz: 8000 }).starts[0]; // 1
 * ```
 */
export function createMelFilters({
  count,
  fftSize,
  sampleRateHz,
  maxFrequencyHz,
}: {
  readonly count: number;
  readonly fftSize: number;
  readonly sampleRateHz: number;
  readonly maxFrequencyHz: number;
}): MelFilters {
  const bins = Math.floor(fftSize / 2) + 1;
  const highest = toMel(maxFrequencyHz);
  const corners = Float64Array.from({ length: count + 2 }, (_, index) =>
    toHertz((highest * index) / (count + 1)),
  );
  const starts = new Int32Array(count);
  const offsets = new Int32Array(count + 1);
  const weights: number[] = [];
  for (let filter = 0; filter < count; filter++) {
    const [low, peak, high] = [corners[filter]!, corners[filter + 1]!, corners[filter + 2]!];
    const first = Math.floor((low * fftSize) / sampleRateHz) + 1;
    starts[filter] = first;
    for (let bin = first; bin < bins; bin++) {
      const frequency = (bin * sampleRateHz) / fftSize;
      if (frequency >= high) break;
      const height = Math.min((frequency - low) / (peak - low), (high - frequency) / (high - peak));
      weights.push((height * 2) / (high - low));
    }
    offsets[filter + 1] = weights.length;
  }
  return { starts, offsets, weights: Float64Array.from(weights) };
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
