import type { CallOptions } from '../../contracts/run.ts';
import type { CategoryDefinition } from '../../contracts/category.ts';
import { writtenByUser } from '../telemetry-messages.ts';
import type { ImageEvent, ImageModelInfo } from './events.ts';
import { imageModels } from './models.ts';
import { imageParameters } from './parameters.ts';
import { completeImageRequest, type ImageRequest, type ImageRequestInput } from './request.ts';
import { imageSettings } from './settings.ts';
import { imageDescriptions } from './wire/schema.ts';
import { imageGenerations } from './wire/endpoint.ts';

export interface ImageMethods {
  /** Generates images from a text, with an event for every step. */
  image(request: ImageRequestInput, options?: CallOptions): AsyncIterable<ImageEvent>;
}

export const imageCategory: CategoryDefinition<
  'image',
  ImageRequestInput,
  ImageRequest,
  ImageEvent,
  ImageModelInfo,
  typeof imageSettings,
  ImageMethods
> = {
  ...imageModels,
  parameters: imageParameters,
  settings: imageSettings,
  descriptions: imageDescriptions,
  endpoints: [imageGenerations],
  sample: {
    path: 'images/generations',
    body: { prompt: 'a red circle above a blue square', size: '512x512' },
    pipe: `node -e 'const { readFileSync, writeFileSync } = require("fs"); writeFileSync("picture.png", JSON.parse(readFileSync(0)).data[0].b64_json, "base64")'`,
  },
  methods: (run) => ({ image: run }),
  complete: completeImageRequest,
  estimateCost: ({ n, numInferenceSteps, width, height }) => n * numInferenceSteps * width * height,
  isOutput: ({ type }) => type === 'image',
  tally({ type }, { usage }) {
    if (type === 'image') usage.images = (usage.images ?? 0) + 1;
  },
  telemetry: {
    operation: 'generate_content',
    attributes: ({ n, seed }) => ({
      'gen_ai.output.type': 'image',
      'gen_ai.request.seed': seed,
      'gen_ai.request.choice.count': n === 1 ? undefined : n,
    }),
    content: ({ prompt }) => writtenByUser(prompt),
  },
};
