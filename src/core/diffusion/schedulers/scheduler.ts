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
