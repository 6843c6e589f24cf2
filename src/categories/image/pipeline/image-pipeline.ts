import { randomInt } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import type { ImageSettings } from '../settings.ts';
import { describeImage } from '../../../core/diffusion/describe-image.ts';
import { createGaussianNoise } from '../../../core/diffusion/gaussian-noise.ts';
import { createScheduler } from '../../../core/diffusion/schedulers/create-scheduler.ts';
import type { NoiseSource, Scheduler } from '../../../core/diffusion/schedulers/scheduler.ts';
import { imageParameters } from '../parameters.ts';
import type { Size } from '../../../core/vision/box.ts';
import { addPngText } from '../../../core/vision/png-text.ts';
import { assertWanted, fieldError } from '../../../errors.ts';
import {
  openDiffusionFolder,
  type DiffusionComponent,
  type DiffusionFolder,
  misfit,
} from './diffusion-folder.ts';
import { locateModel } from '../../../models/source.ts';
import type { Session } from '../../../runtime/contract.ts';
import { encodePng } from '../../../runtime/image.ts';
import type { ImageEvent, ImageModelInfo } from '../events.ts';
import type { ImageRequest } from '../request.ts';
import type { ModelSpec } from '../../../contracts/model.ts';
import type { Pipeline } from '../../../contracts/category.ts';
import type { PipelineRunOptions } from '../../../contracts/run.ts';
import { seedOfImage } from '../request.ts';
import { limitConcurrency, type Limiter } from '../../../concurrency/limit-concurrency.ts';
import { OpenRuns } from '../../../concurrency/open-runs.ts';
import type { SessionBackend } from '../../../contracts/sessions.ts';
import { denoise } from './denoise.ts';
import { createDenoiser, type Denoiser, type Predict } from './denoiser.ts';
import { planGuidance, seemsDistilled, type Guidance } from './guidance.ts';
import { toLatentSize } from './latent-size.ts';
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

/** A step needs all the memory and all the cores that a model is given. */
const concurrency = 1;
/** Images of other owners that take turns with it, step by step. Between its steps one needs its latents and prompts alone. */
const reserve = 3;

/** Replacements for tests. */
export interface ImagePipelineInternals extends LatentDecoderOptions {
  readonly openSession: (component: DiffusionComponent) => Promise<Session>;
  /** Whether the graphs are on this disk; default true. */
  readonly hasGraphs?: boolean;
  /** Default `createGaussianNoise`. */
  readonly createNoise?: ((seed: number) => NoiseSource) | undefined;
  /** Gets the latents of each image. */
  readonly onLatents?: ((latents: Float32Array) => void) | undefined;
}

/**
 * Loads an image generation model: Stable Diffusion or a relative in diffusers' ONNX layout.
 *
 * @throws InferenceError `invalid_request` naming the file or setting that doesn't fit
 */
export async function loadImagePipeline(
  spec: ModelSpec<ImageSettings>,
  backend: SessionBackend,
): Promise<Pipeline<ImageRequest, ImageEvent, ImageModelInfo>> {
  const { maxPixels } = spec;
  if (maxPixels !== undefined && !(Number.isSafeInteger(maxPixels) && maxPixels >= 1)) {
    throw fieldError('maxPixels', `expected an integer of at least 1, got ${maxPixels}`);
  }
  return createImagePipeline(spec, {
    openSession: (component) => backend.openSession(component, spec),
    hasGraphs: backend.hasGraphs,
  });
}

/** `loadImagePipeline` with injectable parts, for tests. */
export async function createImagePipeline(
  spec: ModelSpec<ImageSettings>,
  internals: ImagePipelineInternals,
): Promise<Pipeline<ImageRequest, ImageEvent, ImageModelInfo>> {
  const folder = await openDiffusionFolder(locateModel(spec.source), {
    dtype: spec.dtype,
    hasGraphs: internals.hasGraphs ?? true,
  });
  const sessions: Session[] = [];
  const open = async (component: DiffusionComponent): Promise<Session> => {
    const session = await internals.openSession(component);
    sessions.push(session);
    return session;
  };
  try {
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
    return new ImagePipeline({ spec, folder, internals, denoiser, encoders, decoder });
  } catch (error) {
    for (const session of sessions) await session.release();
    throw error;
  }
}

interface LoadedModel {
  readonly spec: ModelSpec<ImageSettings>;
  readonly folder: DiffusionFolder;
  readonly internals: ImagePipelineInternals;
  readonly denoiser: Denoiser;
  readonly encoders: readonly TextEncoder[];
  readonly decoder: LatentDecoder;
}

/** One image of a request. */
interface Drawing {
  /** Counts from 0. */
  readonly image: number;
  readonly seed: number;
  readonly guidance: Guidance;
  readonly latentSize: Size;
  readonly predict: Predict;
  readonly inTurn: Limiter;
  readonly signal: AbortSignal | undefined;
}

class ImagePipeline implements Pipeline<ImageRequest, ImageEvent, ImageModelInfo> {
  readonly info: ImageModelInfo;
  readonly concurrency = concurrency;
  readonly reserve = reserve;
  readonly #model: LoadedModel;
  readonly #isDistilled: boolean;
  readonly #oneByOne: Limiter;
  readonly #runs = new OpenRuns();

  constructor(model: LoadedModel) {
    const { spec, folder, encoders, internals } = model;
    this.#model = model;
    // Servers have queues of their own.
    this.#oneByOne = limitConcurrency((internals.hasGraphs ?? true) ? 1 : Infinity);
    this.#isDistilled = spec.isDistilled ?? seemsDistilled(folder.index, spec.source);
    this.info = {
      id: spec.id,
      name: spec.name ?? spec.id,
      category: 'image',
      contextLength: maxPromptTokens(encoders),
      created: folder.created,
      ownedBy: 'slashv1',
    };
  }

  run(request: ImageRequest, options: PipelineRunOptions = {}): AsyncGenerator<ImageEvent> {
    return this.#runs.track(this.#run(request, options));
  }

  async close(): Promise<void> {
    await this.#runs.ended();
    const { denoiser, encoders, decoder } = this.#model;
    for (const part of [denoiser, decoder, ...encoders]) await part.release();
  }

  async *#run(request: ImageRequest, { signal, owner }: PipelineRunOptions): AsyncGenerator<ImageEvent> {
    const { spec, denoiser, decoder } = this.#model;
    const guidance = planGuidance(request, {
      isDistilled: this.#isDistilled,
      takesGuidance: denoiser.takesGuidance,
    });
    const latentSize = toLatentSize(request, denoiser, decoder, spec.maxPixels);
    const inTurn: Limiter = async (task) => {
      // News of a caller who has gone gets through.
      await setImmediate();
      assertWanted(signal);
      return this.#oneByOne(task, { signal, owner });
    };
    const conditionings = await inTurn(() => this.#encode(request, guidance, signal));
    const { guidanceScale, n } = request;
    const latents = latentSize;
    const predict = denoiser.prepare({ conditionings, latents, image: request, guidanceScale, signal });
    const firstSeed = request.seed ?? randomInt(imageParameters.seed.max);
    for (let image = 0; image < n; image++) {
      const drawing = {
        image,
        seed: seedOfImage(firstSeed, image),
        guidance,
        latentSize,
        predict,
        inTurn,
        signal,
      };
      yield* this.#draw(request, drawing);
    }
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

  async *#draw(request: ImageRequest, drawing: Drawing): AsyncGenerator<ImageEvent> {
    const { folder, internals, denoiser, decoder } = this.#model;
    const { createNoise = createGaussianNoise, onLatents } = internals;
    const { image, seed, guidance, latentSize, predict, inTurn, signal } = drawing;
    const { guidanceScale, numInferenceSteps, previews } = request;
    const scheduler = schedulerFor(request, folder, latentSize, denoiser.patchSize);
    const latents = new Float32Array(denoiser.channels * latentSize.width * latentSize.height);
    const noise = createNoise(seed);
    const steps = scheduler.timesteps.length;
    let step = 0;
    for await (const denoised of denoise(latents, { predict, guidanceScale, scheduler, noise, inTurn })) {
      step += 1;
      const preview = previews ? await decoder.preview(denoised, latentSize, { inTurn, signal }) : undefined;
      yield { type: 'image-step', image, step, steps, ...(preview ? { preview } : {}) };
    }
    onLatents?.(latents);
    const pixels = await decoder.decode(latents, latentSize, { inTurn, signal });
    const text = describeImage({
      ...request,
      seed,
      steps: numInferenceSteps,
      scheduler: String(folder.scheduler['_class_name']),
      guidanceScale: guidance === 'none' ? 1 : guidanceScale,
    });
    yield {
      type: 'image',
      image,
      png: addPngText(await encodePng(pixels, request), 'parameters', text),
      seed,
    };
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
