import type { Prediction } from './prediction.ts';

const maxOrder = 8;
/** Bits of a coefficient, with its sign. */
export const coefficientBits = 13;
const maxShift = 15;
/** Bits that an order costs: a coefficient, and a sample that isn't predicted. */
const bitsOfOrder = coefficientBits + 16;

/**
 * Makes a finder of the linear prediction that fits a block of samples best, by the autocorrelation of the samples under a Tukey
 * window, and the Levinson-Durbin recursion. It reuses its memory, that of its answer too.
 *
 * @param maxLength most samples of a block
 * @returns a function that answers `undefined` for samples that no linear prediction fits, such as silence
 * @see RFC 9639 §9.2.6; Makhoul, Linear Prediction: A Tutorial Review (1975)
 */
export function createLinearPrediction(maxLength: number): (samples: Int16Array) => Prediction | undefined {
  const windowed = new Float64Array(maxLength);
  const correlation = new Float64Array(maxOrder + 1);
  const factors = new Float64Array(maxOrder);
  const previous = new Float64Array(maxOrder);
  const best = new Float64Array(maxOrder);
  const quantized = new Int32Array(maxOrder);

  const correlate = (samples: Int16Array): void => {
    const { length } = samples;
    const edge = length / 4;
    for (let at = 0; at < length; at++) {
      const distance = Math.min(at, length - 1 - at) + 0.5;
      const weight = distance < edge ? 0.5 - 0.5 * Math.cos((Math.PI * distance) / edge) : 1;
      windowed[at] = weight * samples[at]!;
    }
    for (let lag = 0; lag <= maxOrder; lag++) {
      let sum = 0;
      for (let at = lag; at < length; at++) sum += windowed[at]! * windowed[at - lag]!;
      correlation[lag] = sum;
    }
  };

  /** Leaves in `best` the factors of the order that is likely to take the fewest bits. @returns that order */
  const recur = (length: number): number => {
    let error = correlation[0]!;
    let fewestBits = Infinity;
    let bestOrder = 0;
    for (let order = 1; order <= maxOrder && order < length && error > 0; order++) {
      let reflection = correlation[order]!;
      for (let at = 0; at < order - 1; at++) reflection -= factors[at]! * correlation[order - 1 - at]!;
      reflection /= error;
      previous.set(factors);
      for (let at = 0; at < order - 1; at++)
        factors[at] = previous[at]! - reflection * previous[order - 2 - at]!;
      factors[order - 1] = reflection;
      error *= 1 - reflection ** 2;
      const bits = order * bitsOfOrder + (length / 2) * Math.log2(Math.max(error / length, 1e-9));
      if (bits < fewestBits) {
        fewestBits = bits;
        bestOrder = order;
        best.set(factors);
      }
    }
    return bestOrder;
  };

  return (samples) => {
    correlate(samples);
    const order = recur(samples.length);
    let largest = 0;
    for (let at = 0; at < order; at++) largest = Math.max(largest, Math.abs(best[at]!));
    if (largest === 0) return undefined;
    const shift = Math.min(maxShift, coefficientBits - 2 - Math.floor(Math.log2(largest)));
    if (shift < 0) return undefined;
    const limit = 2 ** (coefficientBits - 1) - 1;
    let missed = 0;
    for (let at = 0; at < order; at++) {
      // The rounding error of one coefficient is added to the next.
      const wanted = best[at]! * 2 ** shift + missed;
      quantized[at] = Math.max(-limit, Math.min(limit, Math.round(wanted)));
      missed = wanted - quantized[at]!;
    }
    return { coefficients: quantized.subarray(0, order), shift };
  };
}
