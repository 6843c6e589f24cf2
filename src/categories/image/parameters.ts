import type { ParameterTable } from '../../core/parameters/descriptor.ts';

/** Every tunable parameter of an image generation request. */
export const imageParameters = {
  numInferenceSteps: {
    type: 'int',
    min: 1,
    max: 150,
    default: 4,
    step: 1,
    section: 'basic',
    description: 'Denoising steps; more steps usually raise quality and take longer.',
  },
  guidanceScale: {
    type: 'float',
    min: 1,
    max: 30,
    default: 7.5,
    step: 0.5,
    section: 'basic',
    description: 'Classifier-free guidance; higher follows the prompt more closely, 1 turns it off.',
  },
  negativePrompt: {
    type: 'string',
    default: '',
    section: 'basic',
    description: 'Things to avoid in the picture.',
  },
  width: {
    type: 'int',
    min: 256,
    max: 2048,
    default: 1024,
    step: 64,
    section: 'basic',
    description: 'Width in pixels, a multiple of 64.',
  },
  height: {
    type: 'int',
    min: 256,
    max: 2048,
    default: 1024,
    step: 64,
    section: 'basic',
    description: 'Height in pixels, a multiple of 64.',
  },
  seed: {
    type: 'int',
    min: 0,
    max: 2 ** 31,
    section: 'advanced',
    description:
      'The same seed and parameters give the same image; default: random. Image i of several uses seed + i, and wraps to 0 after the largest seed.',
  },
  n: {
    type: 'int',
    min: 1,
    max: 4,
    default: 1,
    step: 1,
    section: 'basic',
    description: 'Number of images.',
  },
} as const satisfies ParameterTable;

/** Max length of the prompt and of the negative prompt. */
export const maxImagePromptCharacters = 8192;

/** The seed of one of several images; wraps around after the max seed. */
export function seedOfImage(firstSeed: number, image: number): number {
  return (firstSeed + image) % (imageParameters.seed.max + 1);
}
