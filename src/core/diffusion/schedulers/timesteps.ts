import { roundHalfToEven } from '../../math/numeric.ts';
import { evenly } from './betas.ts';
import type { ConfigReader } from './config.ts';

export const timestepSpacings = ['linspace', 'leading', 'trailing'] as const;

/** Spacing of a generation's timesteps among the training's. Lin et al. 2023, table 2. */
type TimestepSpacing = (typeof timestepSpacings)[number];

interface SpacingOptions {
  readonly trainSteps: number;
  readonly steps: number;
  /** Added to `leading` timesteps. */
  readonly offset: number;
}

/** Timesteps from noisy to clean. */
export function spaceTimesteps(
  spacing: TimestepSpacing,
  { trainSteps, steps, offset }: SpacingOptions,
): number[] {
  switch (spacing) {
    case 'linspace':
      return evenly(0, trainSteps - 1, steps).toReversed();
    case 'leading': {
      const ratio = Math.floor(trainSteps / steps);
      return Array.from({ length: steps }, (_, index) => (steps - 1 - index) * ratio + offset);
    }
    case 'trailing':
      return trailingTimesteps(trainSteps, trainSteps / steps);
  }
}

/** From the noisiest down, with the last bits of numpy's `arange`, whose stride is the difference of its first two values. */
export function trailingTimesteps(noisiest: number, ratio: number): number[] {
  const stride = noisiest - (noisiest - ratio);
  const count = Math.ceil(noisiest / ratio);
  return Array.from({ length: count }, (_, index) => roundHalfToEven(noisiest - index * stride) - 1);
}

/** A model's integer timesteps, from the noisiest down, with the config's spacing. */
export function readTimesteps(config: ConfigReader, trainSteps: number, steps: number): number[] {
  const spacing = config.choice('timestep_spacing', timestepSpacings, 'leading');
  return spaceTimesteps(spacing, { trainSteps, steps, offset: config.number('steps_offset', 0) }).map(
    roundHalfToEven,
  );
}

/**
 * Timesteps of a model that was distilled to `original_inference_steps`: evenly spaced among these, from the noisiest down.
 */
export function readDistilledTimesteps(config: ConfigReader, trainSteps: number, steps: number): number[] {
  const distilled = config.number('original_inference_steps', 50);
  if (steps > distilled) throw new RangeError(`steps: expected at most ${distilled}, got ${steps}`);
  const stride = Math.floor(trainSteps / distilled);
  return Array.from(
    { length: steps },
    (_, index) => (distilled - Math.floor((index * distilled) / steps)) * stride - 1,
  );
}
