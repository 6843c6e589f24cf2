/** A model of the package `@slashv1/tiny-models`: a real architecture with toy knowledge. */
export interface BundledModel {
  readonly category: string;
  /** Describes everything that the model knows, for people who try it. */
  readonly description: string;
  /** `source` of an equivalent real model, for `slashv1 serve --model`. */
  readonly replacement: string;
}

/** The bundled models by name. */
const bundledModels = {
  'tiny-chat': {
    category: 'chat',
    description: 'Knows greetings, scenes of colored shapes, small sums and the tools it is offered.',
    replacement: 'qwen3-0.6b',
  },
  'tiny-detect': {
    category: 'detection',
    description: 'Finds drawn circles, squares, triangles, diamonds, crosses and stars in ten colors.',
    replacement: 'dfine-s',
  },
  'tiny-embed': {
    category: 'embedding',
    description: 'Compares sentences about colored shapes, sums, weather, time, names and greetings.',
    replacement: 'all-MiniLM-L6-v2',
  },
  'tiny-image': {
    category: 'image',
    description: 'Draws one to four colored shapes.',
    replacement: 'stable-diffusion-v1-4',
  },
  'tiny-rerank': {
    category: 'rerank',
    description: 'Ranks sentences about colored shapes, sums, weather, time, names and greetings.',
    replacement: 'ms-marco-MiniLM-L6-v2',
  },
  'tiny-speech': {
    category: 'speech',
    description: 'Speaks English in synthetic voices.',
    replacement: 'kokoro-82m',
  },
  'tiny-vision': {
    category: 'chat',
    description: 'Describes drawings of one to four colored shapes.',
    replacement: 'HuggingFaceTB/SmolVLM-256M-Instruct',
  },
  'tiny-whisper': {
    category: 'transcription',
    description: 'Writes down synthetic voices that speak of colored shapes, sums, weather and greetings.',
    replacement: 'whisper-base',
  },
} as const satisfies Readonly<Record<string, BundledModel>>;

export const bundledModelNames: readonly string[] = Object.keys(bundledModels);

export function findBundledModel(name: string): BundledModel | undefined {
  return Object.hasOwn(bundledModels, name) ? bundledModels[name as keyof typeof bundledModels] : undefined;
}
