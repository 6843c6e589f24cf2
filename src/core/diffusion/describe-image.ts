import { assertCount, assertObject, assertSize, assertText, assertWithin } from '../assert-values.ts';
/** The parameters of a generated image. */
export interface ImageDescription {
  readonly prompt: string;
  readonly negativePrompt: string;
  readonly steps: number;
  /** Class name, such as `EulerDiscreteScheduler`. */
  readonly scheduler: string;
  readonly guidanceScale: number;
  readonly seed: number;
  readonly width: number;
  readonly height: number;
  readonly model: string;
}

/**
 * Describes how an image was generated, in the format of the PNG text `parameters` that Stable Diffusion tools read.
 *
 * @example
 * ```ts
 * const request = { prompt: 'a red circle', negativePrompt: 'blue', width: 512, height: 512, model: 'painter' };
 * describeImage({ ...request, steps: 4, scheduler: 'EulerDiscreteScheduler', guidanceScale: 7.5, seed: 42 });
 * // 'a red circle\n' +
 * // 'Negative prompt: blue\n' +
 * // 'Steps: 4, Sampler: EulerDiscreteScheduler, CFG scale: 7.5, Seed: 42, Size: 512x512, Model: painter'
 * ```
 */
export function describeImage(image: ImageDescription): string {
  assertObject('image', image);
  for (const name of ['prompt', 'negativePrompt', 'scheduler', 'model'] as const)
    assertText(name, image[name]);
  assertCount('steps', image.steps, { min: 1 });
  assertCount('seed', image.seed);
  assertWithin('guidanceScale', image.guidanceScale);
  assertSize('image', image);
  const settings = {
    Steps: image.steps,
    Sampler: image.scheduler,
    'CFG scale': image.guidanceScale,
    Seed: image.seed,
    Size: `${image.width}x${image.height}`,
    Model: quoted(image.model),
  };
  const lines = [image.prompt];
  if (image.negativePrompt !== '') lines.push(`Negative prompt: ${image.negativePrompt}`);
  const listed = Object.entries(settings).map(([name, value]) => `${name}: ${value}`);
  return [...lines, listed.join(', ')].join('\n');
}

function quoted(text: string): string {
  return /[,:\n]/.test(text) ? JSON.stringify(text) : text;
}
