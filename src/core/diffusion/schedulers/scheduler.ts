/** Fills a buffer with standard normal random numbers. */
export type NoiseSource = (out: Float32Array) => void;

/** Turns noise into a latent image step by step, using the outputs of a diffusion model. It holds the state of one image. */
export interface Scheduler {
  /** Timesteps for the model, one per step; their number can differ from the requested steps. */
  readonly timesteps: readonly number[];
  /** The first sample is noise times this. */
  readonly initialNoiseScale: number;
  /** Factor of the model's input at a step. */
  inputScale(step: number): number;
  /**
   * Takes a step. Every step must be taken once, in order.
   *
   * @param sample the latents; replaced by the next step's
   * @param output the model's prediction for them, of the same length; may be overwritten
   * @param noise used by schedulers that add noise, at most once per step
   * @returns the currently predicted latents without noise, valid until the next step
   */
  step(step: number, sample: Float32Array, output: Float32Array, noise: NoiseSource): Float32Array;
}

/** The meaning of a model's outputs. */
export type PredictionType = 'epsilon' | 'v_prediction' | 'sample';

export const predictionTypes = ['epsilon', 'v_prediction', 'sample'] as const;

/** The buffers of a step, all of equal length: the sample, the model's prediction for it, and the predicted image. */
export type StepBuffers = Readonly<Record<'sample' | 'output' | 'denoised', Float32Array>>;

/** The parts that differ between schedulers. */
export interface SchedulerSteps extends Pick<Scheduler, 'timesteps'> {
  /** Default 1. */
  readonly initialNoiseScale?: number;
  /** Standard deviation of a sample's noise at a step: the model's input is scaled by it; default: unscaled. */
  readonly sigmaOf?: (step: number) => number;
  /** Writes the predicted image for a sample. */
  denoisedInto(out: Float32Array, sample: Float32Array, output: Float32Array, step: number): void;
  /** Replaces the sample by the next step's. */
  move(step: number, buffers: StepBuffers, noise: NoiseSource): void;
}

export function defineScheduler(steps: SchedulerSteps): Scheduler {
  const { timesteps, initialNoiseScale = 1, sigmaOf } = steps;
  return {
    timesteps,
    initialNoiseScale,
    inputScale: (step) => (sigmaOf ? 1 / Math.hypot(sigmaOf(step), 1) : 1),
    step(step, sample, output, noise) {
      const denoised = new Float32Array(sample.length);
      steps.denoisedInto(denoised, sample, output, step);
      steps.move(step, { sample, output, denoised }, noise);
      return denoised;
    },
  };
}

export function drawNoise({ length }: Float32Array, noise: NoiseSource): Float32Array {
  const drawn = new Float32Array(length);
  noise(drawn);
  return drawn;
}
