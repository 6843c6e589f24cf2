const stepsPerNat = 2048;
const fineSteps = 64;

/** `decayWithin` reaches this far, in nats. */
export const decayReach = 64;

const coarse = Float64Array.from({ length: (decayReach * stepsPerNat) / fineSteps }, (_, step) =>
  Math.exp((-step * fineSteps) / stepsPerNat),
);
const fine = Float64Array.from({ length: fineSteps }, (_, step) => Math.exp(-step / stepsPerNat));

/**
 * exp(−x) for 0 ≤ x < 64, several times as fast as `Math.exp`: two tables and a cubic for the rest, which is below
 * 2⁻¹¹. Relative error below 4e-15; `decayWithin(0)` is 1.
 */
export function decayWithin(x: number): number {
  const step = (x * stepsPerNat) | 0;
  const rest = x - step / stepsPerNat;
  return coarse[step >> 6]! * fine[step & 63]! * (1 - rest * (1 - rest * (0.5 - rest * (1 / 6))));
}

/** exp(−x) for any x ≥ 0. */
export function decay(x: number): number {
  return x < decayReach ? decayWithin(x) : Math.exp(-x);
}

/** exp(values[i] − origin) of the first `size` values, none of which is above the origin. */
export function decaysInto(out: Float64Array, values: Float64Array, size: number, origin: number): number {
  const fours = size - (size % 4);
  return decaysByFours(out, values, fours, origin) + decaysEach(out, values, fours, size, origin);
}

/*
 * Here and in the other files, a loop over the vocabulary has a function to itself that ends with it: V8 replaces a
 * function within its first long loop, before it has seen what comes after, and would fall back there at every call.
 */

function decaysByFours(out: Float64Array, values: Float64Array, end: number, origin: number): number {
  let total = 0;
  for (let i = 0; i < end; i += 4) {
    const a = origin - values[i]!;
    const b = origin - values[i + 1]!;
    const c = origin - values[i + 2]!;
    const d = origin - values[i + 3]!;
    if (a < decayReach && b < decayReach && c < decayReach && d < decayReach) {
      const first = decayWithin(a);
      const second = decayWithin(b);
      const third = decayWithin(c);
      const fourth = decayWithin(d);
      out[i] = first;
      out[i + 1] = second;
      out[i + 2] = third;
      out[i + 3] = fourth;
      total += first + second + (third + fourth);
    } else total += decaysEach(out, values, i, i + 4, origin);
  }
  return total;
}

/** The sum of exp(values[i] − origin) from `start` to before `end`, none of which is above the origin. */
export function sumOfDecays(values: Float64Array, start: number, end: number, origin: number): number {
  const fours = end - ((end - start) % 4);
  let total = 0;
  for (let i = start; i < fours; i += 4) {
    const a = origin - values[i]!;
    const b = origin - values[i + 1]!;
    const c = origin - values[i + 2]!;
    const d = origin - values[i + 3]!;
    if (a < decayReach && b < decayReach && c < decayReach && d < decayReach) {
      total += decayWithin(a) + decayWithin(b) + (decayWithin(c) + decayWithin(d));
    } else total += decay(a) + decay(b) + (decay(c) + decay(d));
  }
  for (let i = fours; i < end; i++) total += decay(origin - values[i]!);
  return total;
}

function decaysEach(
  out: Float64Array,
  values: Float64Array,
  start: number,
  end: number,
  origin: number,
): number {
  let total = 0;
  for (let i = start; i < end; i++) total += out[i] = decay(origin - values[i]!);
  return total;
}
