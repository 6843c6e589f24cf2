import type { Limiter } from '../../../../concurrency/limit-concurrency.ts';
import type { ModelSpec } from '../../../../contracts/model.ts';
import type { SessionBackend } from '../../../../contracts/sessions.ts';
import { createGaussianNoise } from '../../../../core/diffusion/gaussian-noise.ts';
import { guideInPlace } from '../../../../core/diffusion/guidance.ts';
import { createScheduler } from '../../../../core/diffusion/schedulers/create-scheduler.ts';
import type { NoiseSource, Scheduler } from '../../../../core/diffusion/schedulers/scheduler.ts';
import type { Size } from '../../../../core/vision/box.ts';
import { fieldError } from '../../../../errors.ts';
import { locateModel } from '../../../../folder/source.ts';
import type { PaintedPixels, PaintedStep, Painter, Painting, PaintOptions } from '../../painter.ts';
import { imageParameters } from '../../parameters.ts';
import type { ImageRequest } from '../../request.ts';
import type { ImageSettings } from '../../settings.ts';
import { createDenoiser, type Denoiser, type Predict } from './denoiser.ts';
import {
  misfit,
  openDiffusionFolder,
  type DiffusionComponent,
  type DiffusionFolder,
} from './diffusion-folder.ts';
import { planGuidance, seemsDistilled, type Guidance } from './guidance.ts';
import { createLatentDecoder, type LatentDecoder, type LatentDecoderOptions } from './latent-decoder.ts';
import {
  createPromptEncoder,
  joinFeatures,
  joinPadded,
  joinSingle,
  maxPromptTokens,
  type Conditioning,
  type JoinTexts,
} from './prompt-encoder.ts';
import { createTextEncoder, type TextEncoder } from './text-encoder.ts';
import { releaseOnFailure } from '../../../../concurrency/release-on-failure.ts';

interface DenoiseOptions {
  readonly predict: Predict;
  /** Scale of classifier-free guidance; without effect with one conditioning. */
  readonly guidanceScale: number;
  readonly scheduler: Scheduler;
  /** Makes the first sample, then what the scheduler adds. */
  readonly noise: NoiseSource;
  /** Runs each prediction; what it throws ends the work. */
  readonly inTurn: Limiter;
}

/**
 * Turns noise into latents.
 * @returns after each step, the latents without noise as they look by then, valid until the next
 */
async function* denoise(
  latents: Float32Array,
  { predict, guidanceScale, scheduler, noise, inTurn }: DenoiseOptions,
): AsyncGenerator<Float32Array> {
  const sample = new Float32Array(latents.length);
  noise(latents);
  scaleInto(latents, latents, scheduler.initialNoiseScale);
  for (const [step, timestep] of scheduler.timesteps.entries()) {
    scaleInto(sample, latents, scheduler.inputScale(step));
    const [prompted, unprompted] = await inTurn(() => predict(sample, timestep));
    if (unprompted) guideInPlace(prompted!, unprompted, guidanceScale);
    yield scheduler.step(step, latents, prompted!, noise);
  }
}

function scaleInto(out: Float32Array, values: Float32Array, factor: number): void {
  for (let index = 0; index < values.length; index++) out[index] = values[index]! * factor;
}

function toLatentSize(
  image: Size,
  { fixed, stride }: Pick<Denoiser, 'fixed' | 'stride'>,
  { factor }: Pick<LatentDecoder, 'factor'>,
): Size {
  const side = (name: 'width' | 'height'): number => {
    const pixels = image[name];
    const built = fixed[name];
    if (built !== undefined && pixels !== built * factor)
      throw fieldError(name, `the model makes only images of ${built * factor}, got ${pixels}`);
    const step = factor * (built === undefined ? stride : 1);
    if (pixels % step !== 0) throw fieldError(name, `expected a multiple of ${step}, got ${pixels}`);
    return pixels / factor;
  };
  return { width: side('width'), height: side('height') };
}

/** Replacements for tests. */
export interface DiffusionInternals extends LatentDecoderOptions {
  /** Default `createGaussianNoise`. */
  readonly createNoise?: ((seed: number) => NoiseSource) | undefined;
  /** Gets the latents of each image. */
  readonly onLatents?: ((latents: Float32Array) => void) | undefined;
}

/** Opens Stable Diffusion or a relative in diffusers' ONNX layout. */
export async function openStableDiffusion(
  spec: ModelSpec<ImageSettings>,
  backend: Pick<SessionBackend, 'hasGraphs' | 'openSession'>,
  internals: DiffusionInternals = {},
): Promise<Painter> {
  const { dtype } = spec;
  const { hasGraphs } = backend;
  const folder = await openDiffusionFolder(locateModel(spec.source), { dtype, hasGraphs });
  return releaseOnFailure(async (own) => {
    const open = async (component: DiffusionComponent) => own(await backend.openSession(component, spec));
    const denoiser = createDenoiser(await open(folder.denoiser), folder.denoiser);
    const encoders: TextEncoder[] = [];
    for (const [index, component] of folder.textEncoders.entries()) {
      encoders.push(
        createTextEncoder(await open(component), component.tokenizer, {
          name: component.name,
          isPenultimate: denoiser.family !== 'single',
          isPooled:
            denoiser.family === 'transformer' ||
            (denoiser.family === 'features' && index === folder.textEncoders.length - 1),
        }),
      );
    }
    const decoder = createLatentDecoder(await open(folder.decoder), folder.decoder, internals);
    assertScheduler(folder);
    return new DiffusionPainter({ spec, folder, internals, denoiser, encoders, decoder });
  });
}

interface LoadedModel {
  readonly spec: ModelSpec<ImageSettings>;
  readonly folder: DiffusionFolder;
  readonly internals: DiffusionInternals;
  readonly denoiser: Denoiser;
  readonly encoders: readonly TextEncoder[];
  readonly decoder: LatentDecoder;
}

class DiffusionPainter implements Painter {
  readonly contextLength: number;
  readonly created: number;
  readonly #model: LoadedModel;
  readonly #isDistilled: boolean;

  constructor(model: LoadedModel) {
    const { spec, folder, encoders } = model;
    this.#model = model;
    this.#isDistilled = spec.isDistilled ?? seemsDistilled(folder.index, spec.source);
    this.contextLength = maxPromptTokens(encoders);
    this.created = folder.created;
  }

  async prepare(request: ImageRequest, options: PaintOptions): Promise<Painting> {
    const { denoiser, decoder, folder } = this.#model;
    const { takesGuidance } = denoiser;
    const guidance = planGuidance(request, { isDistilled: this.#isDistilled, takesGuidance });
    const latents = toLatentSize(request, denoiser, decoder);
    const { inTurn, signal } = options;
    const conditionings = await inTurn(() => this.#encode(request, guidance, signal));
    const { guidanceScale } = request;
    const predict = denoiser.prepare({ conditionings, latents, image: request, guidanceScale, signal });
    return {
      scheduler: String(folder.scheduler['_class_name']),
      guidanceScale: guidance === 'none' ? 1 : guidanceScale,
      draw: (seed) => this.#draw(request, { seed, latents, predict }, options),
    };
  }

  async release(): Promise<void> {
    const { denoiser, encoders, decoder } = this.#model;
    for (const part of [denoiser, decoder, ...encoders]) await part.release();
  }

  #encode(
    request: ImageRequest,
    guidance: Guidance,
    signal: AbortSignal | undefined,
  ): Promise<Conditioning[]> {
    const { folder, denoiser, encoders } = this.#model;
    const prompts = [{ param: 'prompt', text: request.prompt, isZero: false }];
    if (guidance === 'classifier-free') {
      const text = request.negativePrompt;
      const zeroes = denoiser.family === 'features' && folder.index['force_zeros_for_empty_prompt'] !== false;
      prompts.push({ param: 'negative_prompt', text, isZero: zeroes && text === '' });
    }
    return createPromptEncoder(encoders, joinOf(denoiser, folder)).encode(prompts, { signal });
  }

  async *#draw(
    request: ImageRequest,
    { seed, latents: size, predict }: { seed: number; latents: Size; predict: Predict },
    options: PaintOptions,
  ): AsyncGenerator<PaintedStep | PaintedPixels> {
    const { folder, internals, denoiser, decoder } = this.#model;
    const { createNoise = createGaussianNoise, onLatents } = internals;
    const { guidanceScale, previews } = request;
    const { inTurn } = options;
    const scheduler = schedulerFor(request, folder, size, denoiser.patchSize);
    const latents = new Float32Array(denoiser.channels * size.width * size.height);
    const noise = createNoise(seed);
    const steps = scheduler.timesteps.length;
    let step = 0;
    for await (const denoised of denoise(latents, { predict, guidanceScale, scheduler, noise, inTurn })) {
      step += 1;
      const preview = previews ? await decoder.preview(denoised, size, options) : undefined;
      yield { step, steps, ...(preview ? { preview } : {}) };
    }
    onLatents?.(latents);
    yield { pixels: await decoder.decode(latents, size, options) };
  }
}

function joinOf({ family }: Denoiser, { denoiser }: DiffusionFolder): JoinTexts {
  if (family === 'single') return joinSingle;
  if (family === 'features') return joinFeatures;
  return (texts) => joinPadded(texts, Number(denoiser.config['joint_attention_dim'] ?? 4096));
}

/** @throws InferenceError `invalid_request` for settings that aren't supported, before the first request */
function assertScheduler({ scheduler }: DiffusionFolder): void {
  try {
    createScheduler(scheduler, { steps: imageParameters.numInferenceSteps.default, imageTokens: 1024 });
  } catch (error) {
    throw misfit('scheduler', (error as Error).message, error);
  }
}

function schedulerFor(
  { numInferenceSteps }: ImageRequest,
  { scheduler }: DiffusionFolder,
  { width, height }: Size,
  patchSize: number,
): Scheduler {
  try {
    const imageTokens = (width / patchSize) * (height / patchSize);
    return createScheduler(scheduler, { steps: numInferenceSteps, imageTokens });
  } catch (error) {
    const reason = (error as Error).message.replace(/^steps: /, '');
    throw fieldError('num_inference_steps', reason, { cause: error });
  }
}
