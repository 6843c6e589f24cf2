import type { Category, ModelSpec, Pipeline } from './contract.ts';
import { loadChatPipeline } from './chat/chat-pipeline.ts';
import { loadDetectionPipeline } from './detection/detection-pipeline.ts';
import { loadEmbeddingPipeline } from './embedding/embedding-pipeline.ts';
import { loadImagePipeline } from './image/image-pipeline.ts';
import { loadSpeechPipeline } from './speech/speech-pipeline.ts';
import { loadTranscriptionPipeline } from './transcription/transcription-pipeline.ts';

/**
 * Loads a model into this process.
 *
 * @throws InferenceError `invalid_request` when its files are missing or don't fit its category
 */
export async function loadPipeline<C extends Category>(spec: ModelSpec<C>): Promise<Pipeline<C>> {
  return loaders[spec.category](spec);
}

const loaders: { [C in Category]: (spec: ModelSpec<C>) => Promise<Pipeline<C>> } = {
  chat: loadChatPipeline,
  detection: loadDetectionPipeline,
  embedding: loadEmbeddingPipeline,
  image: loadImagePipeline,
  speech: loadSpeechPipeline,
  transcription: loadTranscriptionPipeline,
};
