import { symmetricBetaQuantile } from '../../math/beta-quantile.ts';
import { evenly } from './betas.ts';

/** Noise over signal at each of the training's timesteps, in single precision. */
export function trainingSigmas(cumulativeAlphas: Float64Array): Float64Array {
  return cumulativeAlphas.map((alpha) => Math.fround(Math.sqrt(Math.fround(Math.fround(1 - alpha) / alpha))));
}

/** Sigma at a timestep, linearly between those of the training. */
export function sigmaAt(timestep: number, sigmas: Float64Array): number {
  const last = sigmas.length - 1;
  const clamped = Math.min(Math.max(timestep, 0), last);
  const low = Math.min(Math.floor(clamped), Math.max(last - 1, 0));
  const high = Math.min(low + 1, last);
  return sigmas[low]! + (sigmas[high]! - sigmas[low]!) * (clamped - low);
}

/**
 * The timestep at which the training had this sigma, between two of them where need be. The training's logarithms are of
 * single precision, as in the reference: its largest sigma may so lie just below the last timestep.
 */
export function timestepOf(sigma: number, sigmas: Float64Array): number {
  const logarithm = Math.log(Math.max(sigma, 1e-10));
  let low = 0;
  const logarithmAt = (index: number): number => Math.fround(Math.log(sigmas[index]!));
  while (low < sigmas.length - 2 && logarithmAt(low + 1) <= logarithm) low++;
  const from = logarithmAt(low);
  const weight = (from - logarithm) / Math.fround(from - logarithmAt(low + 1));
  return low + Math.min(Math.max(weight, 0), 1);
}

/** Sigmas that crowd where they are small. Karras et al. 2022, equation 5, ρ = 7. */
export function karrasSigmas(from: number, to: number, count: number): number[] {
  const rho = 7;
  return evenly(0, 1, count).map(
    (ramp) => (from ** (1 / rho) + ramp * (to ** (1 / rho) - from ** (1 / rho))) ** rho,
  );
}

/** Sigmas whose logarithms lie evenly. */
export function exponentialSigmas(from: number, to: number, count: number): number[] {
  return evenly(Math.log(from), Math.log(to), count).map(Math.exp);
}

/** As {@link exponentialSigmas}, from logarithms of single precision. */
export function luSigmas(from: number, to: number, count: number): number[] {
  return evenly(Math.fround(Math.log(from)), Math.fround(Math.log(to)), count).map(Math.exp);
}

/** Sigmas that crowd at both ends, as quantiles of a beta distribution. Lee et al. 2024, α = β = 0.6. */
export function betaSigmas(from: number, to: number, count: number): number[] {
  return evenly(0, 1, count).map((share) => to + symmetricBetaQuantile(1 - share, 0.6) * (from - to));
}
