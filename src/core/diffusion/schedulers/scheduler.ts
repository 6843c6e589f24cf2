/** Fills a buffer with numbers of a standard normal distribution. */
export type NoiseSource = (out: Float32Array) => void;

/** How a diffusion model's outputs turn noise into a latent image, step by step. It holds the state of one image. */
export interface Scheduler {
  /** What the model is told at each step; their count can differ from the steps that were asked for. */
  readonly timesteps: readonly number[];
  /** The first sample is noise times this. */
  readonly initialNoiseScale: number;
  /** What the model is fed at a step is the sample times this. */
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

/** What the outputs of a model are. */
export type PredictionType = 'epsilon' | 'v_prediction' | 'sample';

export const predictionTypes = ['epsilon', 'v_prediction', 'sample'] as const;
