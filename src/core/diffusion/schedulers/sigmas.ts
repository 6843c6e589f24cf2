import { symmetricBetaQuantile } from '../../math/beta-quantile.ts';
import { evenly } from './betas.ts';

/** Noise over signal at each of the training's timesteps. */
export function trainingSigmas(cumulativeAlphas: Float64Array): Float64Array {
  return cumulativeAlphas.map((alpha) => Math.sqrt((1 - alpha) / alpha));
}

/** Sigma at a timestep, linearly between those of the training. */
export function sigmaAt(timestep: number, sigmas: Float64Array): number {
  const last = sigmas.length - 1;
  const clamped = Math.min(Math.max(timestep, 0), last);
  const low = Math.min(Math.floor(clamped), Math.max(last - 1, 0));
  const high = Math.min(low + 1, last);
  return sigmas[low]! + (sigmas[high]! - sigmas[low]!) * (clamped - low);
}

/** The timestep at which the training had this sigma, between two of them where need be. */
export function timestepOf(sigma: number, sigmas: Float64Array): number {
  const logarithm = Math.log(Math.max(sigma, 1e-10));
  let low = 0;
  while (low < sigmas.length - 2 && Math.log(sigmas[low + 1]!) <= logarithm) low++;
  const from = Math.log(sigmas[low]!);
  const to = Math.log(sigmas[low + 1]!);
  const weight = Math.min(Math.max((from - logarithm) / (from - to), 0), 1);
  return low + weight;
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

/** Sigmas that crowd at both ends, as quantiles of a beta distribution. Lee et al. 2024, α = β = 0.6. */
export function betaSigmas(from: number, to: number, count: number): number[] {
  return evenly(0, 1, count).map((share) => to + symmetricBetaQuantile(1 - share, 0.6) * (from - to));
}
