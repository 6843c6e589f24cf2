/** Fills a buffer with numbers of a standard normal distribution. */
export type NoiseSource = (out: Float32Array) => void;

/** Turns noise into a latent image, step by step, with the outputs of a diffusion model. It holds the state of one image. */
export interface Scheduler {
  /** Timesteps for the model, one for each step; their count can differ from the requested steps. */
  readonly timesteps: readonly number[];
  /** The first sample is noise times this. */
  readonly initialNoiseScale: number;
  /** Factor of the sample that the model gets at a step. */
  inputScale(step: number): number;
  /**
   * Takes a step; steps are taken in order, each once.
   *
   * @param sample the latents, replaced by those of the next step
   * @param output what the model predicted from them, of the same length; may be overwritten
   * @param noise asked by schedulers that add noise, once per step at most
   * @returns the latents without noise as they look by now, valid until the next step
   */
  step(step: number, sample: Float32Array, output: Float32Array, noise: NoiseSource): Float32Array;
}

/** The meaning of a model's outputs. */
export type PredictionType = 'epsilon' | 'v_prediction' | 'sample';

export const predictionTypes = ['epsilon', 'v_prediction', 'sample'] as const;

/** The buffers of a step, all of one length: the sample, what the model predicted from it, and the image it sees there. */
export type StepBuffers = Readonly<Record<'sample' | 'output' | 'denoised', Float32Array>>;

/** The parts that are a scheduler's own. */
export interface SchedulerSteps extends Pick<Scheduler, 'timesteps'> {
  /** Default 1. */
  readonly initialNoiseScale?: number;
  /** Standard deviation of the noise in the sample at a step: such samples are scaled for the model, others stay as they are. */
  readonly sigmaOf?: (step: number) => number;
  /** Writes the image that the model sees in a sample. */
  denoisedInto(out: Float32Array, sample: Float32Array, output: Float32Array, step: number): void;
  /** Replaces the sample by that of the next step. */
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

/** Fresh noise for a sample. */
export function drawNoise({ length }: Float32Array, noise: NoiseSource): Float32Array {
  const drawn = new Float32Array(length);
  noise(drawn);
  return drawn;
}
