import { estimateTokens } from '../../core/text/estimate-tokens.ts';
import type { CallOptions } from '../../contracts/run.ts';
import type { CategoryDefinition } from '../../contracts/category.ts';
import { resultOf } from '../result-of.ts';
import type { EmbeddingEvent, EmbeddingModelInfo, EmbeddingResult } from './events.ts';
import { embeddingModels } from './models.ts';
import { embeddingParameters } from './parameters.ts';
import { completeEmbeddingRequest, type EmbeddingRequest, type EmbeddingRequestInput } from './request.ts';
import { embeddingSettings } from './settings.ts';
import { embeddingDescriptions } from './wire/bodies.ts';
import { embeddings } from './wire/endpoint.ts';

export interface EmbeddingMethods {
  embed(request: EmbeddingRequestInput, options?: CallOptions): Promise<EmbeddingResult>;
}

export const embeddingCategory: CategoryDefinition<
  'embedding',
  EmbeddingRequestInput,
  EmbeddingRequest,
  EmbeddingEvent,
  EmbeddingModelInfo,
  typeof embeddingSettings,
  EmbeddingMethods
> = {
  ...embeddingModels,
  parameters: embeddingParameters,
  settings: embeddingSettings,
  descriptions: embeddingDescriptions,
  endpoints: [embeddings],
  sample: { path: 'embeddings', body: { input: 'a red circle above a blue square' } },
  warmUp: { input: 'Hello.' },
  parameterBounds: ({ vectorSizes }) => (vectorSizes ? { dimensions: vectorSizes } : {}),
  methods: (run) => ({ embed: (request, options) => resultOf(run(request, options)) }),
  complete: completeEmbeddingRequest,
  estimateTokens({ input }) {
    const inputs = typeof input === 'string' || typeof input[0] === 'number' ? [input] : input;
    const tokens = (inputs as readonly (string | readonly number[])[]).reduce(
      (sum, one) => sum + (typeof one === 'string' ? estimateTokens(one) : one.length),
      0,
    );
    return { input: tokens, output: 0 };
  },
  estimateCost: ({ inputs }) => inputs.reduce((sum, { length }) => sum + length, 0),
  isOutput: () => true,
  tally({ embeddings: vectors, promptTokens }, { usage }) {
    usage.inputTokens = promptTokens;
    usage.vectors = vectors.length;
  },
  telemetry: {
    operation: 'embeddings',
    attributes: ({ dimensions }) => ({ 'gen_ai.embeddings.dimension.count': dimensions }),
  },
};
