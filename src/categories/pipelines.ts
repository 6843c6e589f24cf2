import type { LoadOverSessions } from '../contracts/backend.ts';
import type { Category } from './registry.ts';

/** The worker's side of all categories, one line each; imported late, since pipelines load native code. */
export const pipelines: Readonly<Record<Category, () => Promise<LoadOverSessions>>> = {
  chat: async () => (await import('./chat/pipeline/chat-pipeline.ts')).loadChatPipeline,
  detection: async () => (await import('./detection/pipeline/detection-pipeline.ts')).loadDetectionPipeline,
  embedding: async () => (await import('./embedding/pipeline/embedding-pipeline.ts')).loadEmbeddingPipeline,
  image: async () => (await import('./image/pipeline/image-pipeline.ts')).loadImagePipeline,
  rerank: async () => (await import('./rerank/pipeline/rerank-pipeline.ts')).loadRerankPipeline,
  speech: async () => (await import('./speech/pipeline/speech-pipeline.ts')).loadSpeechPipeline,
  transcription: async () =>
    (await import('./transcription/pipeline/transcription-pipeline.ts')).loadTranscriptionPipeline,
};
