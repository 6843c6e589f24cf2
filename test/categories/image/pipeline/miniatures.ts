import type { ImageSettings } from '../../../../src/categories/image/settings.ts';
import { readFileSync } from 'node:fs';
import type { SchedulerConfig } from '../../../../src/core/diffusion/schedulers/config.ts';
import { createOnnxSession } from '../../../../src/runtime/onnx.ts';
import type { ImageEvent, ImageModelInfo } from '../../../../src/categories/image/events.ts';
import type { ImageRequest } from '../../../../src/categories/image/request.ts';
import type { ModelSpec } from '../../../../src/contracts/model.ts';
import type { Pipeline } from '../../../../src/contracts/category.ts';
import type { SessionBackend } from '../../../../src/contracts/sessions.ts';
import { stableDiffusion } from '../../../../src/categories/image/architectures/stable-diffusion/architecture.ts';
import {
  openStableDiffusion,
  type DiffusionInternals,
} from '../../../../src/categories/image/architectures/stable-diffusion/stable-diffusion.ts';
import { loadImagePipeline } from '../../../../src/categories/image/pipeline/image-pipeline.ts';

/** Folders that `miniatures/build.py` makes. */
export type Miniature = 'sd' | 'lcm' | 'sdxl' | 'sd3';

export interface GoldenCase extends Pick<
  ImageRequest,
  'prompt' | 'negativePrompt' | 'numInferenceSteps' | 'guidanceScale' | 'width' | 'height'
> {
  readonly title: string;
  readonly model: Miniature;
  readonly scheduler: SchedulerConfig;
  /** In the order in which it is drawn. */
  readonly noise: readonly number[];
  readonly latents: readonly number[];
  /** Base64 of red, green and blue. */
  readonly pixels: string;
}

const folder = new URL('miniatures/', import.meta.url);

/** What `miniatures/build.py` recorded. */
export const { cases } = JSON.parse(readFileSync(new URL('golden.json', folder), 'utf8')) as {
  cases: readonly GoldenCase[];
};

/** The parts of a model that tests replace. */
export interface Replacements extends DiffusionInternals, Partial<Pick<SessionBackend, 'openSession'>> {}

/** Opens a miniature in this process. */
export function openMiniature(
  name: Miniature,
  replacements: Replacements = {},
  spec: Partial<ModelSpec<ImageSettings>> = {},
): Promise<Pipeline<ImageRequest, ImageEvent, ImageModelInfo>> {
  return openPainter({ id: name, source: new URL(name, folder).pathname, ...spec }, replacements);
}

/** Opens a folder in this process. */
export function openPainter(
  spec: Omit<ModelSpec<ImageSettings>, 'category'>,
  { openSession = ({ graph }) => createOnnxSession(graph, { threads: 1 }), ...internals }: Replacements,
): Promise<Pipeline<ImageRequest, ImageEvent, ImageModelInfo>> {
  return loadImagePipeline(
    { ...spec, category: 'image' },
    { hasGraphs: true, openSession },
    { ...stableDiffusion, open: (one, sessions) => openStableDiffusion(one, sessions, internals) },
  );
}

/** A complete request; 64 × 64 pixels are fewer than the API allows. */
export function asking(request: Partial<ImageRequest> = {}): ImageRequest {
  return {
    model: 'miniature',
    prompt: 'a red circle',
    negativePrompt: '',
    numInferenceSteps: 2,
    guidanceScale: 5,
    width: 64,
    height: 64,
    seed: 1,
    n: 1,
    previews: false,
    ...request,
  };
}

export async function collect(events: AsyncIterable<ImageEvent>): Promise<ImageEvent[]> {
  const collected: ImageEvent[] = [];
  for await (const event of events) collected.push(event);
  return collected;
}
