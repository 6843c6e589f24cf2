import { z } from 'zod';
import { audioResponse } from './audio-response.ts';
import { readJson } from '../../../server/body.ts';
import { findModel } from '../../../server/call.ts';
import { eventStreamResponse } from '../../../server/event-stream-response.ts';
import type { Route } from '../../../server/route.ts';
import { startRun } from '../../../server/run.ts';
import { toFrame } from '../../../server/sse.ts';
import { fromSpeechRequest } from './from-request.ts';
import { speechEventSchema, speechRequestSchema } from './schema.ts';
import { toSpeechStreamEvents } from './to-events.ts';
import { defaultVoice } from './voices.ts';

const audio = { name: 'Audio', schema: z.string().meta({ format: 'binary' }) };

/** `POST /audio/speech` */
export const audioSpeech: Route = {
  method: 'POST',
  path: '/audio/speech',
  operationId: 'createSpeech',
  summary: 'Speak a text; the audio is sent as it is made.',
  isInference: true,
  requestBody: { name: 'SpeechRequest', schema: speechRequestSchema },
  responses: {
    'audio/wav': audio,
    'audio/pcm': audio,
    'audio/mpeg': audio,
    'audio/ogg': audio,
    'audio/aac': audio,
    'audio/flac': audio,
    'text/event-stream': { name: 'SpeechEvent', schema: speechEventSchema },
  },
  errors: ['unsupported_feature'],
  async handle(call) {
    const { request, streamFormat, ...asked } = fromSpeechRequest(
      await readJson(call.request, call.settings.maxBodyBytes),
    );
    const model = findModel(call, asked.model, 'speech');
    call.meter.assertModel(model.id);
    const spoken = { voice: defaultVoice(model), ...request, model: model.id };
    const events = await startRun(call, {
      start: (options) => call.inference.speak(spoken, options),
      count: () => 0,
    });
    if (streamFormat === 'audio') return audioResponse(call, events);
    return eventStreamResponse(call, {
      events,
      toFrames: (event) => toSpeechStreamEvents(event).map(toFrame).join(''),
    });
  },
};
