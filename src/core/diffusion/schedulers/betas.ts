import type { ConfigReader } from './config.ts';

export const betaSchedules = ['linear', 'scaled_linear', 'squaredcos_cap_v2'] as const;
type BetaSchedule = (typeof betaSchedules)[number];

/** Default β of configs for latent images. */
export const latentBetaRange = [0.00085, 0.012] as const;

/** The minimum product of a schedule that ends in pure noise, 2⁻²⁴, which keeps every sigma finite. */
const almostNothing = 2 ** -24;

/**
 * Fraction of the image at each training timestep: the product of 1 − β up to it. In single precision, as in training:
 * its last bits decide on which side of a timestep a sigma is.
 */
export function cumulativeAlphas(
  config: ConfigReader,
  {
    keepFinite,
    betaRange = [0.0001, 0.02],
    betaSchedule = 'linear',
  }: { keepFinite: boolean; betaRange?: BetaRange | undefined; betaSchedule?: BetaSchedule },
): Float64Array {
  const betas = readBetas(config, betaRange, betaSchedule).map(Math.fround);
  const products = new Float64Array(betas.length);
  let product = 1;
  betas.forEach((beta, step) => {
    product *= Math.fround(1 - beta);
    products[step] = Math.fround(product);
  });
  if (!config.flag('rescale_betas_zero_snr', false)) return products;
  const rescaled = rescaleToZeroTerminal(products);
  if (keepFinite) rescaled[rescaled.length - 1] = almostNothing;
  return rescaled;
}

/** `cumulativeAlphas` of a distilled model, with the default β of latent images. */
export function distilledAlphas(config: ConfigReader): Float64Array {
  return cumulativeAlphas(config, {
    keepFinite: false,
    betaRange: latentBetaRange,
    betaSchedule: 'scaled_linear',
  });
}

/** The first and the last β of the training. */
export type BetaRange = readonly [first: number, last: number];

function readBetas(
  config: ConfigReader,
  [first, last]: BetaRange,
  byDefault: BetaSchedule,
): readonly number[] {
  const trained = config.numbers('trained_betas');
  if (trained) return trained;
  const count = config.number('num_train_timesteps', 1000);
  if (!Number.isInteger(count) || count < 1 || count > 1_000_000)
    throw new RangeError(`num_train_timesteps: expected an integer from 1 to 1000000, got ${count}`);
  const start = config.number('beta_start', first);
  const end = config.number('beta_end', last);
  switch (config.choice('beta_schedule', betaSchedules, byDefault)) {
    case 'linear':
      return evenlySingle(start, end, count);
    case 'scaled_linear':
      return evenlySingle(Math.sqrt(start), Math.sqrt(end), count).map((root) => root * root);
    case 'squaredcos_cap_v2':
      return Array.from({ length: count }, (_, step) =>
        Math.min(1 - cosineAlpha((step + 1) / count) / cosineAlpha(step / count), 0.999),
      );
  }
}

/** Nichol and Dhariwal 2021, equation 17. */
function cosineAlpha(time: number): number {
  return Math.cos((((time + 0.008) / 1.008) * Math.PI) / 2) ** 2;
}

/** Shifts and scales the square roots so that the last timestep is pure noise. Lin et al. 2023, algorithm 1. */
function rescaleToZeroTerminal(products: Float64Array): Float64Array {
  const first = Math.sqrt(products[0]!);
  const last = Math.sqrt(products.at(-1)!);
  return products.map((product) => (((Math.sqrt(product) - last) * first) / (first - last)) ** 2);
}

/** Like `evenly`, with the last bits of torch's `linspace` in single precision, which works from both ends. */
function evenlySingle(start: number, end: number, count: number): number[] {
  const [first, last] = [Math.fround(start), Math.fround(end)];
  if (count === 1) return [first];
  const stride = Math.fround(Math.fround(last - first) / (count - 1));
  return Array.from({ length: count }, (_, index) =>
    Math.fround(2 * index < count ? first + stride * index : last - stride * (count - 1 - index)),
  );
}

/** `count` numbers from `start` to `end`, inclusive, with the last bits of numpy's `linspace`. */
export function evenly(start: number, end: number, count: number): number[] {
  if (count === 1) return [start];
  const stride = (end - start) / (count - 1);
  return Array.from({ length: count }, (_, index) => (index === count - 1 ? end : start + index * stride));
}
