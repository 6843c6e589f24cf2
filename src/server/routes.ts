import { audioSpeech } from '../categories/speech/wire/endpoint.ts';
import { audioTranscriptions } from '../categories/transcription/wire/endpoint.ts';
import { audioVoices } from '../categories/speech/wire/voices-endpoint.ts';
import { chatCompletions } from '../categories/chat/wire/endpoint.ts';
import { detect } from '../categories/detection/wire/endpoint.ts';
import { embeddings } from '../categories/embedding/wire/endpoint.ts';
import { imageGenerations } from '../categories/image/wire/endpoint.ts';
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
