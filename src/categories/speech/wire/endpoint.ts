import { z } from 'zod';
import type { Endpoint, Route } from '../../../contracts/endpoint.ts';
import { toFrame } from '../../../http/sse.ts';
import type { SpeechEvent } from '../events.ts';
import type { SpeechRequestInput } from '../request.ts';
import { audioResponse } from './audio-response.ts';
import { fromSpeechRequest, type SpeechCall } from './from-request.ts';
import { speechAnswerSchema, speechEventSchema, speechRequestSchema } from './schema.ts';
import { toSpeechAnswer } from './to-answer.ts';
import { toSpeechStreamEvents } from './to-events.ts';
import { defaultVoice, toVoiceList, voiceListSchema } from './voices.ts';
import { jsonResponse } from '../../../http/responses.ts';

const audio = { name: 'Audio', schema: z.string().meta({ format: 'binary' }) };

/** `POST /audio/speech` */
export const audioSpeech: Endpoint<SpeechCall, SpeechRequestInput, SpeechEvent> = {
  method: 'POST',
  path: '/audio/speech',
  operationId: 'createSpeech',
  summary: 'Speak a text; the audio is sent as it is made.',
  requestBody: { name: 'SpeechRequest', schema: speechRequestSchema },
  responses: {
    'audio/wav': audio,
    'audio/pcm': audio,
    'audio/mpeg': audio,
    'audio/ogg': audio,
    'audio/aac': audio,
    'audio/flac': audio,
    'application/json': { name: 'SpeechAnswer', schema: speechAnswerSchema },
    'text/event-stream': { name: 'SpeechEvent', schema: speechEventSchema },
  },
  errors: ['unsupported_feature'],
  read: fromSpeechRequest,
  async answer(run, { request, streamFormat }) {
    const asked = { voice: defaultVoice(run.model), ...request, model: run.model.id };
    if (streamFormat === 'audio') return audioResponse(run, await run.open(asked));
    if (streamFormat === 'json') {
      const words = request.wordTimestamps === true;
      return jsonResponse(200, toSpeechAnswer(await run.collect(asked), { words }));
    }
    return run.stream(asked, (event) => toSpeechStreamEvents(event).map(toFrame).join(''));
  },
};

/** `GET /audio/voices` */
export const audioVoices: Route = {
  method: 'GET',
  path: '/audio/voices',
  operationId: 'listVoices',
  summary: 'The voices of the speech models.',
  queryParameters: { model: 'Id of a speech model; default: all.' },
  responses: { 'application/json': { name: 'VoiceList', schema: voiceListSchema } },
  errors: ['invalid_request', 'model_not_found'],
  async handle({ query, models, findModel }) {
    const id = query.get('model');
    return jsonResponse(200, toVoiceList(id === null ? models() : [findModel(id, 'speech')]));
  },
};
