import { audioSpeech } from './endpoints/audio-speech.ts';
import { audioTranscriptions } from './endpoints/audio-transcriptions.ts';
import { audioVoices } from './endpoints/audio-voices.ts';
import { chatCompletions } from './endpoints/chat-completions.ts';
import { detect } from './endpoints/detect.ts';
import { embeddings } from './endpoints/embeddings.ts';
import { imageGenerations } from './endpoints/image-generations.ts';
import { getModel, getModelParameters, listModels } from './endpoints/models.ts';
import { createOpenApiRoute } from './endpoints/openapi.ts';
import type { Route } from './route.ts';

const endpoints: readonly Route[] = [
  chatCompletions,
  imageGenerations,
  audioTranscriptions,
  audioSpeech,
  audioVoices,
  detect,
  embeddings,
  listModels,
  getModelParameters,
  getModel,
];

/** Every endpoint below `/v1`. */
export const routes: readonly Route[] = [...endpoints, createOpenApiRoute(endpoints)];
