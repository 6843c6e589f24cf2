import { symmetricBetaQuantile } from '../../math/beta-quantile.ts';
import { evenly } from './betas.ts';

/** Noise over signal at each training timestep, in single precision. */
export function trainingSigmas(cumulativeAlphas: Float64Array): Float64Array {
  return cumulativeAlphas.map((alpha) => Math.fround(Math.sqrt(Math.fround(Math.fround(1 - alpha) / alpha))));
}

/** Sigma at a timestep, interpolated linearly. */
export function sigmaAt(timestep: number, sigmas: Float64Array): number {
  const last = sigmas.length - 1;
  const clamped = Math.min(Math.max(timestep, 0), last);
  const low = Math.min(Math.floor(clamped), Math.max(last - 1, 0));
  const high = Math.min(low + 1, last);
  return sigmas[low]! + (sigmas[high]! - sigmas[low]!) * (clamped - low);
}

/**
 * The timestep with this sigma in training, interpolated if necessary. The training's logarithms have single precision,
 * as in the reference: so its largest sigma may be just below the last timestep, unless `round` rounds likewise.
 */
export function timestepOf(
  sigma: number,
  sigmas: Float64Array,
  round: (logarithm: number) => number = Number,
): number {
  const logarithm = round(Math.log(Math.max(sigma, 1e-10)));
  let low = 0;
  const logarithmAt = (index: number): number => Math.fround(Math.log(sigmas[index]!));
  while (low < sigmas.length - 2 && logarithmAt(low + 1) <= logarithm) low++;
  const from = logarithmAt(low);
  const stride = Math.fround(from - logarithmAt(low + 1));
  return stride < 0 ? low + Math.min(Math.max((from - logarithm) / stride, 0), 1) : low;
}

/** Spaces sigmas between two ends, which are kept to the last bit: powers and logarithms differ in it between machines. */
function spaceSigmas(at: (share: number, from: number, to: number) => number) {
  return (from: number, to: number, count: number): number[] =>
    evenly(0, 1, count).map((share) => (share === 0 ? from : share === 1 ? to : at(share, from, to)));
}

/** Sigmas that are dense where small. Karras et al. 2022, equation 5, ρ = 7. */
export const karrasSigmas = spaceSigmas((share, from, to) => {
  const rho = 7;
  return (from ** (1 / rho) + share * (to ** (1 / rho) - from ** (1 / rho))) ** rho;
});

/** Sigmas evenly spaced in their logarithm. Also Lu et al. 2022, section 3.3. */
export const exponentialSigmas = spaceSigmas((share, from, to) =>
  Math.exp(Math.log(from) + share * (Math.log(to) - Math.log(from))),
);

/** Sigmas that are dense at both ends, as quantiles of a beta distribution. Lee et al. 2024, α = β = 0.6. */
export const betaSigmas = spaceSigmas(
  (share, from, to) => to + symmetricBetaQuantile(1 - share, 0.6) * (from - to),
);
