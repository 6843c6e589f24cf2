/** Predicts a sample from the ones before it. */
export interface Prediction {
  /** Factors of the samples before, the nearest first, times 2 to the power of `shift`. */
  readonly coefficients: Int32Array;
  readonly shift: number;
}

/**
 * The predictions that a decoder knows, by their order: polynomials through the samples before.
 *
 * @see RFC 9639 §9.2.5
 */
export const fixedPredictions: readonly Prediction[] = [[], [1], [2, -1], [3, -3, 1], [4, -6, 4, -1]].map(
  (coefficients) => ({ coefficients: Int32Array.from(coefficients), shift: 0 }),
);

/**
 * The residual of a prediction: samples minus their predicted values.
 *
 * @param residual gets a number for each sample from number `coefficients.length` on; those before aren't written
 */
export function residualInto(
  residual: Int32Array,
  samples: Int16Array,
  { coefficients, shift }: Prediction,
): void {
  const order = coefficients.length;
  for (let at = order; at < samples.length; at++) {
    let sum = 0;
    for (let back = 0; back < order; back++) sum += coefficients[back]! * samples[at - 1 - back]!;
    residual[at] = samples[at]! - (sum >> shift);
  }
}
