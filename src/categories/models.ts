import type { LoadOverSessions } from '../contracts/backend.ts';
import type { CategoryModels } from '../contracts/category.ts';
import { chatModels } from './chat/models.ts';
import { detectionModels } from './detection/models.ts';
import { embeddingModels } from './embedding/models.ts';
import { imageModels } from './image/models.ts';
import { rerankModels } from './rerank/models.ts';
import { speechModels } from './speech/models.ts';
import { transcriptionModels } from './transcription/models.ts';

type Row = readonly [models: CategoryModels<string, never>, loader: () => Promise<LoadOverSessions>];

/**
 * Pipelines are imported lazily since they load native code. Without a configured category, the first that recognizes the files
 * is used, so encoders and causal language models, which more specific models contain, are last.
 */
const all: readonly Row[] = [
  [imageModels, async () => (await import('./image/pipeline/image-pipeline.ts')).loadImagePipeline],
  [
    transcriptionModels,
    async () =>
      (await import('./transcription/pipeline/transcription-pipeline.ts')).loadTranscriptionPipeline,
  ],
  [speechModels, async () => (await import('./speech/pipeline/speech-pipeline.ts')).loadSpeechPipeline],
  [
    detectionModels,
    async () => (await import('./detection/pipeline/detection-pipeline.ts')).loadDetectionPipeline,
  ],
  [rerankModels, async () => (await import('./rerank/pipeline/rerank-pipeline.ts')).loadRerankPipeline],
  [
    embeddingModels,
    async () => (await import('./embedding/pipeline/embedding-pipeline.ts')).loadEmbeddingPipeline,
  ],
  [chatModels, async () => (await import('./chat/pipeline/chat-pipeline.ts')).loadChatPipeline],
];

export const categoryModels: ReadonlyMap<string, CategoryModels> = new Map(
  all.map(([models]) => [models.name, models as CategoryModels]),
);

export const loaderOf = (category: string): Row[1] => all.find(([{ name }]) => name === category)![1];
