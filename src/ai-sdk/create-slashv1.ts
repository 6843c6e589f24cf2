import {
  NoSuchModelError,
  type EmbeddingModelV4,
  type ImageModelV4,
  type LanguageModelV4,
  type ProviderV4,
  type RerankingModelV4,
  type SpeechModelV4,
  type TranscriptionModelV4,
} from '@ai-sdk/provider';
import type { Category } from '../categories/registry.ts';
import { assertNames } from '../core/assert-names.ts';
import type { Inference } from '../inference.ts';
import type { Host, Slashv1Options } from './call.ts';
import { createEmbeddingModel } from './embedding-model.ts';
import { createImageModel } from './image-model.ts';
import { createLanguageModel } from './language-model.ts';
import { createRerankingModel } from './reranking-model.ts';
import { createSpeechModel } from './speech-model.ts';
import { createTranscriptionModel } from './transcription-model.ts';

/**
 * The models of an inference for functions of the AI SDK. Called like a function, it gives a language model.
 *
 * Each method throws `NoSuchModelError` for an id that the inference doesn't have, or has for a model of another category.
 */
export interface Slashv1Provider extends ProviderV4 {
  (modelId: string): LanguageModelV4;
  languageModel(modelId: string): LanguageModelV4;
  embeddingModel(modelId: string): EmbeddingModelV4;
  imageModel(modelId: string): ImageModelV4;
  transcriptionModel(modelId: string): TranscriptionModelV4;
  speechModel(modelId: string): SpeechModelV4;
  rerankingModel(modelId: string): RerankingModelV4;
}

type ModelType = ConstructorParameters<typeof NoSuchModelError>[0]['modelType'];

/**
 * Makes the provider of an inference: its models run in this service, without HTTP.
 *
 * @param inference the models
 * @param options of all calls; by `owner`, the provider of one of several users
 * @returns a `ProviderV4` of the AI SDK, version 7
 * @throws TypeError for an option that doesn't exist
 *
 * @example
 * ```ts
 * const slashv1 = createSlashv1(createFakeInference({ models: ['tiny-chat'] }));
 * slashv1('tiny-chat').provider; // 'slashv1.chat'
 * ```
 */
export function createSlashv1(
  inference: Pick<Inference, 'run' | 'models'>,
  options: Slashv1Options = {},
): Slashv1Provider {
  assertNames('createSlashv1', options, ['owner', 'sharesPrefixes', 'deadlineMs', 'origin']);
  const of =
    <C extends Category, Model>(category: C, modelType: ModelType, create: (host: Host<C>) => Model) =>
    (modelId: string): Model => {
      const model = inference.models().find(({ id }) => id === modelId);
      // Some models show their category when they are loaded.
      if (model?.category !== category && model?.category !== 'unknown') {
        throw new NoSuchModelError({ modelId, modelType });
      }
      return create({ inference, options, category, modelId });
    };
  const languageModel = of('chat', 'languageModel', createLanguageModel);
  return Object.assign((modelId: string) => languageModel(modelId), {
    specificationVersion: 'v4' as const,
    languageModel,
    embeddingModel: of('embedding', 'embeddingModel', createEmbeddingModel),
    imageModel: of('image', 'imageModel', createImageModel),
    transcriptionModel: of('transcription', 'transcriptionModel', createTranscriptionModel),
    speechModel: of('speech', 'speechModel', createSpeechModel),
    rerankingModel: of('rerank', 'rerankingModel', createRerankingModel),
  });
}
