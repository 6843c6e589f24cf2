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

/** Makes a room of buffers by name, which is allocated anew where the length changes. */
export function createBuffers<Name extends string>(
  ...names: readonly Name[]
): (length: number) => Readonly<Record<Name, Float32Array>> {
  let buffers: Record<string, Float32Array> = {};
  let allocated = -1;
  return (length) => {
    if (length !== allocated)
      buffers = Object.fromEntries(names.map((name) => [name, new Float32Array(length)]));
    allocated = length;
    return buffers as Record<Name, Float32Array>;
  };
}

/** Sizes of samples: those of image + σ · noise are scaled for the model, others stay as they are. */
export function defineScheduler(
  scheduler: Pick<Scheduler, 'timesteps' | 'step'> & {
    readonly initialNoiseScale?: number;
    /** Standard deviation of the noise in the sample at a step. */
    readonly sigmaOf?: (step: number) => number;
  },
): Scheduler {
  const { sigmaOf, initialNoiseScale = 1, ...rest } = scheduler;
  const inputScale = (step: number): number => (sigmaOf ? 1 / Math.hypot(sigmaOf(step), 1) : 1);
  return { ...rest, initialNoiseScale, inputScale };
}
