import type { ModelSpec } from '../../../../contracts/model.ts';
import type { SessionBackend } from '../../../../contracts/sessions.ts';
import { createGaussianNoise } from '../../../../core/diffusion/gaussian-noise.ts';
import { guideInPlace } from '../../../../core/diffusion/guidance.ts';
import { createScheduler } from '../../../../core/diffusion/schedulers/create-scheduler.ts';
import type { NoiseSource, Scheduler } from '../../../../core/diffusion/schedulers/scheduler.ts';
import type { Size } from '../../../../core/vision/box.ts';
import { fieldError, orThrow } from '../../../../errors.ts';
import { locateModel } from '../../../../folder/source.ts';
import type { PaintedPixels, PaintedStep, Painter, PaintOptions } from '../../painter.ts';
import { imageParameters } from '../../parameters.ts';
import type { ImageRequest } from '../../request.ts';
import type { ImageSettings } from '../../settings.ts';
import { NoiseAhead } from './noise-ahead.ts';
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
  encodePrompts,
  joinFeatures,
  joinPadded,
  joinSingle,
  maxPromptTokens,
  type JoinTexts,
  type Prompt,
} from './prompt-encoder.ts';
import { createTextEncoder, type TextEncoder } from './text-encoder.ts';
import { releaseOnFailure } from '../../../../concurrency/release-on-failure.ts';

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
      throw fieldError(name, `the model supports only ${built * factor}, got ${pixels}`);
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
  /** Receives the latents of each image. */
  readonly onLatents?: ((latents: Float32Array) => void) | undefined;
}

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
    const isDistilled = spec.isDistilled ?? seemsDistilled(folder.index, spec.source);
    const { takesGuidance } = denoiser;
    return {
      contextLength: maxPromptTokens(encoders),
      created: folder.created,
      async prepare(request, options) {
        const { guidanceScale } = request;
        const { inTurn, signal } = options;
        const guidance = planGuidance(request, { isDistilled, takesGuidance });
        const size = toLatentSize(request, denoiser, decoder);
        const prompts = promptsOf(request, guidance, denoiser, folder);
        const join = joinOf(denoiser, folder);
        const conditionings = await inTurn(() => encodePrompts(encoders, join, prompts, { signal }));
        const task = { conditionings, latents: size, image: request, guidanceScale, signal };
        const drawing = { size, predict: denoiser.prepare(task), denoiser, decoder, folder, internals };
        return {
          scheduler: String(folder.scheduler['_class_name']),
          guidanceScale: guidance === 'none' ? 1 : guidanceScale,
          draw: (seed) => draw(request, seed, drawing, options),
        };
      },
      async release() {
        for (const part of [denoiser, decoder, ...encoders]) await part.release();
      },
    };
  });
}

function promptsOf(
  { prompt, negativePrompt }: ImageRequest,
  guidance: Guidance,
  { family }: Denoiser,
  { index }: DiffusionFolder,
): Prompt[] {
  const prompted = { param: 'prompt', text: prompt, isZero: false };
  if (guidance !== 'classifier-free') return [prompted];
  const zeroes = family === 'features' && index['force_zeros_for_empty_prompt'] !== false;
  const isZero = zeroes && negativePrompt === '';
  return [prompted, { param: 'negative_prompt', text: negativePrompt, isZero }];
}

interface Drawing {
  readonly size: Size;
  readonly predict: Predict;
  readonly denoiser: Denoiser;
  readonly decoder: LatentDecoder;
  readonly folder: DiffusionFolder;
  readonly internals: DiffusionInternals;
}

async function* draw(
  request: ImageRequest,
  seed: number,
  { size, predict, denoiser, decoder, folder, internals }: Drawing,
  options: PaintOptions,
): AsyncGenerator<PaintedStep | PaintedPixels> {
  const { createNoise = createGaussianNoise, onLatents } = internals;
  const scheduler = schedulerFor(request, folder, size, denoiser.patchSize);
  const steps = scheduler.timesteps.length;
  const latents = new Float32Array(denoiser.channels * size.width * size.height);
  const sample = new Float32Array(latents.length);
  const noise = new NoiseAhead(createNoise(seed), latents.length);
  noise.draw(latents);
  scaleInto(latents, latents, scheduler.initialNoiseScale);
  for (const [step, timestep] of scheduler.timesteps.entries()) {
    scaleInto(sample, latents, scheduler.inputScale(step));
    const isLast = step === steps - 1;
    const [[prompted, unprompted]] = await options.inTurn(() =>
      Promise.all([predict(sample, timestep), isLast ? undefined : noise.drawAhead()]),
    );
    if (unprompted) guideInPlace(prompted!, unprompted, request.guidanceScale);
    const denoised = scheduler.step(step, latents, prompted!, noise.draw);
    const preview = request.previews ? await decoder.preview(denoised, size, options) : undefined;
    yield { step: step + 1, steps, ...(preview ? { preview } : {}) };
  }
  onLatents?.(latents);
  yield { pixels: await decoder.decode(latents, size, options) };
}

function joinOf({ family }: Denoiser, { denoiser }: DiffusionFolder): JoinTexts {
  if (family === 'single') return joinSingle;
  if (family === 'features') return joinFeatures;
  return (texts) => joinPadded(texts, Number(denoiser.config['joint_attention_dim'] ?? 4096));
}

/** @throws InferenceError `invalid_request` for unsupported settings, before the first request */
function assertScheduler({ scheduler }: DiffusionFolder): void {
  const defaults = { steps: imageParameters.numInferenceSteps.default, imageTokens: 1024 };
  orThrow(
    () => createScheduler(scheduler, defaults),
    (error) => misfit('scheduler', error.message, error),
  );
}

function schedulerFor(
  { numInferenceSteps: steps }: ImageRequest,
  { scheduler }: DiffusionFolder,
  { width, height }: Size,
  patchSize: number,
): Scheduler {
  const imageTokens = (width / patchSize) * (height / patchSize);
  return orThrow(
    () => createScheduler(scheduler, { steps, imageTokens }),
    (error) => {
      const reason = error.message.replace(/^steps: /, '');
      return fieldError('num_inference_steps', reason, { cause: error });
    },
  );
}
